#pragma once
/// Viscosity between fluids and the solids in their pressure solve.
#include "solvers/linear/krylov/solve_state.h"
#include "solvers/methods/dfsph/row_pairs.h"
#include "solvers/methods/fluid/central_viscosity.h"

MERGANSER_BEGIN

/// Of the particles of a pressure solve.
struct SolidDragOf {
  /// [Pa s] mu of fluid; [1/m] minus the mean curvature H of solids, which is not 0; 0: takes no part
  View<const float> viscosity;
  View<const float> mobility;  ///< [m^3/kg] V/m
  float dt;                    ///< [s]
};

/// Pairs of fluid and solid, which does not slip, with their coefficient [N s/m^3]
///   k_ij = 2 mu V^2 w(r) (1 + 3/2 H r/2):   f_ij = -k_ij (v_ij.x_ij) x_ij
/// is twice the pair force within a fluid (CentralViscosity): behind its surface,
/// half way between the particles, the solid continues the fluid's velocity antisymmetrically (Morris, Fox,
/// Zhu 1997). It acts along the line of centres, opposite on both, so momentum and angular momentum are kept.
/// Stokes' flow past a ball is 1 - 3/2 H y behind its tangent where it is y away from the surface.
template <class Kernel>
struct SolidFluidPairs {
  RowPairs<Kernel> pairs;
  View<const float> viscosity;  ///< [Pa s] see SolidDragOf
  CentralViscosity central;

  /// visit(j, x_i - x_j, k_ij, r^2). Images of walls are no part of it.
  template <class Visit>
  MERGANSER_METHOD void for_each(int i, const Visit& visit) const {
    const float own = viscosity[i];
    if (own == 0) return;
    const int length = pairs.rows.length[i];
    for (int k = 0; k < length; ++k) {
      const int j = pairs.rows.neighbor(i, k);
      if (j >= viscosity.count || !(own * viscosity[j] < 0)) continue;
      const float mu = own > 0 ? own : viscosity[j], curvature = -(own > 0 ? viscosity[j] : own);
      Vec3 d = pairs.place(i) - pairs.place(j);
      pairs.image.apply(d);
      const float r2 = norm_squared(d);
      const float r = square_root(r2);
      visit(j, d, 2 * mu * pairs.volume * central.weight(r) * (1 + 0.75f * curvature * r), r2);
    }
  }
};

/// dt sum_j k_ij r^2/m_i: by which share a step would change the velocities of a particle that is free.
template <class Kernel>
struct SolidDragRate {
  static constexpr const char* name = "dfsph solid drag rate";
  SolidFluidPairs<Kernel> solid_fluid;
  View<const float> mobility;  ///< [m^3/kg] V/m
  float dt;                    ///< [s]
  View<float> rate;            ///< written
  MERGANSER_METHOD void operator()(int i) const {
    float sum = 0;
    solid_fluid.for_each(i, [&](int, const Vec3&, float k, float r2) { sum += k * r2; });
    rate[i] = dt * sum * (mobility[i] / solid_fluid.pairs.volume);
  }
};

/// dt/m_i sum_j k_ij x_ij x_ij^T: the block on the diagonal of an implicit step.
template <class Kernel>
struct SolidDragBlocks {
  static constexpr const char* name = "dfsph solid drag blocks";
  SolidFluidPairs<Kernel> solid_fluid;
  View<const float> mobility;    ///< [m^3/kg] V/m
  float dt;                      ///< [s]
  View<SymmetricMatrix3> block;  ///< written
  MERGANSER_METHOD void operator()(int i) const {
    SymmetricMatrix3 sum = scaled_identity(0);
    const float scale = dt * (mobility[i] / solid_fluid.pairs.volume);
    solid_fluid.for_each(i, [&](int, const Vec3& d, float k, float) { sum += outer_product(d, scale * k); });
    block[i] = sum;
  }
};

/// f_i = sum_j s_ij f_ij. With rates (an explicit step) s_ij = min(1, 3/2/max(rate_i, rate_j)), so that no
/// step overshoots, whatever mu is: the greatest eigenvalue of a particle's block is about half of its trace,
/// and that of the whole matrix at most twice as much. A rigid body moves less than its particles would by
/// themselves. Without rates (the product of an implicit step) s_ij = 1.
template <class Kernel>
struct SolidDrag {
  static constexpr const char* name = "dfsph solid drag";
  SolidFluidPairs<Kernel> solid_fluid;
  View<const Quad> velocity;   ///< [m/s]
  View<const float> mobility;  ///< [m^3/kg] V/m
  View<const float> rate;      ///< may be empty
  float dt;                    ///< [s]
  SolveProgress progress;
  View<Quad> acceleration;  ///< [m/s^2] f/m, written
  View<Vec3> impulse;       ///< [N s] dt f is added; may be empty
  MERGANSER_METHOD void operator()(int i) const {
    if (progress.stopped()) return;
    const Quad& own = velocity.data[i];
    Vec3 force{0, 0, 0};
    solid_fluid.for_each(i, [&](int j, const Vec3& d, float k, float) {
      const Quad& other = velocity.data[j];
      const float along = (own.x - other.x) * d.x + (own.y - other.y) * d.y + (own.z - other.z) * d.z;
      force -= d * (share(i, j) * k * along);
    });
    const Vec3 a = force * (mobility[i] / solid_fluid.pairs.volume);
    acceleration[i] = {a.x, a.y, a.z, 0};
    if (!impulse.empty()) impulse[i] += dt * force;
  }

 private:
  static constexpr float most_rate = 1.5f;
  MERGANSER_METHOD float share(int i, int j) const {
    if (rate.empty()) return 1;
    const float fastest = rate[i] > rate[j] ? rate[i] : rate[j];
    return fastest > most_rate ? most_rate / fastest : 1.0f;
  }
};

MERGANSER_END
