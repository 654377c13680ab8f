#pragma once
/// Surfaces of shapes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/geometry/sampling/shape_parameters.h"

namespace merganser {

/// Fineness of the triangles of a closed form: sides of about `edge` [m] at most, chords that lie within
/// `deviation` [m] of circles (and at least 24 corners to a circle).
struct Facets {
  double edge = std::numeric_limits<double>::infinity(), deviation = edge;
  /// [m] of chords of a circle: their height is side^2/(8 radius).
  double side(double radius) const { return std::min(edge, std::sqrt(8 * radius * deviation)); }
};

/// The closed surface of a shape at its place: its own mesh where it has one, else triangles.
TriangleMesh surface_of(const ShapeParameters& shape, const Facets& facets);

}  // namespace merganser
