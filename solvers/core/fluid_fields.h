#pragma once
/// What fluids offer to probes: how to interpolate between their particles, and fields that the store does
/// not have.
#include <variant>

#include "device/array.h"
#include "solvers/core/smoothing_kernels.h"

MERGANSER_BEGIN

using SmoothingKernel = std::variant<WendlandC2<float>, CubicSpline<float>>;

class FluidFields {
 public:
  virtual ~FluidFields() = default;
  /// The kernel that its sums have, or one of that width.
  virtual SmoothingKernel smoothing_kernel() const = 0;
  /// Launch what writes pressures [Pa] and densities [kg/m^3] of the last step, one a particle of the system
  /// in the order of the store after that step. Where Method::has_pressure is false they are not called.
  virtual void write_pressure(View<float>) const {}
  virtual void write_density(View<float>) const {}
};

MERGANSER_END
