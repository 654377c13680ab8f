#pragma once
/// Surfaces of shapes.
#include "solvers/geometry/sampling/shape_parameters.h"

namespace merganser {

/// The closed surface of a shape at its place: its own mesh where it has one, else triangles with sides of
/// about `edge` [m] at most.
TriangleMesh surface_of(const ShapeParameters& shape, double edge);

}  // namespace merganser
