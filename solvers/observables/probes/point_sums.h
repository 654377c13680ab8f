#pragma once
/// Interpolation of a fluid at a point, normalized by what the kernel finds there (Shepard 1968):
///
///   A(x) = sum V W(|x - x_i|) A_i / sum V W(|x - x_i|)
///
/// V = (2 particle_radius)^3 is the volume of a particle, W the fluid's kernel. The sum below is the share of
/// the kernel that is filled: about 1 within a fluid, 1/2 at a flat surface or wall, 1/8 in a corner.
#include "device/reduce.h"
#include "solvers/core/fluid_fields.h"
#include "solvers/core/nearest_image.h"

MERGANSER_BEGIN

/// With less than this share of the kernel filled there is no fluid at a point.
inline constexpr double least_fill = 0.05;

/// The share of the kernel about a point [m] that a particle fills.
template <class Kernel>
struct KernelShare {
  Kernel kernel;
  float volume;   ///< [m^3] of a particle
  float support;  ///< [m]
  Vec3 period;    ///< [m], 0 = open
  KernelShare(const Kernel& of, double of_volume, const Vec3& of_period)
      : kernel(of), volume(float(of_volume)), support(2 / of.inverse_h), period(of_period) {}
  MERGANSER_METHOD float operator()(const Vec3& point, const Vec3& particle) const {
    const float square = norm_squared(nearest_image(point - particle, period));
    return square < support * support ? volume * kernel.value(sqrtf(square)) : 0.0f;
  }
};

template <class Kernel, class Field>
struct SumAboutPoint {
  static constexpr const char* name = "probe: point";
  using Value = PointSums;
  KernelShare<Kernel> share;
  Vec3 point;                 ///< [m]
  View<const Vec3> position;  ///< [m] of own particles, as all here
  View<const Field> field;
  MERGANSER_METHOD static Vec3d as_vector(float a) { return {a, 0, 0}; }
  MERGANSER_METHOD static Vec3d as_vector(const Vec3& a) { return to_double(a); }
  MERGANSER_METHOD PointSums operator()(int i) const {
    const double weight = share(point, position[i]);
    if (!(weight > 0)) return {};
    return {weight, weight * as_vector(field[i])};
  }
  MERGANSER_METHOD static PointSums identity() { return {}; }
  MERGANSER_METHOD static PointSums combine(const PointSums& a, const PointSums& b) { return a + b; }
};

MERGANSER_END
