#pragma once
/// Keeps the volume: particles are moved so that their density returns to the rest density (Kugelstadt,
/// Longva, Thuerey, Bender 2019: Implicit density projection for volume conserving liquids). A displacement d
/// with
///   div d = share (rho/rho0 - 1)
/// is found like a pressure, with the same matrix, and does not touch the velocities.
#include "solvers/methods/flip/density.h"
#include "solvers/methods/flip/particle_to_grid.h"

MERGANSER_BEGIN

/// Right side for the displacement: share error dx flows out of every cell, the error clamped to +-most.
struct DisplacementSource {
  static constexpr const char* name = "flip displacement source";
  static constexpr float most = 0.5f;
  FlipGrid grid;
  View<const float> error;
  float factor;  ///< [m] share dx
  View<float> right_side;
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int c = grid.flat(x, y, z);
    const float e = error[c];
    right_side[grid.box.slot(c)] = factor * (e > most ? most : e < -most ? -most : e);
  }
};

/// Displacement of particles from that of faces, no longer than `most`.
struct ParticleDisplacement {
  static constexpr const char* name = "flip displacement";
  FlipGrid grid;
  GridShape lattice;
  View<const Vec3> position;
  FaceViews<const float> change;  ///< [m]
  float most;                     ///< [m]
  View<Vec3> displacement;        ///< [m], written
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 x = position[i];
    float sum[3] = {0, 0, 0};
    if (grid.holds(lattice.cell(x))) {
      const NearFaces near(grid, x);
      for (int axis = 0; axis < 3; ++axis)
        near.for_each_face(grid, axis, [&](int f, float weight, const Vec3&) {
          sum[axis] += weight * change.axis[axis].data[f];
        });
    }
    const Vec3 d{sum[0], sum[1], sum[2]};
    const float length = norm(d);
    displacement[i] = length > most ? d * (most / length) : d;
  }
};

/// Particles nearer than a spacing part (Ando, Tsuruno 2011: A particle-based method for preserving fluid
/// sheets), each by the same share of what they lack, so that their centre stays, and likewise from their
/// image in a wall:
///   d_i += share/2 sum_j (spacing - r_ij) (x_i - x_j)/(2 r_ij).
/// The grid does not see how particles lie within a cell.
template <class Shapes>
struct PushApart {
  static constexpr const char* name = "flip push apart";
  FlipFluids fluids;
  Shapes walls;
  View<const Vec3> position;
  float spacing, share;
  float most;               ///< [m] of d_i
  View<Vec3> displacement;  ///< [m], updated
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 x = position[i];
    Vec3 sum{0, 0, 0};
    for (int k = 0; k < fluids.count; ++k)
      fluids.of[k].for_each_neighbor(x, spacing, [&](int, const Vec3& d, float r2) {
        const float r = sqrtf(r2);
        if (r > 0) sum += d * ((spacing - r) / r);
      });
    for (int k = 0; k < walls.count; ++k) {
      const WallDistance at = walls.data[k].at(x);
      const float lacks = spacing - 2 * most_of(at.distance, 0.0f);
      if (lacks > 0) sum += at.normal * lacks;
    }
    const Vec3 d = displacement[i] + sum * (0.25f * share);
    const float length = norm(d);
    displacement[i] = length > most ? d * (most / length) : d;
  }
};

MERGANSER_END
