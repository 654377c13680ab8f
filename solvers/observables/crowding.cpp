/// Bodies that have less room than they need: in a tank that is too full, between walls or plates that close.
///
/// A particle needs the volume V = (2 r)^3. There is, with the kernel W of Wendland (1995),
///   V_there = V / max(1, c),   c = sum_j V_j W(x_ij) / prod_k (1 - lambda(d_k)),
/// and none where its centre is more than r behind a wall. The smoothing length h is 3 r, or less in a period
/// that does not hold three supports of 2 h. lambda is the share of the kernel behind a plane at the distance
/// d_k of wall k,
///   lambda(s) = (2 - s)^6 (3 s^2 + 6 s + 4)/512,   s = d/h in [0, 2],
/// and 1 - lambda(-s) behind it. c is 1 in a lattice at rest, and 2 where two particles have the room of one.
#include <algorithm>
#include <array>
#include <bit>
#include <sstream>

#include "device/group_sums.h"
#include "device/launch.h"
#include "device/uniform_grid.h"
#include "solvers/base/to_vec3.h"
#include "solvers/core/method.h"
#include "solvers/core/observable.h"
#include "solvers/core/smoothing_kernels.h"
#include "solvers/coupling/boundary/wall_contact.h"

MERGANSER_BEGIN

namespace {

/// Share of a Wendland kernel behind a plane, at a distance of s smoothing lengths before it.
MERGANSER_FN float share_behind_plane(float s) {
  const float t = 2 - fabsf(s);
  if (!(t > 0)) return s > 0 ? 0.0f : 1.0f;
  const float t2 = t * t, share = t2 * t2 * t2 * (3 * s * s + 6 * fabsf(s) + 4) * (1.0f / 512);
  return s > 0 ? share : 1 - share;
}

/// V_there/V of each particle.
struct ShareOfRoom {
  static constexpr const char* name = "crowding: share of room";
  /// Particles that are larger by more than this do not count by the kernel of the smaller one: there is no
  /// room within them.
  static constexpr float larger = 2;
  ParticleConstView particles;
  UniformGridView grid;
  WallView walls;
  WendlandC2<float> unit_kernel;
  float smoothing_radii;  ///< smoothing length in radii
  float greatest_radius;  ///< [m]
  bool all;               ///< particles of other systems take room as well
  View<float> share;      ///< written; below 0: is not there

  MERGANSER_METHOD void operator()(int i) const {
    if (particles.system[i] < 0 || !is_finite(particles.position[i])) {
      share[i] = -1;
      return;
    }
    const float radius = particles.radius[i], h = smoothing_radii * radius;
    const Vec3 x = particles.position[i];
    float open = 1;
    for (int k = 0; k < walls.count; ++k) {
      const Wall& wall = walls.data[k];
      if (wall.is_far(x, 2 * h)) continue;
      const float distance = wall.at(x).distance;
      if (distance < -radius) {
        share[i] = 0;
        return;
      }
      open *= 1 - share_behind_plane(distance / h);
    }
    float filled = 0;
    bool within = false;
    grid.for_each_neighbor(x, most_of(2 * h, greatest_radius), [&](int sorted, const Vec3&, float r2) {
      const int j = grid.order[sorted];
      if (particles.system[j] < 0 || !(all || particles.system[j] == particles.system[i])) return;
      const float other = particles.radius[j];
      if (other > larger * radius) {
        within = within || r2 < other * other;
        return;
      }
      filled += 8 * other * other * other * unit_kernel.value(sqrtf(r2) / h);
    });
    const float crowded = filled / (h * h * h * most_of(open, 0.05f));
    share[i] = within ? 0.0f : crowded > 1 ? 1 / crowded : 1.0f;
  }
};

/// Particles of one body, or of a fluid with all its bodies.
struct RoomRow {
  Range particles;
  float least;  ///< share of its volume without a word
};

struct Room {
  double needed = 0, lacking = 0;  ///< [m^3]
  Vec3d moment{0, 0, 0};           ///< [m^4] sum of what lacks by its place
  double crowded = 0;              ///< particles with less than the least share of their own
  MERGANSER_METHOD void operator+=(const Room& other) {
    needed += other.needed;
    lacking += other.lacking;
    moment = moment + other.moment;
    crowded += other.crowded;
  }
};

/// Sums of a row's particles.
struct SumRoom {
  static constexpr const char* name = "crowding: sums";
  using Value = Room;
  ParticleConstView particles;
  View<const float> share;
  View<const RoomRow> rows;
  View<Room> room;  ///< written

