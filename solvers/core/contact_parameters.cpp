#include "solvers/core/contact_parameters.h"

#include "solvers/base/parameter_rows.h"

namespace merganser {

const ParameterTable& PairwiseContactParameters::table() {
  using P = PairwiseContactParameters;
  static const ParameterTable made =
      ParameterRows<P>("coupling")
          .number("stiffness", &P::stiffness, at_least(0).up_to(1e15), "Pa",
                  "Method penalty: spring constant / (r_i + r_j); sphForce: pressure / compression")
          .only_with("method", "penalty sphForce")
          .number("damping", &P::damping, at_least(0).up_to(100), "",
                  "Method penalty: fraction of the pair's critical damping")
          .only_with("method", "penalty")
          .integer("impulseIterations", &P::iterations, at_least(1).up_to(10000), "",
                   "Method impulses: number of passes over all pairs")
          .only_with("method", "impulses")
          .number("impulseRestitution", &P::restitution, at_least(0).up_to(1), "",
                  "Method impulses: restitution of the normal velocity")
          .only_with("method", "impulses");
  return made;
}

}  // namespace merganser
