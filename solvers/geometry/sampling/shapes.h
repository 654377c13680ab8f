#pragma once
/// Simple shapes filled with particles.
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "solvers/base/host_types.h"

namespace merganser {

enum class Packing {
  cubic,      ///< simple cubic lattice
  hexagonal,  ///< hexagonal close packing with the same volume per particle, spacing^3
};

struct Sampling {
  double spacing;  ///< [m] of the cubic lattice; a particle stands for spacing^3
  Packing packing = Packing::cubic;
  double jitter = 0;       ///< random offset per axis, at most jitter * spacing
  std::uint32_t seed = 1;  ///< of the jitter
};

/// The points that a shape holds.
struct Shape {
  Point3 low, high;                           ///< [m] box around it
  double volume = 0;                          ///< [m^3]
  double thinnest = 0, longest = 0;           ///< [m] across its thinnest side and along its longest
  std::function<bool(const Point3&)> inside;  ///< empty: all of the box
};
Shape box_shape(const Point3& low, const Point3& high);
Shape sphere_shape(const Point3& centre, double radius);
/// Between the centres `start` and `end` of the two caps.
Shape cylinder_shape(const Point3& start, const Point3& end, double radius);
Shape torus_shape(const Point3& centre, const Point3& axis, double major_radius, double minor_radius);
/// The part of a spherical shell (outer radius, wall thickness) that lies below rim_height over its lowest
/// point; opens in +z.
Shape bowl_shape(const Point3& centre, double outer_radius, double thickness, double rim_height);

/// Particles whose centres lie in the shape. The lattice is centred in the shape's bounding box; a box whose
/// sides are multiples of the spacing is filled exactly. Axes of the lattice are the coordinate axes.
std::vector<Float3> sample_shape(const Shape& shape, const Sampling& sampling);
std::vector<Float3> sample_box(const Point3& low, const Point3& high, const Sampling& sampling);
std::vector<Float3> sample_sphere(const Point3& centre, double radius, const Sampling& sampling);
std::vector<Float3> sample_cylinder(const Point3& start, const Point3& end, double radius,
                                    const Sampling& sampling);
std::vector<Float3> sample_torus(const Point3& centre, const Point3& axis, double major_radius,
                                 double minor_radius, const Sampling& sampling);
std::vector<Float3> sample_bowl(const Point3& centre, double outer_radius, double thickness,
                                double rim_height, const Sampling& sampling);

/// Cells of the lattice of a box along each axis, however many: no limit and no memory.
std::array<double, 3> lattice_cells(const Point3& low, const Point3& high, const Sampling& sampling);
/// Number of particles of sample_shape, without making them: exact for boxes and for lattices of at
/// most `looked_at` points, beyond that volume / spacing^3, corrected for sides of a few cells.
double count_points(const Shape& shape, const Sampling& sampling, double looked_at = 1 << 18);

/// The points moved in random directions by at most `most` [m], uniform in the ball of that radius.
std::vector<Float3> displaced(std::vector<Float3> points, double most, std::uint32_t seed);

/// The lattice points of a box, in a fixed order, jittered. As many cells as fit, centred in the box, at
/// least one along every axis.
class Lattice {
 public:
  /// Throws InputError where the box takes more than 2e9 points or is not finite.
  Lattice(const Point3& low, const Point3& high, const Sampling& sampling);
  const std::array<int, 3>& count() const { return count_; }
  Point3 point(int i, int j, int k) const;

 private:
  Sampling sampling_;
  std::array<int, 3> count_;
  Point3 first_, pitch_;
};

/// Calls visit(p) for the lattice points of the box [low, high] for which inside(p) holds.
template <class Inside, class Visit>
void for_each_point(const Point3& low, const Point3& high, const Sampling& sampling, const Inside& inside,
                    const Visit& visit) {
  const Lattice lattice(low, high, sampling);
  for (int k = 0; k < lattice.count()[2]; ++k)
    for (int j = 0; j < lattice.count()[1]; ++j)
      for (int i = 0; i < lattice.count()[0]; ++i)
        if (const Point3 p = lattice.point(i, j, k); inside(p)) visit(p);
}

/// Those points as a list; the samplers are made of it.
template <class Inside>
std::vector<Float3> sample_where(const Point3& low, const Point3& high, const Sampling& sampling,
                                 const Inside& inside) {
  std::vector<Float3> points;
  for_each_point(low, high, sampling, inside, [&](const Point3& p) {
    points.push_back({float(p[0]), float(p[1]), float(p[2])});
  });
  return points;
}

}  // namespace merganser
