#pragma once
/// Implicit viscosity of a fluid together with the solids in its pressure solve.
///
/// Velocities at the end of the step obey, with ImplicitViscosity's A and the k_ij of SolidFluidPairs,
///
///   fluid:   A v_i + dt/m_i sum_j k_ij (v_ij.x_ij) x_ij = v*_i + walls,
///   solids:  v_j + P (dt/m_j sum_i k_ij (v_ji.x_ji) x_ji) = v*_j,
///
/// where P makes accelerations those of rigid bodies; it is the projection that is orthogonal by the masses
/// of their particles. With unknowns sqrt(m/m_fluid) v the matrix is symmetric and positive definite:
/// conjugate gradients, with the 3 x 3 blocks of the diagonal as preconditioner (1 for rigid bodies, whose
/// residuals stay motions of bodies). Pair forces of the result are opposite and act along x_ij, so momentum
/// and angular momentum are kept whatever the solve's tolerance is; no step overshoots, whatever mu is.
#include "solvers/methods/dfsph/pressure_solver.h"
#include "solvers/methods/dfsph/union_kernels.h"
#include "solvers/methods/fluid/forces/implicit_viscosity.h"

MERGANSER_BEGIN

/// The particles of a pressure solve, as CoupledPressure has them.
struct UnionOfViscosity {
  DfsphPressure& pressure;
  SolidDragOf drag;             ///< mu of one fluid, 0 of the others
  float density;                ///< [kg/m^3] of the fluid at rest
  View<const int> kind;         ///< PressedKind
  View<const int> fluid_place;  ///< of the fluid's particles, in their order
  /// Makes accelerations [m/s^2] those of bodies. The first: 0 once nothing is to be changed; may be empty.
  std::function<void(View<const int>, View<Quad>)> as_bodies;
};

class CoupledViscosity {
 public:
  /// `velocity` [m/s] of the union. Writes what viscosity gives within the step as accelerations [m/s^2];
  /// those of the fluid's particles are whole, those of bodies are the last that as_bodies() was given.
  void apply(const UnionOfViscosity& all, ImplicitViscosity& viscosity, const PackedFluid& fluid,
             View<Vec3> velocity, View<Quad> acceleration);

  /// y = A x of the unknowns.
  struct Operator {
    CoupledViscosity& solve;
    const UnionOfViscosity& all;
    const ViscosityOperator& fluid;
    View<Quad> acceleration;
    void multiply(SolveProgress progress, View<const Vec3> x, View<Vec3> y) const;
  };

 private:
  void find_drag(const UnionOfViscosity& all, SolveProgress progress, bool last, View<const Vec3> velocity,
                 View<Quad> acceleration);

  Array<float> scale_;  ///< sqrt(m_fluid/m), 0 of what is held
  Array<SymmetricMatrix3> inverse_block_;
  Array<Vec3> unknown_, residual_, reference_, scaled_;  ///< of the union
  Array<Vec3> start_, own_, product_, solution_, left_;  ///< of the fluid, in its order
  ConjugateGradient solver_;
};

MERGANSER_END