  MERGANSER_METHOD int begin(int row) const { return rows[row].particles.first; }
  MERGANSER_METHOD int end(int row) const { return rows[row].particles.end(); }
  MERGANSER_METHOD static Room identity() { return {}; }
  MERGANSER_METHOD static Room combine(const Room& a, const Room& b) {
    Room sum = a;
    sum += b;
    return sum;
  }
  MERGANSER_METHOD void add(Room& sum, int row, int i) const {
    if (share[i] < 0) return;
    const double r = particles.radius[i], volume = 8 * r * r * r, lacks = volume * (1.0 - double(share[i]));
    sum += {volume, lacks, lacks * to_double(particles.position[i]), share[i] < rows[row].least ? 1.0 : 0.0};
  }
  MERGANSER_METHOD void finish(int row, const Room& sum) const { room[row] = sum; }
};

/// Of one body or fluid since the beginning.
struct KnownCrowd {
  double step = 0, time = 0;     ///< when it was first seen
  double worst = 0;              ///< step in which the share of its volume was least
  double needed = 0, there = 0;  ///< [m^3] then
  double crowded = 0;            ///< particles, then
  double place[3] = {0, 0, 0};   ///< [m] middle of what lacked then
  double diverged = 0;           ///< 1: first seen after a divergence, and so it may be the outcome
};
using CrowdValues = std::array<double, sizeof(KnownCrowd) / sizeof(double)>;

/// [steps] at least from look to look. A look at 108,000 particles takes 1.9 steps of SPH, the fastest
/// fluid: 0.5 % of the time.
constexpr long long interval = 400;

class Crowding final : public Observable {
 public:
  explicit Crowding(const InitialState& initial);
  Columns columns() const override { return {}; }
  void start(const ObservedParts& parts) override { look(parts, 0, 0, false); }
  bool after_fetch(const ObservedParts& parts, const StepContext& step) override {
    if (step.step + 1 - looked_ < interval) return false;
    looked_ = step.step + 1;
    look(parts, looked_, step.time + step.dt, false);
    return false;
  }
  void look(const ObservedParts& parts, long long step, double time, bool diverged) override;
  std::vector<std::string> warnings() const override {
    std::vector<std::string> all;
    for (const Part& part : parts_) all.push_back(text_of(part));
    return all;
  }

  void save(StateArchive& archive, const std::string& prefix) const override {
    std::vector<double> values;
    for (const Part& part : parts_) {
      const auto known = std::bit_cast<CrowdValues>(part.known);
      values.insert(values.end(), known.begin(), known.end());
    }
    archive.put(prefix + "/known", values);
    archive.put(prefix + "/looked", std::vector<std::int64_t>{looked_});
  }
  void load(const StateArchive& archive, const std::string& prefix) override {
    const auto values = archive.get<double>(prefix + "/known");
    CrowdValues known;
    if (values.size() != known.size() * parts_.size())
      throw FileError("checkpoint: its crowded bodies are those of another version");
    for (size_t k = 0; k < parts_.size(); ++k) {
      std::copy_n(values.begin() + std::ptrdiff_t(k * known.size()), known.size(), known.begin());
      parts_[k].known = std::bit_cast<KnownCrowd>(known);
    }
    looked_ = archive.get<std::int64_t>(prefix + "/looked").at(0);
  }

 private:
  struct Part {
    std::string path;  ///< key path of the body or the fluid
    double least;      ///< share of its volume without a word
    KnownCrowd known = {};
  };
  /// Particles of a part that lie side by side in their system.
  struct Row {
    size_t part;
    int system;
    Range particles;  ///< from the first one of the system; of a fluid all that are there
    bool whole_system;
  };
  static std::string text_of(const Part& part);
  void add_rows(const InitialState& initial, size_t system);

