#pragma once
/// Parameters and initial data of a mass-spring system (cloth, ropes).
#include <vector>

#include "solvers/base/host_types.h"

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

enum class SpringKind : int { structural, shear, bend };

/// A spring between two particles, local indices of the system.
struct Spring {
  int a, b;
  float rest_length;  ///< [m]
  float stiffness;    ///< [N/m]
  SpringKind kind;
};

}  // namespace merganser
