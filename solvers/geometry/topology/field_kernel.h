#pragma once
/// The kernel with which neighborhoods and surfaces are reconstructed ([TN] sec. 4); not the one of the
/// fluid.
#include "device/backend.h"

MERGANSER_BEGIN

/// W(d) = max(0, 1 - (d/2h)^2)^5, so W(0) = 1; takes d^2 [m^2].
struct FieldKernel {
  float inverse_support2;  ///< [1/m^2] 1/(2h)^2

  MERGANSER_METHOD explicit FieldKernel(float h) : inverse_support2(1 / (4 * h * h)) {}

  template <class Real>
  MERGANSER_METHOD Real operator()(Real distance2) const {
    const Real rest = 1.0f - distance2 * inverse_support2;
    const Real w = rest > 0.0f ? rest : 0.0f, w2 = w * w;
    return w2 * w2 * w;
  }
};

/// C = W(h/2) = (1 - 1/16)^5: the iso-value at which a particle alone has a surface of radius h/2.
inline constexpr float field_iso_value = 0.72419643f;

/// Weight of a neighbor of age a in g_i, [TN] eq. 8: 1 - (1 - a)^3.
MERGANSER_FN float blending_weight(float age) {
  const float rest = 1 - age;
  return 1 - rest * rest * rest;
}

MERGANSER_END
