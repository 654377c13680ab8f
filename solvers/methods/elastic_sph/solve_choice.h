#pragma once
/// Choice of the preconditioner of elastic bodies: block Jacobi or the factored constant matrix.
///
/// Decided by counts alone, never by the clock: runs have the same bits on any machine and after a resume.
/// While block Jacobi solves, what it costs beyond the factor is added up (savings are taken off, down to
/// zero). Once that sum exceeds the factor's set-up, the factor takes over: whatever comes, no more is spent
/// than about twice the least possible (the rent-or-buy rule; Karlin et al. 1988, Competitive snoopy
/// caching). While the factor solves, every 50th step tries block Jacobi with as many iterations as the
/// factor costs. Where it ends a fifth below that, it takes over again.
#include <string>

#include "device/backend.h"
#include "solvers/base/state_archive.h"
#include "solvers/linear/krylov/solve_state.h"

MERGANSER_BEGIN

/// In times to read one number of a factor in both sweeps of a solve (0.33 ns, one thread of a Xeon).
struct SolveCosts {
  double blocks_iteration;  ///< a whole product and vectors
  double factor_iteration;  ///< a known product, vectors, and the factor's sweeps
  double setup;             ///< of the factor
  double growth = 1;        ///< iterations with this factor over those with the exact one

  /// Of `particles` with `slots` blocks of eight neighbors; `numbers` of all factors, `swept` of them read in
  /// a solve, those of copies more than once; known_products: of directions of a solve by the factor;
  /// in_parts: matrices are cut.
  static SolveCosts of(double particles, double slots, double numbers, double swept, bool known_products,
                       bool in_parts);
};
/// Of a factor that several bodies share: half of a solve is reading it, once for all.
inline double swept_numbers(double numbers, int copies) { return numbers * (0.5 + 0.5 * copies); }

class SolveChoice {
 public:
  /// A system's lambda / mu; the tolerance of its solves.
  SolveChoice(const SolveCosts& costs, double lambda_over_mu, double tolerance);

  /// A step begins: what it takes is decided.
  void begin_step();
  bool by_factor() const { return by_factor_; }
  /// The factor is wanted and not there: set_up() or refuse() has to follow.
  bool wants_factor() const { return (by_factor_ || restored_) && !set_up_; }
  /// Iterations after which block Jacobi gives way to the factor within a solve.
  int most_iterations(int cap) const;
  /// Block Jacobi gives way within a solve: the factor, which is set up, takes over from now on.
  void take_factor();
  /// There is a factor, with these costs.
  void set_up(const SolveCosts& costs);
  /// There will be none.
  void refuse();
  /// Takes account of a solve that has ended.
  void count(bool by_factor, const LinearSolveResult& result);

  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);

 private:
  void favor_factor();
  /// Of a solve that went so by block Jacobi.
  double factor_cost(const LinearSolveResult& result) const;

  SolveCosts expected_;  ///< before anything is factored
  SolveCosts costs_;
  double tolerance_;
  double rate_;                 ///< iterations that the exact factor takes to halve a residual
  double excess_ = 0;           ///< of block Jacobi's costs over the factor's
  double factor_solve_ = 0;     ///< cost of a solve by the factor, mean of the last ones
  int until_trial_ = 0;         ///< steps
  bool set_up_ = false;         ///< the factor is there
  bool restored_ = false;       ///< it was, in the run that this one goes on with
  bool favors_factor_ = false;  ///< from step to step
  bool by_factor_ = false;      ///< this step
};

MERGANSER_END
