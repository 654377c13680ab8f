#include "solvers/observables/body_centre.h"

#include <cmath>

#include "solvers/core/observable.h"

MERGANSER_BEGIN

struct SumMoment {
  static constexpr const char* name = "body centre";
  using Value = BodyCentre::Sum;
  ParticleConstView particles;
  int first, body;
  MERGANSER_METHOD Value operator()(int k) const {
    const int i = first + k;
    if (particles.body[i] != body) return identity();
    const double mass = particles.mass[i];
    return {mass, mass * to_double(particles.position[i])};
  }
  MERGANSER_METHOD static Value identity() { return {0, {0, 0, 0}}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {a.mass + b.mass, a.moment + b.moment};
  }
};

void BodyCentre::measure(const ParticleStore& particles) {
  const Range range = particles.range(system_);
  sum_.run(range.count, SumMoment{particles.const_view(), range.first, body_});
}

Vec3d BodyCentre::measured() const {
  const Sum sum = sum_.fetched();
  return sum.mass > 0 ? sum.moment / sum.mass : Vec3d{0, 0, 0};
}

namespace {
/// Distances [m] of bodies' centres from where they started, for checks.
class Travel final : public Observable {
 public:
  explicit Travel(std::vector<MeasureRequest> asked) : asked_(std::move(asked)) {
    for (const MeasureRequest& of : asked_) centres_.emplace_back(of.system, of.body);
  }
  Columns columns() const override { return columns_for(asked_); }
  void start(const ObservedParts& parts) override {
    if (centres_.empty()) return;
    measure(parts);
    fetch_results();
    for (const BodyCentre& centre : centres_) start_.push_back(centre.measured());
  }
  void after_step(const ObservedParts& parts, const StepContext&) override { measure(parts); }
  void write(const ObservedParts&, const StepOutcome&, StatisticsRow& row) const override {
    for (size_t k = 0; k < asked_.size(); ++k)
      row.set(asked_[k].column, std::sqrt(norm_squared(centres_[k].measured() - start_[k])));
  }

 private:
  void measure(const ObservedParts& parts) {
    for (BodyCentre& centre : centres_) centre.measure(parts.particles);
  }
  std::vector<MeasureRequest> asked_;
  std::vector<BodyCentre> centres_;
  std::vector<Vec3d> start_;  ///< [m]
};
}  // namespace

std::unique_ptr<Observable> make_travel(const InitialState& initial) {
  return std::make_unique<Travel>(initial.requests("travel"));
}

MERGANSER_END
