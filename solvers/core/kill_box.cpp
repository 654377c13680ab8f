#include "solvers/core/kill_box.h"

#include "device/sum_of.h"
#include "solvers/base/to_vec3.h"

MERGANSER_BEGIN

namespace {

/// Writes 1 to `outside` for particles in no box, else 1 to `inside`; sums those outside.
struct MarkOutside {
  static constexpr const char* name = "kill box";
  using Value = int;
  View<const KillBoxCorners> boxes;
  View<const Vec3> position;
  View<int> outside, inside;
  MERGANSER_METHOD int operator()(int i) const {
    bool within = !is_finite(position[i]);
    for (int k = 0; k < boxes.count; ++k) within = within || boxes[k].holds(position[i]);
    inside[i] = within;
    return outside[i] = !within;
  }
  MERGANSER_METHOD static int identity() { return 0; }
  MERGANSER_METHOD static int combine(int a, int b) { return a + b; }
};

struct RemovedEmission {
  static constexpr const char* name = "sums of removed particles";
  View<const int> gone;  ///< local indices
  int first;             ///< of the system
  Vec3 gravity;          ///< [m/s^2]
  View<const Vec3> position, velocity;
  View<const float> mass;
  MERGANSER_METHOD Emission operator()(int k) const {
    const int i = first + gone[k];
    return emission_of(mass[i], velocity[i], position[i], gravity);
  }
};

/// 1 for particles of the body.
struct RemovedOfBody {
  static constexpr const char* name = "removed particles of a body";
  View<const int> gone;  ///< local indices
  int first;             ///< of the system
  int wanted;
  View<const int> body;
  MERGANSER_METHOD int operator()(int k) const { return body[first + gone[k]] == wanted; }
};

}  // namespace

KillBox::KillBox(const Regions& regions, int system_index)
    : system_index_(system_index), gone_count_(1), kept_count_(1) {
  std::vector<KillBoxCorners> corners;
  for (const Region& region : regions.boxes)
    corners.push_back({to_vec3(region.box[0]), to_vec3(region.box[1])});
  boxes_.assign(corners);
}

void KillBox::measure(const ParticleStore& particles) {
  const Range own = particles.range(system_index_);
  for (Array<int>* a : {&outside_, &inside_}) a->resize(own.count);
  outside_sum_.run(own.count, MarkOutside{boxes_.const_view(),
                                          particles.position.const_view().subview(own.first, own.count),
                                          outside_.view(), inside_.view()});
}

std::optional<KillBox::Removal> KillBox::remove_outside(ParticleStore& particles, const Vec3& gravity,
                                                        const std::vector<int>& bodies) {
  const int gone = outside_sum_.fetched();
  if (gone == 0) return std::nullopt;
  const Range own = particles.range(system_index_);
  for (Array<int>* a : {&gone_, &kept_}) a->resize(own.count);
  offsets_.resize(own.count + 1);
  compact_indices(outside_.const_view(), gone_.view(), gone_count_.view(), offsets_, scratch_);
  compact_indices(inside_.const_view(), kept_.view(), kept_count_.view(), offsets_, scratch_);
  sums_.run(gone,
            sum_of(RemovedEmission{gone_.const_view(), own.first, gravity, particles.position.const_view(),
                                   particles.velocity.const_view(), particles.mass.const_view()}));
  of_body_.resize(bodies.size());
  for (size_t b = 0; b < bodies.size(); ++b)
    of_body_[b].run(
        gone, sum_of(RemovedOfBody{gone_.const_view(), own.first, bodies[b], particles.body.const_view()}));
  fetch_results();
  Removal removal{sums_.fetched(), {}, kept_.const_view().subview(0, own.count - gone)};
  for (const Reduction<int>& count : of_body_) removal.of_body.push_back(count.fetched());
  particles.keep(system_index_, removal.kept);
  return removal;
}

MERGANSER_END
