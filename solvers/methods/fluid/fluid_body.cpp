#include "solvers/methods/fluid/fluid_body.h"
#include "solvers/base/parameter_rows.h"

#include <cmath>

namespace merganser {

const std::vector<BodyKind>& FluidBody::kinds() {
  static const std::vector<BodyKind> made = filled_body_kinds<FluidBody>(
      "fluidBody", ParameterRows<FluidBody>("fluidBody")
                       .choice("packing", &FluidBody::packing,
                               {{"cubic", Packing::cubic}, {"hexagonal", Packing::hexagonal}},
                               "Lattice of the initial particles")
                       .number("jitter", &FluidBody::jitter, at_least(0).up_to(0.5), "",
                               "Random initial displacement, fraction of the spacing")
                       .point("spin", &FluidBody::spin, "rad/s", spin_about_centre));
  return made;
}

Sampling FluidBody::sampling(const BodySite& site) const {
  return {.spacing = site.spacing(),
          .packing = packing,
          .jitter = jitter,
          .seed = site.seed + static_cast<std::uint32_t>(site.body)};
}

void FluidBody::add_to(SystemState& system, const BodySite& site) const {
  const double mass = system.fluid.density0 * std::pow(site.spacing(), 3);
  const size_t first = system.position.size();
  for (const Float3& x : fill(site))
    add_particle(system, x, velocity, mass, site.particle_radius, false, site.body);
  add_spin(system, first, spin, centre_of_mass(system, first));
}

}  // namespace merganser
