#include "solvers/core/held_parts.h"
#include "solvers/base/parameter_rows.h"

#include <cmath>
#include <sstream>

#include "device/errors.h"

namespace merganser {

namespace {
std::string text_of(const std::array<Point3, 2>& box) {
  std::ostringstream text;
  text.precision(10);
  for (size_t c = 0; c < 2; ++c)
    text << (c == 0 ? "[[" : "],[") << box[c][0] << ',' << box[c][1] << ',' << box[c][2];
  text << "]]";
  return text.str();
}
}  // namespace

const ParameterTable& PrescribedPart::table() {
  using P = PrescribedPart;
  static const ParameterTable made =
      ParameterRows<P>("prescribedMotion")
          .corners("box", &P::box, "m",
                   "Opposite corners; selects the particles centred inside at the start, or if there are "
                   "none, those that reach inside")
          .required()
          .point("velocity", &P::velocity, "m/s",
                 "Velocity between startTime and endTime; the particles are at rest otherwise")
          .point("angularVelocity", &P::angular_velocity, "rad/s",
                 "Angular velocity about the centre between startTime and endTime")
          .point("centre", &P::centre, "m", "Centre of rotation at startTime; it moves with the velocity")
          .number("startTime", &P::start_time, at_least(0), "s", "Start of the motion")
          .number("endTime", &P::end_time, at_least(0), "s", "End of the motion")
          .ordered_times(&P::start_time, &P::end_time);
  return made;
}

std::vector<int> particles_in(const std::array<Point3, 2>& box, const std::vector<Float3>& position,
                              double radius, const std::string& path, const std::string& what) {
  std::vector<int> found;
  for (double margin : {0.0, radius}) {
    if (!found.empty()) break;
    for (size_t i = 0; i < position.size(); ++i) {
      bool inside = true;
      for (size_t axis = 0; axis < 3; ++axis) {
        const double x = position[i][axis], slack = 1e-6 * (std::abs(x) + radius) + margin;
        inside = inside && x >= box[0][axis] - slack && x <= box[1][axis] + slack;
      }
      if (inside) found.push_back(static_cast<int>(i));
    }
  }
  if (found.empty())
    throw InputError(path + ".box: is " + text_of(box) + ", which contains no " + what +
                     " of the body; it must contain at least one");
  return found;
}

std::vector<int> held_for(const ProbeParameters& probe, const InitialState& initial) {
  const SystemState& system = initial.systems[size_t(probe.system_index)];
  std::vector<int> held;
  std::vector<Float3> places;
  double radius = 0;
  for (size_t i = 0; i < system.body.size(); ++i) {
    if (system.body[i] != probe.body_index || !system.immobile[i]) continue;
    held.push_back(static_cast<int>(i));
    places.push_back(system.position[i]);
    radius = system.radius[i];
  }
  if (probe.box == ProbeParameters::everywhere) return held;
  const std::string path = "probes." + probe.name;
  if (held.empty())
    throw InputError(path + ".box: nothing of body '" + probe.body +
                     "' is pinned or has a prescribed motion; leave it out for the force on the whole body");
  std::vector<int> chosen;
  for (const int k : particles_in(probe.box, places, radius, path, "held particle"))
    chosen.push_back(held[size_t(k)]);
  return chosen;
}

std::vector<char> held_by_boxes(const Regions& pinned, const std::vector<Float3>& position, double radius,
                                const std::string& path) {
  std::vector<char> held(position.size(), 0);
  for (size_t r = 0; r < pinned.boxes.size(); ++r)
    for (int i : particles_in(pinned.boxes[r].box, position, radius, path + ".pinned." + std::to_string(r)))
      held[size_t(i)] = 1;
  return held;
}

void add_prescribed(const std::vector<PrescribedPart>& parts, const std::vector<Float3>& position,
                    double radius, const std::string& path, SystemState& system, std::vector<char>& held) {
  const int offset = static_cast<int>(system.position.size());
  for (size_t m = 0; m < parts.size(); ++m) {
    const PrescribedPart& part = parts[m];
    PrescribedMotion motion{
        .particles = particles_in(part.box, position, radius, path + ".prescribed." + std::to_string(m)),
        .velocity = part.velocity,
        .start_time = part.start_time,
        .end_time = part.end_time,
        .angular_velocity = part.angular_velocity,
        .centre = part.centre};
    for (int& i : motion.particles) {
      held[size_t(i)] = 1;
      i += offset;
    }
    system.prescribed.push_back(std::move(motion));
  }
}

}  // namespace merganser
