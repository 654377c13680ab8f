#pragma once
/// View of a fluid for the forces.
#include "solvers/geometry/walls/wall.h"
#include "solvers/methods/fluid/masked_sum.h"

MERGANSER_BEGIN

/// All particles of a fluid in the order of its grid. They have the same mass.
struct PackedFluid {
  const UniformGrid& grid;        ///< of the positions, with cells for the radius 2 h
  View<Quad> position;            ///< [m] x, y, z; w is not read
  View<Quad> scratch;             ///< one a particle; what is in it does not matter
  View<const float> compression;  ///< rho/rho0 - 1
  WallView walls;
  double time = 0;  ///< [s] of the walls' places

  int count() const { return position.count; }
  /// Packs a vector of every particle and rho0/rho into `scratch`.
  void pack(View<const Vec3> vector) const;
  /// The sum of a term over the pairs within 2 h, a kernel; it reads `scratch` as velocity (the vector) and
  /// pressure term (rho0/rho).
  template <class Term>
  SphSum<Term> sum(float h, const Term& term) const {
    return {term, grid.view(), {position, scratch}, 2 * h};
  }
};

struct PackVectors {
  static constexpr const char* name = "fluid pack vectors";
  View<const Vec3> vector;
  View<const float> compression;
  View<Quad> packed;
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 v = vector[i];
    packed[i] = {v.x, v.y, v.z, 1 / (1 + compression[i])};
  }
};

inline void PackedFluid::pack(View<const Vec3> vector) const {
  launch(count(), PackVectors{vector, compression, scratch});
}

MERGANSER_END
