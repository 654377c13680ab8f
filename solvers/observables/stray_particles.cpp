/// Particles that are where they should not be, at the end of each frame: far behind a wall, or so far from
/// the origin that float positions are coarse.
#include <cmath>
#include <sstream>

#include "device/reduce.h"
#include "solvers/core/coordinate_range.h"
#include "solvers/core/observable.h"

MERGANSER_BEGIN

namespace {

/// Of one kind: how many, and which is the worst.
struct Strays {
  int count = 0, worst = -1, wall = -1;
  float depth = 0;  ///< [m] of the worst
  MERGANSER_METHOD void add(const Strays& other) {
    count += other.count;
    if (!(other.depth > depth)) return;
    worst = other.worst, wall = other.wall, depth = other.depth;
  }
};
struct AllStrays {
  Strays far, behind;
};

/// Mobile particles more than a diameter behind a wall, and those whose largest coordinate is beyond
/// resolved_in_spacings diameters.
template <class Shapes>
struct CountStrays {
  static constexpr const char* name = "stray particles";
  using Value = AllStrays;
  ParticleConstView particles;
  Shapes walls;
  MERGANSER_METHOD AllStrays operator()(int i) const {
    AllStrays found;
    if (!(particles.inverse_mass[i] > 0)) return found;
    const Vec3 x = particles.position[i];
    const float diameter = 2 * particles.radius[i];
    const float reach = most_of(fabsf(x.x), most_of(fabsf(x.y), fabsf(x.z)));
    if (reach > float(resolved_in_spacings) * diameter) found.far = {1, i, -1, reach};
    for (int w = 0; w < walls.count; ++w) {
      const auto& wall = walls.data[w];
      if (wall.is_far(x, 0)) continue;
      const float depth = -wall.at(x).distance;
      if (depth > most_of(diameter, found.behind.depth)) found.behind = {1, i, wall.owner, depth};
    }
    return found;
  }
  MERGANSER_METHOD static AllStrays identity() { return {}; }
  MERGANSER_METHOD static AllStrays combine(const AllStrays& a, const AllStrays& b) {
    AllStrays sum = a;
    sum.far.add(b.far);
    sum.behind.add(b.behind);
    return sum;
  }
};

/// Of one kind since the beginning.
struct KnownStrays {
  double step = 0, time = 0;                                     ///< when they were first seen
  double most = 0;                                               ///< of them at once
  double depth = 0, wall = -1, body = -1, place[3] = {0, 0, 0};  ///< of the worst
  std::vector<double> values() const {
    return {step, time, most, depth, wall, body, place[0], place[1], place[2]};
  }
  void set(const double* v) { *this = {v[0], v[1], v[2], v[3], v[4], v[5], {v[6], v[7], v[8]}}; }
};

class StrayParticles final : public Observable {
 public:
  explicit StrayParticles(const InitialState& initial) {
    for (const BodyInfo& body : initial.bodies)
      bodies_.push_back("systems." + initial.systems[size_t(body.system)].name + ".bodies." + body.name);
    for (size_t w = 0; w < initial.walls.size(); ++w)
      walls_.push_back("walls." + std::to_string(w) +
                       (initial.walls[w].name.empty() ? "" : " ('" + initial.walls[w].name + "')"));
  }
  Columns columns() const override { return {}; }
  void after_step(const ObservedParts& parts, const StepContext& step) override {
    if (!step.frame_end) return;
    std::visit(
        [&]<class Shapes>(const Shapes& walls) {
          strays_.run(parts.particles.count(), CountStrays<Shapes>{parts.particles.const_view(), walls});
        },
        by_shape(step.walls));
  }
  /// Waits for the device where the worst so far has been found, and only there.
  bool after_fetch(const ObservedParts& parts, const StepContext& step) override {
    if (!step.frame_end) return false;
    const AllStrays found = strays_.fetched();
    note(found.far, far_, parts, step);
    note(found.behind, behind_, parts, step);
    return false;
  }
  std::vector<std::string> warnings() const override { return {text_of_far(), text_of_behind()}; }

  void save(StateArchive& archive, const std::string& prefix) const override {
    std::vector<double> values = far_.values();
    const std::vector<double> behind = behind_.values();
    values.insert(values.end(), behind.begin(), behind.end());
    archive.put(prefix + "/known", values);
  }
  void load(const StateArchive& archive, const std::string& prefix) override {
    const auto values = archive.get<double>(prefix + "/known");
    if (values.size() != 18) throw FileError("checkpoint: its stray particles are those of another version");
    far_.set(values.data());
    behind_.set(values.data() + 9);
  }

 private:
  static void note(const Strays& found, KnownStrays& known, const ObservedParts& parts,
                   const StepContext& step) {
    if (found.count == 0) return;
    if (known.most == 0) known.step = double(step.step + 1), known.time = step.time + step.dt;
    known.most = std::max(known.most, double(found.count));
    if (!(found.depth > known.depth)) return;
    const Vec3 x = read_back(parts.particles.position.const_view(), found.worst);
    known.depth = found.depth, known.wall = found.wall;
    known.body = read_back(parts.particles.body.const_view(), found.worst);
    known.place[0] = x.x, known.place[1] = x.y, known.place[2] = x.z;
  }
  std::string text_of(const KnownStrays& known, const std::string& where, const std::string& worst) const {
    if (known.most == 0) return "";
    std::ostringstream text;
    text.precision(4);
    text << "particles " << where << ": first in step " << std::int64_t(known.step) << " (t = " << known.time
         << " s), at most " << std::int64_t(known.most) << " at the end of a frame; " << worst << " of "
         << bodies_[size_t(known.body)] << " at (" << known.place[0] << ", " << known.place[1] << ", "
         << known.place[2] << ") m";
    return text.str();
  }
  std::string text_of_far() const {
    return text_of(
        far_, "so far from the origin that coordinates (float) are more than a thousandth of a spacing apart",
        "the furthest");
  }
  std::string text_of_behind() const {
    if (behind_.most == 0) return "";
    std::ostringstream worst;
    worst.precision(4);
    worst << "the deepest, " << behind_.depth << " m behind " << walls_[size_t(behind_.wall)] << ",";
    return text_of(behind_, "more than their diameter behind walls", worst.str());
  }

  std::vector<std::string> bodies_, walls_;
  Reduction<AllStrays> strays_;
  KnownStrays far_, behind_;
};

}  // namespace

std::unique_ptr<Observable> make_stray_particles(const InitialState& initial) {
  return std::make_unique<StrayParticles>(initial);
}

MERGANSER_END
