#pragma once
/// Walls inside an implicit solve. A stiff solid that is put back to a wall only after it has moved has by
/// then sprung into it, and pushing it out again pumps energy into it every step. Rows that the step would
/// take behind a wall therefore get a stiff term along the wall's normal n that brings them to its surface,
/// and Coulomb friction across it:
///   W = k n n^T + f (1 - n n^T),   c = k (v_t - v.n) n - f v_tangential,   (A + W) u = b + c
/// v relative to the wall, v_t = -gap/dt or the rebound -e v.n, k = 20 times the row's own diagonal, so that
/// a twentieth of what would go behind the wall does; WallContact takes care of that. f = mu J/|v_tangential|
/// with J, the wall's impulse, estimated from what presses on the row. Which rows: where a step of block
/// Jacobi ends behind the wall.
#include "solvers/coupling/implicit/implicit_kernels.h"
#include "solvers/geometry/walls/wall.h"

MERGANSER_BEGIN

/// What walls see of the rows of one part.
struct WallRows {
  WallView walls;
  View<const Vec3> position;               ///< [m]
  View<const float> radius, inverse_mass;  ///< [m], [1/kg] of the particles
  View<const Vec3> start;                  ///< [m/s]
  float dt;
};

/// Counts rows that are within a radius of a wall or may come there.
struct CountRowsNearWalls : RowCount {
  static constexpr const char* name = "implicit rows near walls";
  WallRows rows;
  MERGANSER_METHOD int operator()(int i) const {
    if (!(rows.inverse_mass[i] > 0)) return 0;
    for (int w = 0; w < rows.walls.count; ++w) {
      const WallDistance at = rows.walls[w].at(rows.position[i]);
      const float approach = dot(rows.start[i] - rows.walls[w].velocity_at(rows.position[i], at), at.normal);
      if (at.distance + 2 * rows.dt * fminf(approach, 0.0f) < 2 * rows.radius[i]) return 1;
    }
    return 0;
  }
};

/// W and c of every row; b += c and the row's block of the stiffness += W.
struct FindWallTerms {
  static constexpr const char* name = "implicit wall terms";
  static constexpr float strength = 20;
  WallRows rows;
  View<const float> effective_mass;  ///< [kg] h, 0 = fixed row
  View<Vec3> right_side;             ///< [N s], updated
  View<SymmetricMatrix3> diagonal;   ///< [kg], updated
  View<SymmetricMatrix3> stiffness;  ///< [kg] W, written
  View<Vec3> drive;                  ///< [N s] c, written
  MERGANSER_METHOD void operator()(int i) const {
    SymmetricMatrix3 w{};
    Vec3 c{0, 0, 0};
    const float h = effective_mass[i];
    if (h > 0) {
      SymmetricMatrix3 block = diagonal[i];
      block += scaled_identity(h);
      const Vec3 b = right_side[i];
      const Vec3 alone = inverse(InvertRowDiagonal::scaled(block, 1 / h)) * ((1 / h) * b);
      const float size = strength * (block.xx + block.yy + block.zz) * (1.0f / 3);
      for (int k = 0; k < rows.walls.count; ++k) add(rows.walls[k], i, b, alone, h, size, w, c);
      right_side[i] = b + c;
      diagonal[i] += w;
    }
    stiffness[i] = w;
    drive[i] = c;
  }
  /// alone: the change of velocity that the row would have by itself.
  MERGANSER_METHOD void add(const Wall& wall, int i, const Vec3& b, const Vec3& alone, float h, float size,
                            SymmetricMatrix3& w, Vec3& c) const {
    const WallDistance at = wall.at(rows.position[i]);
    const Vec3 n = at.normal, v = rows.start[i] - wall.velocity_at(rows.position[i], at);
    const float at_surface = (rows.radius[i] - at.distance) / rows.dt, normal = dot(v, n);
    if (!(normal + dot(alone, n) < at_surface)) return;
    const float target = fmaxf(at_surface, normal < 0 ? -wall.restitution * normal : at_surface);
    w += outer_product(n, size);
    c += n * (size * (target - normal));
    const Vec3 along = v - n * normal, sliding = along + alone - n * dot(alone, n);
    const float press = fmaxf(-dot(b, n), 0.0f) + h * fmaxf(target - normal, 0.0f);
    const float friction = fminf(wall.friction * press / fmaxf(norm(sliding), 1e-20f), size);
    w += scaled_identity(friction);
    w += outer_product(n, -friction);
    c -= friction * along;
  }
};

/// y += W u.
struct AddWallProduct {
  static constexpr const char* name = "implicit wall product";
  SolveProgress progress;
  View<const SymmetricMatrix3> stiffness;
  View<const Vec3> u;
  View<Vec3> y;
  MERGANSER_METHOD void operator()(int i) const {
    if (!progress.stopped()) y[i] += stiffness[i] * u[i];
  }
};

/// What the walls gave to each row: c - W u of the solution as the solve left it, before momentum is
/// restored: the sum of h u' is then that of b + c - W u.
struct WallImpulses {
  static constexpr const char* name = "implicit wall impulses";
  View<const SymmetricMatrix3> stiffness;
  View<const Vec3> drive, u;
  View<Vec3> impulse;  ///< [N s], written
  MERGANSER_METHOD void operator()(int i) const { impulse[i] = drive[i] - stiffness[i] * u[i]; }
};

MERGANSER_END
