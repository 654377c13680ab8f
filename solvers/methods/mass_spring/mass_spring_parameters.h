#pragma once
/// Parameters of a mass-spring system (cloth, ropes).

namespace merganser {

struct ParameterTable;

struct MassSpringParameters {
  /// Keys of scenes and what they are bound to.
  static const ParameterTable& table();
  double spring_damping = 0.0;  ///< [s] damping along a spring: c = spring_damping * k
  double air_damping = 0.0;     ///< [1/s] force -m * air_damping * v
  double tolerance = 1e-5;      ///< conjugate gradients stop at |r| <= tolerance * |b|
  int max_iterations = 500;     ///< iteration cap; reaching it is reported
};

}  // namespace merganser