  std::vector<Part> parts_;
  std::vector<Row> rows_;
  Vec3 period_origin_, period_;  ///< [m]
  bool bodies_meet_;             ///< contacts or pressure keep systems apart
  float greatest_radius_ = 0;    ///< [m]
  float smoothing_radii_ = 3;
  long long looked_ = 0;  ///< step of the last look that was due
};

Crowding::Crowding(const InitialState& initial)
    : period_origin_(to_vec3(initial.periodic_origin)),
      period_(to_vec3(initial.periodic_length)),
      bodies_meet_(initial.coupling.method != ContactMethod::none) {
  for (size_t s = 0; s < initial.systems.size(); ++s) {
    const SystemState& system = initial.systems[s];
    for (const float radius : system.radius) greatest_radius_ = std::max(greatest_radius_, radius);
    if (!system.emitters.empty())
      greatest_radius_ = std::max(greatest_radius_, float(system.fluid.particle_radius));
    add_rows(initial, s);
  }
  for (const float period : {period_.x, period_.y, period_.z})
    if (period > 0) smoothing_radii_ = std::min(smoothing_radii_, 0.999f * period / (6 * greatest_radius_));
  if (smoothing_radii_ < 2) parts_.clear(), rows_.clear();  // the period holds too few particles
}

/// The order of a solid's particles stays as it is.
void Crowding::add_rows(const InitialState& initial, size_t system) {
  const SystemState& state = initial.systems[system];
  const std::string path = "systems." + state.name;
  std::vector<size_t> part_of(initial.bodies.size());
  size_t bodies = 0;
  for (size_t b = 0; b < initial.bodies.size(); ++b) {
    if (initial.bodies[b].system != int(system)) continue;
    part_of[b] = parts_.size();
    const bool emitted = std::any_of(state.emitters.begin(), state.emitters.end(),
                                     [&](const EmitterParameters& e) { return e.body == int(b); });
    if (!is_fluid(state) || bodies == 0)
      parts_.push_back(
          {path + (emitted ? ".emitters." : ".bodies.") + initial.bodies[b].name, state.method->least_room});
    ++bodies;
  }
  if (bodies == 0) return;
  if (is_fluid(state)) {
    if (bodies > 1) parts_.back().path = path;
    rows_.push_back({parts_.size() - 1, int(system), {}, true});
    return;
  }
  for (int i = 0; i < int(state.body.size()); ++i) {
    const size_t part = part_of[size_t(state.body[size_t(i)])];
    if (i == 0 || rows_.back().part != part) rows_.push_back({part, int(system), {i, 0}, false});
    ++rows_.back().particles.count;
  }
}

void Crowding::look(const ObservedParts& parts, long long step, double time, bool diverged) {
  const ParticleStore& particles = parts.particles;
  if (rows_.empty() || particles.count() == 0) return;
  UniformGrid grid;
  grid.set_periodic(period_origin_, period_);
  grid.build(particles.position.const_view(), 2 * smoothing_radii_ * greatest_radius_);
  Array<float> share(particles.count());
  launch(particles.count(), ShareOfRoom{.particles = particles.const_view(),
                                        .grid = grid.view(),
                                        .walls = parts.walls.view(),
                                        .unit_kernel = WendlandC2<float>(1),
                                        .smoothing_radii = smoothing_radii_,
                                        .greatest_radius = greatest_radius_,
                                        .all = bodies_meet_,
                                        .share = share.view()});
  std::vector<RoomRow> ranges;
  for (const Row& row : rows_) {
    const Range system = particles.range(row.system);
    const Range own{system.first + row.particles.first, row.particles.count};
    ranges.push_back({row.whole_system ? system : own, float(parts_[row.part].least)});
  }
  const Array<RoomRow> rows(ranges);
  Array<Room> rooms(rows.size());
  launch_group_sums(rows.size(), SumRoom{.particles = particles.const_view(),
                                         .share = share.const_view(),
                                         .rows = rows.const_view(),
                                         .room = rooms.view()});
  const std::vector<Room> of_rows = rooms.to_host();
  std::vector<Room> of_parts(parts_.size());
  for (size_t k = 0; k < rows_.size(); ++k) of_parts[rows_[k].part] += of_rows[k];
  for (size_t k = 0; k < parts_.size(); ++k) {
    const Room& room = of_parts[k];
    const double there = room.needed - room.lacking;
    KnownCrowd& known = parts_[k].known;
    // An incompressible fluid explodes before it lacks as much as `least` says.
    const double least = diverged ? (1 + parts_[k].least) / 2 : parts_[k].least;
    if (!(there < least * room.needed)) continue;
    const bool first = known.needed == 0;
    if (!first && (diverged || there * known.needed >= known.there * room.needed)) continue;
    if (first) known.step = double(step), known.time = time, known.diverged = diverged;
    const Vec3d place = room.moment / room.lacking;
    known.worst = double(step), known.needed = room.needed, known.there = there, known.crowded = room.crowded;
    known.place[0] = place.x, known.place[1] = place.y, known.place[2] = place.z;
  }
}

/// A divergence throws particles into each other and through walls.
std::string Crowding::text_of(const Part& part) {
  const KnownCrowd& known = part.known;
  if (known.needed == 0) return "";
  std::ostringstream text;
  text.precision(3);
  text << part.path << " needs a volume of " << known.needed << " m^3 and has " << known.there
       << " m^3, around (" << known.place[0] << ", " << known.place[1] << ", " << known.place[2]
       << ") m: particles lie in each other or behind walls, first in step " << std::int64_t(known.step);
  text.precision(4);
  text << " (t = " << known.time << " s), most in step " << std::int64_t(known.worst) << ", "
       << std::int64_t(known.crowded) << " of them; "
       << (known.diverged > 0 ? "where that is why this step diverged, and not the outcome, " : "")
       << "make room for it, or take less of it";
  return text.str();
}

}  // namespace

std::unique_ptr<Observable> make_crowding(const InitialState& initial) {
  return std::make_unique<Crowding>(initial);
}

MERGANSER_END
