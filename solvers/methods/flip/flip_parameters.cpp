#include "solvers/methods/flip/flip_parameters.h"

#include <algorithm>

#include "solvers/base/parameter_rows.h"
#include "solvers/core/coupled_systems.h"
#include "solvers/core/method.h"

namespace merganser {

const ParameterTable& FlipParameters::table() {
  using P = FlipParameters;
  static const ParameterTable made =
      ParameterRows<P>("system.flip")
          .choice("transfer", &P::transfer, {{"flip", FlipTransfer::flip}, {"apic", FlipTransfer::apic}},
                  "Transfer between particles and grid: FLIP blended with PIC, or affine particle-in-cell")
          .number("flipBlend", &P::flip_blend, at_least(0).up_to(1), "",
                  "Fraction of FLIP while the fastest particle crosses a cell, the rest is PIC; transfer "
                  "flip only")
          .number("cellSize", &P::cell_size, at_least(1).up_to(4), "",
                  "Edge of a grid cell / particle spacing; 2 = eight particles per cell")
          .number(
              "tolerance", &P::tolerance, above(0).up_to(0.99), "",
              "Ratio of the divergence after and before the projection at which the pressure solver stops")
          .integer("maxIterations", &P::max_iterations, at_least(1).up_to(1e6), "",
                   "Iteration cap; reaching it is reported")
          .number("cfl", &P::cfl, above(0).up_to(5), "",
                  "Courant number: cells that a particle may cross in a step")
          .number("volumeCorrection", &P::volume_correction, at_least(0).up_to(10), "",
                  "Fraction of the density error corrected, by moving particles, while the fastest particle "
                  "crosses a cell; 0 = off")
          .boolean("reseeding", &P::reseeding,
                   "Move particles from crowded cells to sparse cells nearby; conserves mass and momentum")
          .names("coupledTo", &P::coupled_to,
                 "Systems of type rigid whose bodies take part in the pressure solve. They and this fluid do "
                 "not merge. FLIP fluids with equal particles and cells are always solved together");
  return made;
}

std::vector<int> coupled_indices_of_flip(const SystemState& fluid, const InitialState& initial) {
  const double cell_size = fluid.parameters.of<FlipParameters>().cell_size;
  std::vector<int> fluids, bodies;
  for (size_t s = 0; s < initial.systems.size(); ++s) {
    const SystemState& other = initial.systems[s];
    if (!other.method || other.method->word != "flip" ||
        other.fluid.particle_radius != fluid.fluid.particle_radius ||
        other.parameters.of<FlipParameters>().cell_size != cell_size)
      continue;
    fluids.push_back(static_cast<int>(s));
    const std::vector<int> coupled =
        find_coupled(other, other.parameters.of<FlipParameters>().coupled_to, initial);
    for (size_t k = 1; k < coupled.size(); ++k)
      if (std::find(bodies.begin(), bodies.end(), coupled[k]) == bodies.end()) bodies.push_back(coupled[k]);
  }
  fluids.insert(fluids.end(), bodies.begin(), bodies.end());
  return fluids.size() > 1 ? fluids : std::vector<int>{};
}

}  // namespace merganser
