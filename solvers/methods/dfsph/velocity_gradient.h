#pragma once
/// Gradients of velocity, exact for linear velocities; and the difference of velocities that viscosity damps.
#include "solvers/methods/dfsph/row_pairs.h"
#include "solvers/methods/dfsph/wall_images.h"

MERGANSER_BEGIN

/// Velocities and their gradients G of particles, then of images. Row a of G is quad a count + i.
struct VelocityField {
  View<const Quad> velocity;  ///< [m/s]
  View<const Quad> gradient;  ///< [1/s] 3 rows a particle
  MERGANSER_METHOD const Quad* row(int a) const { return gradient.data + a * velocity.count; }

  /// v_ij + (G_i + G_j)^T x_ij/2 of the neighbors i + at[0], ..., x_ij = d.
  ///
  /// It is the force of the stress mu (grad v + grad v^T) instead of mu grad v. Both are equal within a fluid
  /// that keeps its volume. At free surfaces and walls without friction the second brakes rigid rotation; the
  /// first does not, for v_ij = G x_ij with G^T = -G makes the sum 0.
  template <class Index>
  MERGANSER_METHOD Vector3<Lanes> difference(int i, const Index* at, const Vector3<Lanes>& d) const {
    const Quad& own = velocity.data[i];
    const QuadLanes other = gather_quads<false>(velocity.data + i, at);
    Vector3<Lanes> sum{broadcast(own.x) - other.x, broadcast(own.y) - other.y, broadcast(own.z) - other.z};
    add_row(0, i, at, d.x, sum);
    add_row(1, i, at, d.y, sum);
    add_row(2, i, at, d.z, sum);
    return sum;
  }
  /// The same of one neighbor j.
  MERGANSER_METHOD Vec3 difference(int i, int j, const Vec3& d) const {
    const Quad &own = velocity[i], &other = velocity[j];
    Vec3 sum{own.x - other.x, own.y - other.y, own.z - other.z};
    const float along[3] = {d.x, d.y, d.z};
    for (int a = 0; a < 3; ++a) {
      const Quad &g = row(a)[i], &of_other = row(a)[j];
      sum += (0.5f * along[a]) * Vec3{g.x + of_other.x, g.y + of_other.y, g.z + of_other.z};
    }
    return sum;
  }

 private:
  template <class Index>
  MERGANSER_METHOD void add_row(int a, int i, const Index* at, Lanes along, Vector3<Lanes>& sum) const {
    const Quad& own = row(a)[i];
    const QuadLanes other = gather_quads<false>(row(a) + i, at);
    const Lanes half = 0.5f * along;
    sum +=
        Vector3<Lanes>{broadcast(own.x) + other.x, broadcast(own.y) + other.y, broadcast(own.z) + other.z} *
        half;
  }
};

/// The sums of one particle that gradients follow from:
///   B = -V sum_j F v_ij x_ij^T,   K = -V sum_j F x_ij x_ij^T,   F = W'/r,
/// so that G = B K^-1 is exact for linear velocities (Bonet and Lok 1999). K is 1 within fluid. Particles on
/// a line or in a plane have a singular K: 1e-4 is added to its diagonal.
struct GradientSums {
  Vec3 b[3];  ///< [1/s] rows of B
  SymmetricMatrix3 k;
  Vec3 crowding;  ///< [1/m] V sum_j grad W_ij
};
template <class Kernel>
[[gnu::always_inline]] MERGANSER_FN GradientSums gradient_sums(const RowPairs<Kernel>& pairs,
                                                               View<const Quad> velocity, int i) {
  const Quad& own = velocity.data[i];
  const Vector3<Lanes> self{broadcast(own.x), broadcast(own.y), broadcast(own.z)};
  Vector3<Lanes> row[3] = {};
  Vector3<Lanes> diagonal{}, beside{}, crowding{};
  pairs.template for_each<false>(i, [&](const auto* at, const Vector3<Lanes>& d, Lanes r, Lanes) {
    const QuadLanes other = gather_quads<false>(velocity.data + i, at);
    const Vector3<Lanes> wd = d * pairs.kernel.gradient_factor(r);
    row[0] += wd * (self.x - other.x);
    row[1] += wd * (self.y - other.y);
    row[2] += wd * (self.z - other.z);
    diagonal += Vector3<Lanes>{wd.x * d.x, wd.y * d.y, wd.z * d.z};
    beside += Vector3<Lanes>{wd.x * d.y, wd.x * d.z, wd.y * d.z};
    crowding += wd;
  });
  const float v = -pairs.volume, least = 1e-4f;
  GradientSums sums;
  for (int a = 0; a < 3; ++a)
    sums.b[a] = {v * sum_of_lanes(row[a].x), v * sum_of_lanes(row[a].y), v * sum_of_lanes(row[a].z)};
  sums.k = {v * sum_of_lanes(diagonal.x) + least, v * sum_of_lanes(beside.x),
            v * sum_of_lanes(beside.y),           v * sum_of_lanes(diagonal.y) + least,
            v * sum_of_lanes(beside.z),           v * sum_of_lanes(diagonal.z) + least};
  sums.crowding = {-v * sum_of_lanes(crowding.x), -v * sum_of_lanes(crowding.y),
                   -v * sum_of_lanes(crowding.z)};
  return sums;
}

/// G_i = B K^-1.
template <class Kernel>
struct VelocityGradient {
  static constexpr const char* name = "dfsph velocity gradient";
  RowPairs<Kernel> pairs;
  View<const Quad> velocity;  ///< [m/s]
  View<Quad> gradient;        ///< [1/s] written, see VelocityField
  MERGANSER_METHOD void operator()(int i) const {
    const GradientSums sums = gradient_sums(pairs, velocity, i);
    const SymmetricMatrix3 inverse_k = inverse(sums.k);
    for (int a = 0; a < 3; ++a) {
      const Vec3 g = inverse_k * sums.b[a];
      gradient[a * velocity.count + i] = {g.x, g.y, g.z, 0};
    }
  }
};

/// Of images: v'(x') = R v(x) with the mirror R gives G' = R G R. Where a wall without slip turns the
/// velocity, v'(x') = 2 v_wall - v(x), it is -G R.
struct GradientsOfImages {
  static constexpr const char* name = "dfsph gradients of images";
  View<const WallImage> image;
  WallView walls;
  int particles, count;  ///< without images, with them
  View<Quad> gradient;   ///< [1/s] of images: written
  MERGANSER_METHOD void operator()(int k) const {
    Vec3 row[3];
    for (int a = 0; a < 3; ++a) {
      const Quad& q = gradient[a * count + image[k].source];
      row[a] = {q.x, q.y, q.z};
    }
    for (int p = 0; p < WallImage::most_planes && image[k].wall[p] != WallImage::none; ++p) {
      const Vec3 n = image[k].normal[p];
      for (Vec3& r : row) r = WallImage::mirrored(r, n);
      const Vec3 along = n.x * row[0] + n.y * row[1] + n.z * row[2];  // n^T G R
      const float part[3] = {n.x, n.y, n.z};
      const bool sticks = walls.data[image[k].wall[p]].no_slip;
      for (int a = 0; a < 3; ++a) row[a] = sticks ? -row[a] : row[a] - (2 * part[a]) * along;
    }
    for (int a = 0; a < 3; ++a) gradient[a * count + particles + k] = {row[a].x, row[a].y, row[a].z, 0};
  }
};

MERGANSER_END
