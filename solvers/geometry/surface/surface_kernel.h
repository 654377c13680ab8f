#pragma once
/// The formulas of the implicit surface ([TN] sec. 4), for one value or several at once (device/lanes.h).
#include "device/lanes.h"
#include "solvers/geometry/topology/field_kernel.h"

MERGANSER_BEGIN

/// max(0, 1 - d^2/(2h)^2), whose fifth power is W.
template <class Real>
MERGANSER_FN Real kernel_rest(const FieldKernel& kernel, Real d2) {
  const Real t = 1.0f - kernel.inverse_support2 * d2;
  return t > 0.0f ? t : t - t;
}
template <class Real>
MERGANSER_FN Real fifth_power(Real t) {
  const Real t2 = t * t;
  return t2 * t2 * t;
}
/// F [1/m^2] of grad W(d) = F d, from the rest t: -10 t^4/(2h)^2.
template <class Real>
MERGANSER_FN Real kernel_gradient_factor(const FieldKernel& kernel, Real t) {
  const Real t2 = t * t;
  return (-10.0f * kernel.inverse_support2) * (t2 * t2);
}

/// Sharpness of the blend, [TN] sec. 4: s = 20.
inline constexpr int blend_sharpness = 20;
/// (g/C)^s. Scaled by C because g^s alone leaves the range of float for g below 0.02.
template <class Real>
MERGANSER_FN Real sharpened(Real g) {
  const Real q = g * (1 / field_iso_value), q2 = q * q, q4 = q2 * q2, q8 = q4 * q4;
  return q8 * q8 * q4;
}
/// (g/C)^(s - 1), to which grad phi weighs grad g_i.
MERGANSER_FN float sharpened_slope(float g) {
  const float q = g * (1 / field_iso_value), q2 = q * q, q4 = q2 * q2, q8 = q4 * q4;
  return q8 * q8 * q2 * q;
}
/// (sum/whole)^(1/s) of two sums over (g_i/C)^s: 1 where both are the same.
MERGANSER_FN float linked_share(float sum, float whole) {
  return sum < whole ? powf(sum / whole, 1.0f / blend_sharpness) : 1.0f;
}

MERGANSER_END
