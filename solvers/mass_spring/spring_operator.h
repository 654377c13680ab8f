#pragma once
/// Kernels of the linearized springs: coefficients once a step, then A v as often as the solver asks. Local
/// indices throughout.
#include "device/vector_math.h"
#include "solvers/mass_spring/spring_lists.h"

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
    Vec3 force{0, 0, 0};
    for (int s = springs.first[i]; s < springs.first[i + 1]; ++s) {
      const float k = springs.stiffness[s], rest = springs.rest_length[s];
      const Vec3 d = position[springs.neighbor[s]] - position[i];
      const float length = norm(d);
      const Vec3 n = normalized_or_zero(d);
      force += k * (length - rest) * n;
      const float transverse = dt * dt * k * (rest > 0 ? fmaxf(0.0f, 1 - rest / length) : 1.0f);
      const float axial = dt * k * (spring_damping + dt);
      block[s] = {sqrtf(fmaxf(0.0f, axial - transverse)) * n,
                  transverse};  // equal ones may differ by rounding
    }
    impulse[i] = dt * force;
  }
};

/// y_i = h_i v_i + sum_j B_ij (v_i - v_j), zero on fixed rows; h_i: the row's inertia [kg].
struct ApplySprings {
  static constexpr const char* name = "mass-spring operator";
  View<const int> first, neighbor;
  View<const SpringBlock> block;
  View<const float> inertia;  ///< [kg], 0 = fixed row
  View<const Vec3> v;
  View<Vec3> y;
  MERGANSER_METHOD void operator()(int i) const {
    if (!(inertia[i] > 0)) {
      y[i] = {0, 0, 0};
      return;
    }
    const Vec3 vi = v[i];
    Vec3 sum = inertia[i] * vi;
    for (int s = first[i], end = first[i + 1]; s < end; ++s) sum += block[s].times(vi - v[neighbor[s]]);
    y[i] = sum;
  }
};

/// The particle's share of its unknown's diagonal block: h_i I + sum_j B_ij over neighbors j outside i's own
/// group.
struct DiagonalBlocks {
  static constexpr const char* name = "mass-spring diagonal";
  View<const int> first, neighbor;
  View<const SpringBlock> block;
  View<const float> inertia;
  View<const int> group_of;         ///< per particle, -1 = none; empty where there are no groups
  View<SymmetricMatrix3> diagonal;  ///< [kg], written
  MERGANSER_METHOD void operator()(int i) const {
    const int group = group_of.empty() ? -1 : group_of[i];
    SymmetricMatrix3 sum = scaled_identity(inertia[i]);
    for (int s = first[i]; s < first[i + 1]; ++s)
      if (group < 0 || group_of[neighbor[s]] != group) sum += block[s].matrix();
    diagonal[i] = sum;
  }
};

/// D := D^-1, zero on fixed rows.
struct InvertDiagonal {
  static constexpr const char* name = "mass-spring invert diagonal";
  View<const float> inertia;
  View<SymmetricMatrix3> diagonal;
  MERGANSER_METHOD void operator()(int i) const {
    diagonal[i] = inertia[i] > 0 ? inverse(diagonal[i]) : scaled_identity(0);
  }
};

/// z_i = D_i^-1 r_i (block Jacobi).
struct ApplyDiagonal {
  static constexpr const char* name = "mass-spring preconditioner";
  View<const SymmetricMatrix3> inverse_diagonal;
  View<const Vec3> r;
  View<Vec3> z;
  MERGANSER_METHOD void operator()(int i) const { z[i] = inverse_diagonal[i] * r[i]; }
};

/// Elastic energy [J]: half of k (L - L0)^2 / 2 at either end of a spring.
struct ElasticEnergy {
  static constexpr const char* name = "mass-spring energy";
  using Value = double;
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
  MERGANSER_METHOD static double identity() { return 0; }
  MERGANSER_METHOD static double combine(const double& a, const double& b) { return a + b; }
};

MERGANSER_END
