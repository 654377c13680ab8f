#include "solvers/core/late_bodies.h"

#include <algorithm>
#include <numeric>

#include "device/launch.h"
#include "solvers/base/to_vec3.h"

MERGANSER_BEGIN

namespace {

struct HoldBody {
  static constexpr const char* name = "late bodies: hold";
  int first;
  View<int> system;
  View<float> inverse_mass;
  View<Vec3> velocity;
  MERGANSER_METHOD void operator()(int k) const {
    system[first + k] = -1;
    inverse_mass[first + k] = 0;
    velocity[first + k] = {0, 0, 0};
  }
};

struct StartBody {
  static constexpr const char* name = "late bodies: start";
  int first, of_system;
  View<const float> inverse_mass_at_start;
  View<const Vec3> velocity_at_start;
  View<int> system;
  View<float> inverse_mass;
  View<Vec3> velocity;
  MERGANSER_METHOD void operator()(int k) const {
    system[first + k] = of_system;
    inverse_mass[first + k] = inverse_mass_at_start[k];
    velocity[first + k] = velocity_at_start[k];
  }
};

/// 1 for particles that are there and nearer to one of the grid's than touching.
struct InTheWay {
  static constexpr const char* name = "late bodies: room";
  using Value = int;
  UniformGridView grid;
  float radius_in_grid;  ///< [m]
  View<const Vec3> position;
  View<const float> radius;
  View<const int> system;
  MERGANSER_METHOD int operator()(int i) const {
    if (system[i] < 0) return 0;
    int found = 0;
    grid.for_each_neighbor(position[i], 0.999f * (radius[i] + radius_in_grid),
                           [&](int, const Vec3&, float) { found = 1; });
    return found;
  }
  MERGANSER_METHOD static int identity() { return 0; }
  MERGANSER_METHOD static int combine(int a, int b) { return a + b; }
};

Vec3d to_vec3d(const Float3& p) { return {p[0], p[1], p[2]}; }

}  // namespace

LateBodies::LateBodies(const InitialState& initial) {
  grid_.set_periodic(to_vec3(initial.periodic_origin), to_vec3(initial.periodic_length));
  const Vec3d gravity = to_double(to_vec3(initial.gravity));
  for (size_t s = 0; s < initial.systems.size(); ++s) {
    const SystemState& state = initial.systems[s];
    for (const float radius : state.radius) greatest_radius_ = std::max(greatest_radius_, radius);
    if (!state.emitters.empty())
      greatest_radius_ = std::max(greatest_radius_, float(state.fluid.particle_radius));
    for (const LateBody& body : state.late) {
      Late made{int(s), body, {}, {}, {body.count, 0, 0, {0, 0, 0}}};
      for (size_t i = size_t(body.first); i < size_t(body.first + body.count); ++i) {
        const double m = state.mass[i];
        const Vec3d v = to_vec3d(state.velocity[i]);
        made.velocity.push_back(to_float(v));
        made.inverse_mass.push_back(state.immobile[i] ? 0.0f : 1 / state.mass[i]);
        if (state.immobile[i]) continue;
        made.speed = std::max(made.speed, norm(v));
        made.brings.mass += m;
        made.brings.energy += m * (0.5 * norm_squared(v) - dot(gravity, to_vec3d(state.position[i])));
        made.brings.momentum += m * v;
      }
      bodies_.push_back(std::move(made));
    }
  }
  order_.resize(bodies_.size());
  std::iota(order_.begin(), order_.end(), size_t(0));
  std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
    return bodies_[a].body.start_time < bodies_[b].body.start_time;
  });
}

void LateBodies::hold_all(ParticleStore& particles, const Systems& systems) {
  for (Late& late : bodies_) {
    const Range range = late.range(particles);
    launch(range.count, HoldBody{range.first, particles.system.view(), particles.inverse_mass.view(),
                                 particles.velocity.view()});
    systems[size_t(late.system)]->set_waiting(late.body.body, true);
    late.waits = true;
  }
}

bool LateBodies::has_room(const Late& late, const ParticleStore& particles) {
  const Range range = late.range(particles);
  const float radius = read_back(particles.radius.const_view(), range.first);
  grid_.build(particles.position.const_view().subview(range.first, range.count), radius + greatest_radius_);
  in_the_way_.run(particles.count(), InTheWay{grid_.view(), radius, particles.position.const_view(),
                                              particles.radius.const_view(), particles.system.const_view()});
  return in_the_way_.read() == 0;
}

void LateBodies::start(double time, ParticleStore& particles, const Systems& systems,
                       std::vector<Emission>& started) {
  for (const size_t next : order_) {
    Late& late = bodies_[next];
    const double start_time = late.body.start_time;
    // Times are sums of steps.
    if (!late.waits || start_time - time > 1e-9 * start_time || !has_room(late, particles)) continue;
    const Range range = late.range(particles);
    const Array<float> inverse_mass(late.inverse_mass);
    const Array<Vec3> velocity(late.velocity);
    launch(range.count,
           StartBody{range.first, late.system, inverse_mass.const_view(), velocity.const_view(),
                     particles.system.view(), particles.inverse_mass.view(), particles.velocity.view()});
    synchronize();  // what the kernel reads ends here
    systems[size_t(late.system)]->set_waiting(late.body.body, false);
    late.waits = false;
    started.push_back(late.brings);
  }
}

std::vector<Range> LateBodies::waiting(const ParticleStore& particles) const {
  std::vector<Range> ranges;
  for (const Late& late : bodies_)
    if (late.waits) ranges.push_back(late.range(particles));
  return ranges;
}

std::vector<LateBody> LateBodies::blocked(double time) const {
  std::vector<LateBody> found;
  for (const Late& late : bodies_)
    if (late.waits && late.body.start_time * (1 + 1e-9) < time) found.push_back(late.body);
  return found;
}

double LateBodies::greatest_speed() const {
  double speed = 0;
  for (const Late& late : bodies_)
    if (late.waits) speed = std::max(speed, late.speed);
  return speed;
}

void LateBodies::save(StateArchive& archive, const std::string& prefix) const {
  if (bodies_.empty()) return;
  std::vector<std::int32_t> waits;
  for (const Late& late : bodies_) waits.push_back(late.waits);
  archive.put(prefix + "/waits", waits);
}

void LateBodies::load(const StateArchive& archive, const std::string& prefix, const Systems& systems) {
  if (bodies_.empty()) return;
  const auto waits = archive.get<std::int32_t>(prefix + "/waits");
  if (waits.size() != bodies_.size())
    throw FileError("checkpoint: '" + prefix + "/waits' is not one number for each body with a startTime");
  for (size_t k = 0; k < bodies_.size(); ++k) {
    bodies_[k].waits = waits[k] != 0;
    systems[size_t(bodies_[k].system)]->set_waiting(bodies_[k].body.body, bodies_[k].waits);
  }
}

MERGANSER_END
