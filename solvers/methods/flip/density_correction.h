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

MERGANSER_END
