/// Pressure, density and velocity of fluids at a point.
#include <cmath>
#include <limits>
#include <optional>

#include "solvers/observables/probes/point_sums.h"
#include "solvers/observables/probes/probe.h"

MERGANSER_BEGIN

namespace {

class PointProbe final : public Probe {
 public:
  /// Without a field: of velocities.
  PointProbe(const ProbeParameters& parameters, const InitialState& initial, std::optional<FluidField> field)
      : field_(field), point_(to_float(vec3d(parameters.point))), period_(periodic_length(initial)) {
    for (const int s : probed_fluids(parameters, initial)) {
      Fluid& fluid = fluids_.emplace_back();
      fluid.system = s;
      fluid.volume = std::pow(2 * initial.systems[size_t(s)].fluid.particle_radius, 3);
    }
  }
  void measure(const ProbedStep& step) override {
    for (Fluid& fluid : fluids_) {
      const Range own = step.parts.particles.range(fluid.system);
      if (!field_) {
        sum(fluid, step.parts, step.parts.particles.velocity.const_view().subview(own.first, own.count));
        continue;
      }
      fluid.of_grid.written();
      fluid.has_grid =
          fluid_fields(step.parts, fluid.system).write_at_point(*field_, point_, fluid.of_grid.view());
      if (!fluid.has_grid) sum(fluid, step.parts, step.fields.of(*field_, step.parts, fluid.system));
    }
  }
  std::vector<double> values() const override {
    PointSums all;
    for (const Fluid& fluid : fluids_)
      all = all + (fluid.has_grid ? fluid.of_grid.fetched() : fluid.of_particles.fetched());
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    Vec3d value{nothing, nothing, nothing};
    if (all.fill >= least_fill) value = all.value / all.fill;
    if (!field_) return {value.x, value.y, value.z};
    return {value.x};
  }

 private:
  struct Fluid {
    int system;
    double volume;  ///< [m^3] of a particle
    bool has_grid = false;
    Reduction<PointSums> of_particles;
    DeviceResult<PointSums> of_grid;
  };
  template <class Field>
  void sum(Fluid& fluid, const ObservedParts& parts, View<const Field> field) {
    const Range own = parts.particles.range(fluid.system);
    std::visit(
        [&](const auto& kernel) {
          using Kernel = std::decay_t<decltype(kernel)>;
          fluid.of_particles.run(
              own.count, SumAboutPoint<Kernel, Field>{
                             .share = KernelShare<Kernel>(kernel, fluid.volume, period_),
                             .point = point_,
                             .position = parts.particles.position.const_view().subview(own.first, own.count),
                             .field = field});
        },
        fluid_fields(parts, fluid.system).smoothing_kernel());
  }
  std::optional<FluidField> field_;
  Vec3 point_, period_;  ///< [m]
  std::vector<Fluid> fluids_;
};

}  // namespace

std::unique_ptr<Probe> make_pressure_probe(const ProbeParameters& probe, const InitialState& initial) {
  return std::make_unique<PointProbe>(probe, initial, FluidField::pressure);
}
std::unique_ptr<Probe> make_density_probe(const ProbeParameters& probe, const InitialState& initial) {
  return std::make_unique<PointProbe>(probe, initial, FluidField::density);
}
std::unique_ptr<Probe> make_velocity_probe(const ProbeParameters& probe, const InitialState& initial) {
  return std::make_unique<PointProbe>(probe, initial, std::nullopt);
}

MERGANSER_END
