#pragma once
/// Implicit viscosity (Weiler, Koschier, Brand, Bender 2018, "A physically consistent implicit viscosity
/// solver for SPH fluids").
///
/// Velocities at the end of the step obey v - dt (mu/rho) lap v = v*, with a Laplacian of their form (eq. 7)
/// and other weights, CentralViscosity,
///   lap v_i = -sum_j (m_j/rho_j) w(r_ij) (v_ij . x_ij) x_ij,
/// and rho_i of the particle itself. All particles weigh the same, so the matrix is symmetric; pair forces
/// act along x_ij and are opposite, so momentum and angular momentum are kept. It is solved by conjugate
/// gradients with 3 x 3 blocks of the diagonal as preconditioner, from v* plus the last step's change. The
/// result is v* plus the forces of the solution, which keeps momentum whatever the solve's tolerance is.
#include "solvers/core/wall_loads.h"
#include "solvers/coupling/boundary/wall_volume_map.h"
#include "solvers/linear/krylov/conjugate_gradient.h"
#include "solvers/methods/fluid/forces/fluid_forces_parameters.h"
#include "solvers/methods/fluid/forces/packed_fluid.h"
#include "solvers/methods/fluid/forces/viscosity_terms.h"

MERGANSER_BEGIN

/// The matrix for ConjugateGradient.
struct ViscosityOperator {
  const PackedFluid& fluid;
  float h;  ///< [m]
  ViscosityPair viscosity;
  View<const SymmetricMatrix3> wall_block;
  void multiply(SolveProgress progress, View<const Vec3> x, View<Vec3> y) const;
};

class ImplicitViscosity {
 public:
  /// mass and h of the fluid's particles [kg], [m].
  ImplicitViscosity(const FluidForcesParameters& parameters, double density0, float mass, float h);

  /// Replaces v* by the velocity [m/s] after the step dt [s]; one a particle, in the order of the grid.
  /// Blocking.
  void apply(const PackedFluid& fluid, float dt, View<Vec3> velocity);
  /// The parts of apply() for a solve in which solids take part: prepare() makes matrix(), its
  /// inverse blocks and the right side; finish() takes the solution [m/s] and its residual.
  void prepare(const PackedFluid& fluid, float dt, View<const Vec3> velocity);
  ViscosityOperator matrix(const PackedFluid& fluid);
  View<const SymmetricMatrix3> inverse_block() const { return inverse_block_.const_view(); }
  View<const Vec3> right_side() const { return right_side_.const_view(); }
  LinearSolveLimits limits() const;
  void finish(const PackedFluid& fluid, const LinearSolveResult& solved, View<const Vec3> solution,
              View<const Vec3> residual, View<Vec3> velocity);
  /// From now on apply() sums what walls with names get.
  void measure(const std::vector<WallParameters>& walls) { loads_ = WallLoads(walls); }
  WallLoad wall_load(int k) const { return loads_.fetched(k); }

  /// What the last step added to velocities [m/s], with which the next solve starts.
  Array<Vec3>& change() { return change_; }
  const Array<Vec3>& change() const { return change_; }
  const LinearSolveResult& last_solve() const { return solved_; }

 private:
  WallDrag drag() const { return {.scale = -2 * dt_ * wall_nu_, .least_distance = 0.25f * h_}; }
  void sum_wall_loads(const PackedFluid& fluid, View<const Vec3> velocity);

  FluidForcesParameters parameters_;
  float h_;
  float nu_, wall_nu_, mass_;  ///< [m^2/s], [kg]
  CentralViscosity central_;
  WallVolumeMap fill_;
  WallLoads loads_;
  float dt_ = 0;
  Array<SymmetricMatrix3> inverse_block_, wall_block_;
  Array<Vec3> right_side_, solution_, residual_, change_;
  ConjugateGradient solver_;
  LinearSolveResult solved_;
};

MERGANSER_END
