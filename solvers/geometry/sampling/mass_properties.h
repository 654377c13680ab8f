#pragma once
/// Volume, centre and second moments of solids of uniform density, exact.
#include "solvers/geometry/sampling/shape_parameters.h"

namespace merganser {

struct MassProperties {
  double volume = 0;                  ///< [m^3]
  Point3 centre{0, 0, 0};             ///< [m]
  std::array<Point3, 3> second = {};  ///< [m^5] integral of x x^T about the centre
  /// [m^5] inertia about the centre, per density: trace(second) 1 - second.
  std::array<Point3, 3> inertia() const;
};

/// By sums over the tetrahedra between a point and the faces of a closed mesh (Eberly 2002, Polyhedral mass
/// properties); faces may all look inwards.
MassProperties mass_properties(const TriangleMesh& mesh);
/// Of a shape, by closed form, or of its mesh at its place.
MassProperties mass_properties(const ShapeParameters& shape);

}  // namespace merganser
