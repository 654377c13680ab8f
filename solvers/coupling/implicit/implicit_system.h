#pragma once
/// Interface of an implicit system to a solve that it shares with others.
#include "solvers/core/system.h"
#include "solvers/coupling/implicit/body_balance.h"
#include "solvers/coupling/implicit/stage_rows.h"
#include "solvers/linear/krylov/conjugate_gradient.h"

MERGANSER_BEGIN

/// A part's rows: one a particle of its system, local indices.
struct PartRows {
  Range particles;  ///< of the store
  View<const float> mass,
      effective_mass;      ///< [kg] m (members of groups: scaled) and h = m + dt a m', 0 = fixed
  View<const Vec3> start;  ///< [m/s] v, velocity at the beginning of the step
  MetaParticleView groups = {};
  /// That the row's particle is in, or -1.
  MERGANSER_METHOD int group(int row) const {
    return groups.group_count > 0 ? groups.group_of[particles.first + row] : -1;
  }
};

/// A stage of a solve that a part has for itself; vectors have one Vec3 a row.
struct LoneStage {
  const StepContext& step;
  int stage;
  StageRows& rows;
  View<Vec3> u;  ///< [m/s] solution; in the second stage that of the first, updated
};
/// A part's own way from rows to solution where no other part shares the solve.
class LoneSolve {
 public:
  virtual ~LoneSolve() = default;
  virtual LinearSolveResult solve_alone(const LoneStage& stage) = 0;
  /// Restores in `balanced`, which holds u, the exact momentum of the part's bodies.
  virtual void balance_alone(const LoneStage& stage, View<Vec3> balanced) = 0;
};

/// A part whose forces f are those of an energy E that is not quadratic: the step's u makes
///   sum h |u|^2/2 - (dt m g + p).u + E(x + dt (v + u))
/// least, p [N s] impulses that do not depend on u. Vectors have one Vec3 a row.
class NonlinearPart {
 public:
  virtual ~NonlinearPart() = default;
  /// [J] that sum (blocking).
  virtual double potential(const StepContext& step, const PartRows& rows, View<const Vec3> u) = 0;
  /// residual [N s] = minus its gradient, zero on fixed rows.
  virtual void gradient(const StepContext& step, const PartRows& rows, View<const Vec3> u,
                        View<Vec3> residual) = 0;
  /// multiply() and diagonal() are those of its second derivative where the last gradient() was taken, made
  /// positive definite, from now on. (right_side() does the same.)
  virtual void take_derivative() = 0;
};

/// One linearization of backward Euler a step for the change of velocity u = v_end - v:
///   (h + dt C + dt^2 K) u = dt (f + m g - a m' v) - (dt C + dt^2 K) v
/// with the system's forces f [N], stiffness K [N/m], damping C [N s/m] and air damping a [1/s] of the
/// positions that prepare() saw, or where the first stage's unknowns would take them.
class ImplicitSystem {
 public:
  virtual ~ImplicitSystem() = default;
  virtual int system_index() const = 0;
  virtual double air_damping() const { return 0; }
  virtual double tolerance() const = 0;
  virtual int max_iterations() const = 0;
  /// [N s] Residuals are measured against |b| of all parts, but against no less than the root of the sum of
  /// the squares of these: what a solve need not tell from zero, over the tolerance.
  virtual double least_reference(const StepContext&) const { return 0; }
  /// The right side b [N s], zero on fixed rows; written.
  virtual void right_side(const StepContext& step, const PartRows& rows, View<Vec3> b) = 0;
  /// 3 x 3 diagonal blocks of dt C + dt^2 K [kg]; written.
  virtual void diagonal(double dt, View<SymmetricMatrix3> blocks) = 0;
  /// y = (h + dt C + dt^2 K) u, zero on fixed rows; written. Nothing need be done once progress.stopped().
  virtual void multiply(SolveProgress progress, double dt, const PartRows& rows, View<const Vec3> u,
                        View<Vec3> y) = 0;
  /// True: precondition() takes the place of the blocks' inverses on this part's rows. One such part makes
  /// the whole solve one with a PreconditionedConjugateGradient.
  virtual bool preconditions() const { return false; }
  /// Where it does not precondition(): iterations after which a solve by blocks that has not reached its
  /// tolerance asks it to take_over(). No more than max_iterations().
  virtual int most_iterations_by_blocks() const { return max_iterations(); }
  /// True: it preconditions() from now on, and the solve goes on so. Then a right side is asked for again.
  virtual bool take_over(const StepContext&) { return false; }
  /// How a solve went of which this part is one, whichever way; one that was taken over comes in two.
  virtual void solve_went(bool /*preconditioned*/, const LinearSolveResult&) {}
  /// z = B r with B about (h + dt C + dt^2 K)^-1 of the part's rows by themselves, h of their own mass;
  /// symmetric positive definite; zero on fixed rows; written. r and z differ.
  virtual void precondition(const PartRows&, View<const Vec3> /*r*/, View<Vec3> /*z*/) {}
  /// Adds to a launch graph's key what multiply() and multiply_known() take by value or may move.
  virtual void add_to_key(double dt, LaunchKey& key) const {
    merganser::MERGANSER_BACKEND::add_to_key(key, dt);
  }
  /// multiply() where `known`, M u with the matrix M that precondition() inverts, is at hand; for parts whose
  /// inverse is exact to rounding on rows that have no unknown in common.
  virtual void multiply_known(double dt, const PartRows& rows, View<const Vec3> u, View<const Vec3> /*known*/,
                              View<Vec3> y) {
    multiply({}, dt, rows, u, y);
  }
  /// True: the solve may start from a combination of the last steps' solutions.
  virtual bool warm_start() const { return false; }
  /// [N s] what walls gave to each row in the solve, local indices: written, and zero where no wall is near.
  /// Empty: walls act after the step alone (see implicit_walls.h).
  virtual View<Vec3> wall_impulse() { return {}; }
  /// wall_impulse() holds what a solve of the step has found.
  virtual void contact_walls(const StepContext&) {}
  /// What restores the momentum of this part's bodies in place of RestoreMomentum, or nullptr. alone: it
  /// shares the solve with no other.
  virtual BodyBalance* balance(bool /*alone*/) { return nullptr; }
  /// True: complete() is called once the solve has ended.
  virtual bool completes() const { return false; }
  /// Writes the part's rows of `balanced` from the solution u [m/s] and what its rows miss, for a part with
  /// unknowns beyond its rows. Rows of one unknown are averaged afterwards.
  virtual void complete(const StepContext&, const PartRows&, const ResidualShares&, View<const Vec3> /*u*/,
                        View<Vec3> /*balanced*/) {}
  /// Asked once complete() has been called, where it completes() and there are groups: true where what holds
  /// the part is not what its last right_side() took it for; then the stage is solved once more.
  virtual bool solve_again() { return false; }
  /// Its own way through a solve that it shares with no other, or nullptr.
  virtual LoneSolve* lone_solve() { return nullptr; }
  /// Not nullptr: where it shares the solve with no other, further linearizations follow the first.
  virtual NonlinearPart* nonlinear() { return nullptr; }
  /// How a solve of this part ended, for its statistics.
  virtual void solved(int stage, const LinearSolveResult& result) = 0;
};

MERGANSER_END
