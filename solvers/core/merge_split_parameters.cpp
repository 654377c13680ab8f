#include "solvers/core/merge_split_parameters.h"

#include "solvers/base/parameter_rows.h"

namespace merganser {

const ParameterTable& MergeSplitParameters::table() {
  using P = MergeSplitParameters;
  static const ParameterTable made =
      ParameterRows<P>("coupling")
          .choice("method", &P::method,
                  {{"mergingAndSplitting", ContactMethod::merging_and_splitting},
                   {"penalty", ContactMethod::penalty},
                   {"sphForce", ContactMethod::sph_force},
                   {"impulses", ContactMethod::impulses},
                   {"none", ContactMethod::none}},
                  "Contact method. penalty, sphForce and impulses serve for comparison, [MS] sec. 6.1. none: "
                  "bodies and systems pass through each other")
          .number("alpha", &P::alpha, at_least(0).up_to(1), "",
                  "Restitution of the merging energy, [MS] eq. 9; none among soft bodies, whose elasticity "
                  "returns it")
          .number("beta", &P::beta, at_least(0).up_to(1), "",
                  "Restitution of the synchronization energy, [MS] eq. 20")
          .boolean("secondStage", &P::second_stage,
                   "Merge marked pairs that begin to approach and integrate again, [MS] sec. 5.1");
  return made;
}

const ParameterTable& MergeSplitParameters::limit_table() {
  using P = MergeSplitParameters;
  static const ParameterTable made =
      ParameterRows<P>("coupling")
          .limits("groupLimit", &P::group_min, &P::group_max, &P::unlimited,
                  "Range from which each group's member limit is drawn, [MS] sec. 5.2");
  return made;
}

}  // namespace merganser
