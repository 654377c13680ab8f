#include "solvers/observables/copied_motion.h"

#include <algorithm>
#include <string>

#include "solvers/core/observable.h"
#include "solvers/methods/sph/sph_parameters.h"

MERGANSER_BEGIN

namespace {
struct PlaceByNumber {
  static constexpr const char* name = "copied motion places";
  View<const int> id, body;
  int first, wanted_body, copy, first_id, first_id_of_copy, count;
  View<int> place;  ///< written at each particle's own number: its index + 1
  MERGANSER_METHOD void operator()(int k) const {
    const int i = first + k;
    if (body[i] == wanted_body) place[id[i] - first_id] = i + 1;
    if (body[i] == copy) place[count + id[i] - first_id_of_copy] = i + 1;
  }
};

struct LargestDeviation {
  static constexpr const char* name = "copied motion deviation";
  using Value = double;
  View<const Vec3> position;
  View<const int> place;
  int count;
  Vec3d offset;
  MERGANSER_METHOD double operator()(int k) const {
    const int own = place[k], copy = place[count + k];
    if (own == 0 || copy == 0) return identity();
    const Vec3d d = to_double(position[copy - 1]) - to_double(position[own - 1]) - offset;
    return norm(d);
  }
  MERGANSER_METHOD static double identity() { return 0; }
  /// NaN stays.
  MERGANSER_METHOD static double combine(double a, double b) { return a > b || a != a ? a : b; }
};
}  // namespace

CopiedMotion::CopiedMotion(int system, int body, int copy, const ParticleStore& particles)
    : system_(system), body_(body), copy_(copy) {
  const auto id = particles.id.to_host(), of_body = particles.body.to_host();
  std::vector<std::pair<int, int>> mine, others;  // id, particle
  const Range range = particles.range(system);
  for (int i = range.first; i < range.end(); ++i) {
    if (of_body[size_t(i)] == body) mine.emplace_back(id[size_t(i)], i);
    if (of_body[size_t(i)] == copy) others.emplace_back(id[size_t(i)], i);
  }
  if (mine.size() != others.size() || mine.empty())
    throw InputError("check sameMotion: the body has " + std::to_string(mine.size()) +
                     " particles and its copy " + std::to_string(others.size()) +
                     "; make them from the same shape, moved by translation");
  std::sort(mine.begin(), mine.end());
  std::sort(others.begin(), others.end());
  count_ = static_cast<int>(mine.size());
  first_id_ = mine[0].first;
  first_id_of_copy_ = others[0].first;
  offset_ = to_double(read_back(particles.position.const_view(), others[0].second)) -
            to_double(read_back(particles.position.const_view(), mine[0].second));
  place_.resize(2 * count_);
}

void CopiedMotion::measure(const ParticleStore& particles) {
  const Range range = particles.range(system_);
  place_.zero();
  launch(range.count, PlaceByNumber{particles.id.const_view(), particles.body.const_view(), range.first,
                                    body_, copy_, first_id_, first_id_of_copy_, count_, place_.view()});
  largest_.run(count_,
               LargestDeviation{particles.position.const_view(), place_.const_view(), count_, offset_});
}

namespace {
/// In smoothing lengths, for checks.
class CopiedMotions final : public Observable {
 public:
  explicit CopiedMotions(const InitialState& initial) : asked_(initial.requests("copied_motion")) {
    for (const MeasureRequest& of : asked_) {
      const SystemState& state = initial.systems[size_t(of.system)];
      smoothing_length_.push_back(2 * state.fluid.particle_radius *
                                  state.parameters.of<SphParameters>().smoothing_length_factor);
    }
  }
  Columns columns() const override { return columns_for(asked_); }
  void start(const ObservedParts& parts) override {
    for (const MeasureRequest& of : asked_)
      motions_.emplace_back(of.system, of.body, of.other, parts.particles);
  }
  void after_step(const ObservedParts& parts, const StepContext&) override {
    for (CopiedMotion& motion : motions_) motion.measure(parts.particles);
  }
  void write(const ObservedParts&, const StepOutcome&, StatisticsRow& row) const override {
    for (size_t k = 0; k < asked_.size(); ++k)
      row.set(asked_[k].column, motions_[k].largest_deviation() / smoothing_length_[k]);
  }

 private:
  std::vector<MeasureRequest> asked_;
  std::vector<double> smoothing_length_;  ///< [m] of each one's system
  std::vector<CopiedMotion> motions_;
};
}  // namespace

std::unique_ptr<Observable> make_copied_motion(const InitialState& initial) {
  return std::make_unique<CopiedMotions>(initial);
}

MERGANSER_END
