#pragma once
/// The formulas of the implicit surface ([TN] sec. 4), for one value or several at once (device/lanes.h).
#include "device/lanes.h"
#include "solvers/topology/field_kernel.h"

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
/// phi of the sum over (g_i/C)^s/(|G_i| + 1), [TN] eq. 4.
MERGANSER_FN float blended(float sum) { return field_iso_value * powf(sum, 1.0f / blend_sharpness); }

/// Share of phi in the field at distance d [m] from the nearest particle with an adjusted neighborhood: phi
/// within 2h, where its links count, and the plain sum from 3h on ([TN] sec. 6.3 switches at once, which
/// leaves a step of some percent).
template <class Real>
MERGANSER_FN Real topological_share(const FieldKernel& kernel, Real d2) {
  const Real q = square_root(d2 * kernel.inverse_support2);  // d/2h
  const Real u = 3.0f - 2.0f * q, one = u - u + 1.0f;
  const Real clamped = u > 0.0f ? u < 1.0f ? u : one : u - u;
  return clamped * clamped * (3.0f - 2.0f * clamped);
}
/// Where topological_share() is 0, in h.
inline constexpr float topological_range = 3;

MERGANSER_END
