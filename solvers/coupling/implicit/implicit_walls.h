#pragma once
/// Walls inside an implicit solve. A stiff solid that is put back to a wall only after it has moved has by
/// then sprung into it, and pushing it out again pumps energy into it every step. Rows that the step would
/// take behind a wall therefore get a stiff term along the wall's normal n that brings them to its surface,
/// and Coulomb friction across it:
///   W = k n n^T + f (1 - n n^T),   c = (p + k (v_t - v.n)) n - f v_tangential,   (A + W) u = b + c
/// v relative to the wall, v_t = -gap/dt or the rebound -e (v + dt g).n, p = h (v_t - v.n) - b.n >= 0 the
/// impulse that a row would need which stands alone, and k = 20 times the row's own diagonal, so that a
/// twentieth of what else would go behind the wall does; WallContact takes care of that. f = mu J/s, at most
/// k, with J, the wall's impulse, estimated from what presses on the row, and s the speed along the wall that
/// friction leaves it, by itself or, if that is faster, in free flight (bodies slide as wholes). Where none
/// is left by itself the row sticks: f = k, and c has less the impulse along the wall that it would take to
/// stop a row which stands alone, at most mu J, so that what lies on a slope does not creep. Which rows:
/// where a step of block Jacobi ends behind the wall or free flight does (what lies still would else be let
/// go in turns: a stiff brick that is put back by what it falls in a step is pressed by that), and then those
/// that the solution leaves behind one: these are *caught*, and the solve goes on. A row that turns out to
/// leave the wall is pulled by its term in that step.
#include "solvers/core/system.h"
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
  Vec3 gravity;  ///< [m/s^2]

  /// Of the particles `range`, whose rows begin the step with the velocities `start`.
  static WallRows of(const StepContext& step, Range range, View<const Vec3> start) {
    const auto own = [&](const auto& array) { return array.const_view().subview(range.first, range.count); };
    return {.walls = step.walls,
            .position = own(step.particles.position),
            .radius = own(step.particles.radius),
            .inverse_mass = own(step.particles.inverse_mass),
            .start = start,
            .dt = float(step.dt),
            .gravity = step.gravity};
  }
};

