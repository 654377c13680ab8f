#pragma once
/// The surfaces of shapes as closed meshes.
#include "solvers/geometry/sampling/shape_parameters.h"

namespace merganser {

/// Of a shape or a mesh at its place. Round surfaces are cut into so many faces that chords lie within
/// `deviation` [m] of them (and circles have at least 12 and at most 720 corners).
TriangleMesh shape_mesh(const ShapeParameters& shape, double deviation);

}  // namespace merganser
