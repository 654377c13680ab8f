#pragma once
/// How much the surfaces of solids are curved where they touch a fluid.
#include "device/array.h"
#include "solvers/core/initial_state.h"

MERGANSER_BEGIN

/// Minus the mean curvature [1/m] below each particle of a solid, at rest: that of the ellipsoid with the
/// covariance C of the particle's body, x^T A x = 1 with A = (5 C)^-1, where the ray from its centre through
/// the particle ends. With g = A x there,
///   H = (|g|^2 tr A - g^T A g)/(2 |g|^3),
/// 1/a on a ball. A plate is flat, one that spans the period of a periodic axis along it. Faces and edges of
/// a block share what its edges have; hollows count as bulges do. Never 0: see SolidDragOf.
Array<float> rest_curvatures(const InitialState& initial, const SystemState& solid);

MERGANSER_END
