#pragma once
/// Parameters of the contact methods that merging-and-splitting is compared with.

namespace merganser {

struct ParameterTable;

struct PairwiseContactParameters {
  /// Keys of scenes and what they are bound to.
  static const ParameterTable& table();
  /// [Pa] of penalty and SPH forces; the same number means about the same force at any resolution.
  double stiffness = 2e5;
  double damping = 0.2;    ///< penalty: share of the pair's critical damping
  int iterations = 4;      ///< impulses: passes over all pairs
  double restitution = 0;  ///< impulses: of the normal velocity, in [0, 1]
};

}  // namespace merganser
