#pragma once
/// Kernels of the linearized springs: coefficients once a step, then A v as often as the solver asks. Local
/// indices throughout.
#include "device/launch.h"
#include "device/vector_math.h"
#include "solvers/coupling/implicit/reduced_unknowns.h"
#include "solvers/methods/mass_spring/spring_lists.h"

MERGANSER_BEGIN

/// What one half-spring adds to the matrix, the block B = dt C + dt^2 K = t I + w w^T [kg].
struct SpringBlock {
  Vec3 w;
  float t;
  /// B d
  MERGANSER_METHOD Vec3 times(const Vec3& d) const { return t * d + dot(w, d) * w; }
  MERGANSER_METHOD SymmetricMatrix3 matrix() const {
    SymmetricMatrix3 block = outer_product(w, 1.0f);
    block += scaled_identity(t);
    return block;
  }
};

/// Linearizes the springs at the positions x of the beginning of the step (Baraff & Witkin 1998, sec. 2.3
/// and 5.1). For a spring of length L = |x_j - x_i| and direction n = (x_j - x_i)/L:
///   force on i        f = k (L - L0) n
///   stiffness         K = k n n^T + k max(0, 1 - L0/L) (I - n n^T)
///   damping           C = c n n^T,  c = spring_damping k
/// The transverse stiffness of a compressed spring is negative and is left out: K stays positive semidefinite
/// (Choi & Ko 2002).
struct LinearizeSprings {
  static constexpr const char* name = "mass-spring linearize";
  View<const Vec3> position;  ///< [m]
  SpringListView springs;
  float dt;                 ///< [s]
  float spring_damping;     ///< [s]
  View<SpringBlock> block;  ///< per half-spring [kg], written
  View<Vec3> impulse;       ///< per particle, dt times the springs' force [N s], written
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 xi = position[i];
    Vec3 force{0, 0, 0};
    for (int s = springs.first[i], end = springs.first[i + 1]; s < end; ++s) {
      const float k = springs.stiffness[s], rest = springs.rest_length[s];
      const Vec3 d = position[springs.neighbor[s]] - xi;
      const float length = norm(d);
      const float inverse_length = length > 0 ? 1 / length : 0.0f;
      force += k * (length - rest) * inverse_length * d;
      const float transverse = dt * dt * k * most_of(1 - rest * inverse_length, 0.0f);
      const float axial = dt * k * (spring_damping + dt);
      const float difference = most_of(axial - transverse, 0.0f);  // equal ones may differ by rounding
      block[s] = {sqrtf(difference) * inverse_length * d, length > 0 || rest == 0 ? transverse : 0.0f};
    }
    impulse[i] = dt * force;
  }
};

/// Row i of A u for the change of velocity u: h_i u_i + sum_j B_ij (u_i - u_j), zero on fixed rows; h_i: the
/// row's effective mass [kg].
struct SpringRows {
  View<const int> first, neighbor;
  View<const SpringBlock> block;
  View<const float> effective_mass;  ///< [kg], 0 = fixed row
  OwnMembersView own;
  View<int> distance;  ///< of the second stage's rows, see SpreadDistance; else empty
  MERGANSER_METHOD Vec3 operator()(int i, View<const Vec3> u) const {
    if (!(effective_mass[i] > 0)) return {0, 0, 0};
    const Vec3 ui = u[i];
    Vec3 sum = effective_mass[i] * ui;
    for (int s = first[i], end = first[i + 1]; s < end; ++s) sum += block[s].times(ui - u[neighbor[s]]);
    return sum;
  }
  void add_to_key(LaunchKey& key) const {
    for (const void* address :
         {static_cast<const void*>(first.data), static_cast<const void*>(neighbor.data),
          static_cast<const void*>(block.data), static_cast<const void*>(effective_mass.data),
          static_cast<const void*>(distance.data)})
      key.push_back(address);
    own.add_to_key(key);
  }
  /// P P^T: rows of one unknown are summed.
  void complete(View<Vec3> rows, const ActiveRows& reach) const {
    launch_group_sums(own.begin.count, SumGroupRows{.own = own, .reach = reach, .rows = rows});
  }
  /// Finds the rows at reach.limit from those one spring nearer.
  void widen(const ActiveRows& reach) const {
    launch(effective_mass.count, SpreadDistance{first, neighbor, reach.limit, distance});
    launch_group_sums(own.begin.count, EvenDistance{{own}, distance});
  }
};

/// b_i = dt (f_i + m_i g - a m_i' v_i) - sum_j B_ij (v_i - v_j), the impulse that the velocities v at the
/// beginning of the step leave; m_i is the row's mass (members: scaled), m_i' the particle's own, a the air
/// damping. Zero on fixed rows.
struct RightSide {
  static constexpr const char* name = "mass-spring right side";
  ActiveRows reach;  ///< rows to write
  View<const int> first, neighbor;
  View<const SpringBlock> block;
  View<const Vec3> impulse;                ///< [N s] dt f
  View<const float> effective_mass, mass;  ///< [kg]
  View<const float> own_mass;              ///< [kg]
  View<const Vec3> start;                  ///< [m/s] v
  Vec3 gravity;                            ///< [m/s^2]
  float dt, air_damping;                   ///< [s], [1/s]
  View<Vec3> right_side;                   ///< [N s] b, written
  MERGANSER_METHOD void operator()(int i) const {
    if (!reach.contains(i)) return;
    Vec3 sum{0, 0, 0};
    if (effective_mass[i] > 0) {
      const Vec3 vi = start[i];
      for (int s = first[i], end = first[i + 1]; s < end; ++s) sum += block[s].times(vi - start[neighbor[s]]);
      sum = impulse[i] + (dt * mass[i]) * gravity - (dt * air_damping * own_mass[i]) * vi - sum;
    }
    right_side[i] = sum;
  }
};

/// Springs give a connected body no net impulse: sum_i h_i u_i = sum_i (m_i dt g - (h_i - m_i) v0_i) over its
/// rows. What a row misses of that, for BodyBalance; h = m (1 + dt air damping).
struct MissingSpringMomentum {
  Vec3 gravity;                      ///< [m/s^2]
  float dt;                          ///< [s]
  View<const float> mass;            ///< [kg] m
  View<const float> effective_mass;  ///< [kg] h, 0 = fixed
  View<const Vec3> start;            ///< [m/s] v0
  View<const Vec3> u;                ///< [m/s] solution
  MERGANSER_METHOD Vec3d missing(int i) const {
    const Vec3d free_change = double(dt) * to_double(gravity);
    const double m = mass[i], h = effective_mass[i];
    return m * free_change - (h - m) * to_double(start[i]) - h * to_double(u[i]);
  }
};

/// Elastic energy [J]: half of k (L - L0)^2 / 2 at either end of a spring.
struct ElasticEnergy {
  static constexpr const char* name = "mass-spring energy";
  View<const Vec3> position;
  SpringListView springs;
  MERGANSER_METHOD double operator()(int i) const {
    double energy = 0;
    for (int s = springs.first[i]; s < springs.first[i + 1]; ++s) {
      const double stretch =
          norm(to_double(position[springs.neighbor[s]]) - to_double(position[i])) - springs.rest_length[s];
      energy += 0.25 * double(springs.stiffness[s]) * stretch * stretch;
    }
    return energy;
  }
};

MERGANSER_END
