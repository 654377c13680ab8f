#pragma once
/// Fields of fluids for probes: how to interpolate between their particles, and fields that the store does
/// not have.
#include <variant>

#include "device/array.h"
#include "device/vector_math.h"
#include "solvers/core/smoothing_kernels.h"

MERGANSER_BEGIN

using SmoothingKernel = std::variant<WendlandC2<float>, CubicSpline<float>>;

/// Sums of weights and of weighted values about a point, the weights of what is full of fluid 1 in all; a
/// scalar is the first component.
struct PointSums {
  double fill = 0;
  Vec3d value{0, 0, 0};
  MERGANSER_METHOD friend PointSums operator+(const PointSums& a, const PointSums& b) {
    return {a.fill + b.fill, a.value + b.value};
  }
};

enum class FluidField { pressure, density };  ///< [Pa], [kg/m^3]

class FluidFields {
 public:
  virtual ~FluidFields() = default;
  /// The kernel that its sums have, or one of that width.
  virtual SmoothingKernel smoothing_kernel() const = 0;
  /// Launch what writes pressures [Pa] and densities [kg/m^3] of the last step, one a particle of the system
  /// in the order of the store after that step.
  virtual void write_pressure(View<float>) const {}
  virtual void write_density(View<float>) const {}
  /// A fluid whose pressures and densities are a grid's: launches what writes its sums about a point [m] to
  /// the one element and returns true; then the two above are not called.
  virtual bool write_at_point(FluidField, const Vec3& /*point*/, View<PointSums>) const { return false; }
};

MERGANSER_END