/// Counts rows without a term of a wall that the solution takes behind it by more than a twentieth of their
/// radius, and catches them. Walls are told apart modulo 32.
struct CatchRowsBehindWalls : RowCount {
  static constexpr const char* name = "implicit rows behind walls";
  WallRows rows;
  View<const float> effective_mass;        ///< [kg] h, 0 = fixed row
  View<const SymmetricMatrix3> stiffness;  ///< [kg] W
  View<const Vec3> solution;               ///< [m/s] u
  View<std::uint32_t> caught;              ///< per row, a bit a wall; updated
  MERGANSER_METHOD int operator()(int i) const {
    if (!(effective_mass[i] > 0)) return 0;
    std::uint32_t more = 0;
    for (int k = 0; k < rows.walls.count; ++k) {
      const Wall& wall = rows.walls[k];
      const WallDistance at = wall.at(rows.position[i]);
      const Vec3 end = rows.start[i] + solution[i] - wall.velocity_at(rows.position[i], at);
      const float behind = rows.radius[i] - at.distance - rows.dt * dot(end, at.normal);
      const bool held = dot(at.normal, stiffness[i] * at.normal) > 10 * effective_mass[i];
      if (behind > 0.05f * rows.radius[i] && !held) more |= 1u << (k & 31);
    }
    more &= ~caught[i];
    caught[i] |= more;
    return more != 0 ? 1 : 0;
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
  View<const std::uint32_t> caught;  ///< see CatchRowsBehindWalls
  View<const Vec3> solution;         ///< [m/s] u so far, where rows are caught
  /// False: s is the speed that friction has not slowed yet, so what sticks creeps. For solves whose states
  /// are not at rest by A and b: rows held by their pull b would be moved to and fro.
  bool sticks = true;
  MERGANSER_METHOD void operator()(int i) const {
    SymmetricMatrix3 w{};
    Vec3 c{0, 0, 0};
    const float h = effective_mass[i];
    if (h > 0) {
      SymmetricMatrix3 block = diagonal[i];
      block += scaled_identity(h);
      const Vec3 b = right_side[i];
      const SymmetricMatrix3 answer =
          InvertRowDiagonal::scaled(inverse(InvertRowDiagonal::scaled(block, 1 / h)), 1 / h);
      const Vec3 alone = answer * b;
      const float size = strength * (block.xx + block.yy + block.zz) * (1.0f / 3);
      for (int k = 0; k < rows.walls.count; ++k) {
        const Wall& wall = rows.walls[k];
        const WallDistance at = wall.at(rows.position[i]);
        if (!add(wall, at, i, b, alone, answer, h, size, w, c) && (caught[i] >> (k & 31) & 1))
          add(wall, at, i, b, solution[i], answer, h, size, w, c);
      }
      right_side[i] = b + c;
      diagonal[i] += w;
    }
    stiffness[i] = w;
    drive[i] = c;
  }
  /// alone: the change of velocity that the row would have by itself, or has so far; answer [1/kg]: of the
  /// row by itself to an impulse. False where that does not lead behind the wall.
  MERGANSER_METHOD bool add(const Wall& wall, const WallDistance& at, int i, const Vec3& b, const Vec3& alone,
                            const SymmetricMatrix3& answer, float h, float size, SymmetricMatrix3& w,
                            Vec3& c) const {
    const Vec3 n = at.normal, v = rows.start[i] - wall.velocity_at(rows.position[i], at);
    const float at_surface = (rows.radius[i] - at.distance) / rows.dt, normal = dot(v, n);
    const float free = normal + rows.dt * dot(rows.gravity, n);
    if (!(least_of(normal + dot(alone, n), free) < at_surface)) return false;
    const float target = most_of(at_surface, free < 0 ? -wall.restitution * free : at_surface);
    w += outer_product(n, size);
    c += n * (size * (target - normal) + most_of(h * (target - normal) - dot(b, n), 0.0f));
    const Vec3 along = v - n * normal, sliding = along + alone - n * dot(alone, n);
    const float press = most_of(-dot(b, n), 0.0f) + h * most_of(target - normal, 0.0f);
    const float limit = wall.friction * press, pace = norm(sliding);
    float left = pace;
    if (sticks && pace > 0) left -= limit * dot(sliding, answer * sliding) / (pace * pace);
    if (sticks && left > 0) {
      const Vec3 falling = along + rows.dt * (rows.gravity - n * dot(rows.gravity, n));
      left = most_of(left, norm(falling) + wall.friction * least_of(free - normal, 0.0f));
    } else if (sticks && limit > 0) {
      const Vec3 pull = b - n * dot(b, n) + h * along;
      c -= pull * least_of(1.0f, limit / most_of(norm(pull), 1e-20f));
    }
    const float friction = left > 0 ? least_of(limit / left, size) : limit > 0 ? size : 0.0f;
    w += scaled_identity(friction);
    w += outer_product(n, -friction);
    c -= friction * along;
    return true;
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

/// What of c is no impulse: c (1 - h/(h + k)), k about W. The tolerance of a solve is relative to impulses.
struct ScaleWallDrive {
  static constexpr const char* name = "implicit wall reference";
  View<const float> effective_mass;
  View<const SymmetricMatrix3> stiffness;
  View<const Vec3> drive;
  View<Vec3> excess;  ///< [N s], written
  MERGANSER_METHOD void operator()(int i) const {
    const float k = stiffness[i].xx + stiffness[i].yy + stiffness[i].zz;
    excess[i] = k > 0 ? k / (effective_mass[i] + k) * drive[i] : Vec3{0, 0, 0};
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
