#pragma once
/// One step of a relaxation: [ES] eq. 31-37. Densities are in rest densities, so that m = V = d^3; W is the
/// cubic spline of support 2 d.
///
/// What is outside of the solid counts as filled: its share of each kernel, lambda, is that of volume maps
/// (solvers/coupling/boundary), so that rho_i = V sum_j W_ij + lambda_i and the pressure of particle i acts
/// against it. [ES] has the particles alone. With as many of them as the volume asks for, densities beside
/// the surface would stay below 1, and negative pressures would pull the layers there together.
#include "device/uniform_grid.h"
#include "solvers/core/smoothing_kernels.h"
#include "solvers/geometry/relaxation/filled_solid.h"

MERGANSER_BEGIN

/// Particles in the order of the grid's buckets, which is their order from here on.
struct RelaxationPairs {
  UniformGridView grid;
  FilledSolidView solid;
  CubicSpline<float> kernel;
  float spacing;  ///< [m] d

  MERGANSER_METHOD float volume() const { return spacing * spacing * spacing; }
  MERGANSER_METHOD float support() const { return 2 * spacing; }
  /// Calls visit(j, x_i - x_j, |x_i - x_j|).
  template <class Visit>
  MERGANSER_METHOD void for_each_other(int i, const Visit& visit) const {
    grid.for_each_neighbor(grid.position[i], support(), [&](int j, const Vec3& d, float r2) {
      if (j != i) visit(j, d, sqrtf(r2));
    });
  }
  /// (x_i - x_j)/r. Two that have met in a tip part along any line.
  MERGANSER_METHOD Vec3 direction(int i, int j, const Vec3& d, float r) const {
    if (r > 1e-4f * spacing) return d * (1 / r);
    return i < j ? Vec3{0.6f, 0.48f, 0.64f} : Vec3{-0.6f, -0.48f, -0.64f};
  }
};

/// Density (eq. 32), the particle's stiffness (eq. 34) as kappa_i/rho_i [m^2], and the gradient of lambda.
struct RelaxationDensity {
  static constexpr const char* name = "relaxation density";
  RelaxationPairs pairs;
  View<float> density, stiffness;  ///< written
  View<Vec3> outside;              ///< [1/m] written

  MERGANSER_METHOD void operator()(int i) const {
    const float volume = pairs.volume();
    float sum = pairs.kernel.value(0.0f), squares = 0;
    Vec3 gradient{0, 0, 0}, of_outside{0, 0, 0};
    pairs.for_each_other(i, [&](int, const Vec3& d, float r) {
      const Vec3 g = d * (volume * pairs.kernel.gradient_factor(r));
      sum += pairs.kernel.value(r);
      gradient += g;
      squares += norm_squared(g);
    });
    float share = 0;
    for_each_near_wall(pairs.solid.walls, pairs.solid.fill, pairs.grid.position[i],
                       [&](const Wall&, const WallShare& wall) {
                         share += 1 - wall.open;
                         of_outside += wall.normal * wall.slope;
                       });
    const float rho = volume * sum + share, both = norm_squared(gradient + of_outside) + squares;
    density[i] = rho;
    stiffness[i] = both > 0 ? (rho - 1) / both : 0.0f;
    outside[i] = of_outside;
  }
};

/// The displacement (eq. 31): pressure (eq. 33), cohesion (eq. 35) and adhesion (eq. 36).
struct RelaxationDisplacement {
  static constexpr const char* name = "relaxation displacement";
  RelaxationPairs pairs;
  float cohesion, adhesion;  ///< beta, gamma
  View<const float> density, stiffness;
  View<const Vec3> outside;
  View<Vec3> displacement;  ///< [m] written

  MERGANSER_METHOD void operator()(int i) const {
    const float volume = pairs.volume(), own = stiffness[i];
    Vec3 sum = outside[i] * -own;
    pairs.for_each_other(i, [&](int j, const Vec3& d, float r) {
      sum -= d * (volume * (own + stiffness[j]) * pairs.kernel.gradient_factor(r));
      sum -= pairs.direction(i, j, d, r) *
             (cohesion * volume / density[j] * (r - pairs.spacing) * pairs.kernel.value(r));
    });
    const WallDistance at = pairs.solid.depth(pairs.grid.position[i]);
    if (fabsf(at.distance) < pairs.support())  // x_i - x_s is the depth along the way inwards
      sum -=
          at.normal * (adhesion * volume / density[i] * at.distance * pairs.kernel.value(fabsf(at.distance)));
    displacement[i] = sum;
  }
};

struct DisplacementLength {
  static constexpr const char* name = "relaxation longest displacement";
  View<const Vec3> displacement;  ///< [m]
  MERGANSER_METHOD float operator()(int i) const { return norm(displacement[i]); }
};

/// Positions of the next step (eq. 37). The longest way is `longest`; shorter ones are not made longer, or
/// the particles would never come to rest. What is less than a radius deep then touches the surface.
struct RelaxationMove {
  static constexpr const char* name = "relaxation move";
  FilledSolidView solid;
  float damping;               ///< of all displacements
  float longest;               ///< [m]
  View<const float> greatest;  ///< [m] of all displacements
  View<const Vec3> displacement, from;
  View<Vec3> position;  ///< [m] written
  View<float> moved;    ///< [m^2] written
  MERGANSER_METHOD void operator()(int i) const {
    const float most = damping * greatest[0], scale = damping * (most > longest ? longest / most : 1.0f);
    position[i] = solid.touching(from[i] + displacement[i] * scale);
    moved[i] = norm_squared(position[i] - from[i]);
  }
};

MERGANSER_END
