/// Pressure, density and velocity of fluids at a point.
#include <cmath>
#include <limits>

#include "solvers/observables/probes/point_sums.h"
#include "solvers/observables/probes/probe.h"

MERGANSER_BEGIN

namespace {

enum class PointQuantity { pressure, density, velocity };

class PointProbe final : public Probe {
 public:
  PointProbe(const ProbeParameters& parameters, const InitialState& initial, PointQuantity quantity)
      : quantity_(quantity),
        point_(to_float(vec3d(parameters.point))),
        period_(periodic_length(initial)),
        fluids_(probed_fluids(parameters, initial)),
        sums_(fluids_.size()) {
    for (const int s : fluids_)
      volumes_.push_back(std::pow(2 * initial.systems[size_t(s)].fluid.particle_radius, 3));
  }
  void measure(const ProbedStep& step) override {
    for (size_t k = 0; k < fluids_.size(); ++k) {
      const int s = fluids_[k];
      const Range own = step.parts.particles.range(s);
      if (quantity_ == PointQuantity::velocity)
        sum(k, step.parts, step.parts.particles.velocity.const_view().subview(own.first, own.count));
      else
        sum(k, step.parts,
            step.fields.of(
                quantity_ == PointQuantity::pressure ? ProbedFields::pressure : ProbedFields::density,
                step.parts, s));
    }
  }
  std::vector<double> values() const override {
    PointSums all;
    for (const Reduction<PointSums>& of_fluid : sums_) all = all + of_fluid.fetched();
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    Vec3d value{nothing, nothing, nothing};
    if (all.fill >= least_fill) value = all.value / all.fill;
    if (quantity_ == PointQuantity::velocity) return {value.x, value.y, value.z};
    return {value.x};
  }

 private:
  template <class Field>
  void sum(size_t k, const ObservedParts& parts, View<const Field> field) {
    const Range own = parts.particles.range(fluids_[k]);
    std::visit(
        [&](const auto& kernel) {
          using Kernel = std::decay_t<decltype(kernel)>;
          sums_[k].run(own.count,
                       SumAboutPoint<Kernel, Field>{
                           .share = KernelShare<Kernel>(kernel, volumes_[k], period_),
                           .point = point_,
                           .position = parts.particles.position.const_view().subview(own.first, own.count),
                           .field = field});
        },
        fluid_fields(parts, fluids_[k]).smoothing_kernel());
  }
  PointQuantity quantity_;
  Vec3 point_, period_;  ///< [m]
  std::vector<int> fluids_;
  std::vector<double> volumes_;  ///< [m^3] of a particle, per fluid
  std::vector<Reduction<PointSums>> sums_;
};

}  // namespace

std::unique_ptr<Probe> make_pressure_probe(const ProbeParameters& probe, const InitialState& initial) {
  return std::make_unique<PointProbe>(probe, initial, PointQuantity::pressure);
}
std::unique_ptr<Probe> make_density_probe(const ProbeParameters& probe, const InitialState& initial) {
  return std::make_unique<PointProbe>(probe, initial, PointQuantity::density);
}
std::unique_ptr<Probe> make_velocity_probe(const ProbeParameters& probe, const InitialState& initial) {
  return std::make_unique<PointProbe>(probe, initial, PointQuantity::velocity);
}

MERGANSER_END
