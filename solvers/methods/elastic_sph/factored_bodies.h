#pragma once
/// The factored constant matrices of a system's bodies, one for all bodies that share it.
#include <optional>
#include <string>

#include "device/errors.h"
#include "solvers/linear/cholesky/explicit_inverse.h"
#include "solvers/linear/two_level/two_level_solver.h"
#include "solvers/methods/elastic_sph/shared_matrices.h"

MERGANSER_BEGIN

/// A body's matrix is not positive definite in 64-bit numbers.
struct FactorFailed : InputError {
  FactorFailed(int body, const std::string& what);
  int body;  ///< index into InitialState::bodies
};

class FactoredBodies {
 public:
  /// Factors the matrices of all free particles, see share_matrices(). Bodies that share one share its
  /// factor, and all their right sides are solved for together; on the GPU unequal ones make one forest, too.
  /// Throws FactorTooLarge and FactorFailed. Of bodies that are cut into parts, and with storage in half
  /// precision, solve() is a preconditioner and no more.
  FactoredBodies(const RestShape& shape, const ParticleStore& store, Range range,
                 const FactorOptions& options);

  /// solution = A^-1 right_side, zero on rows without effective mass; local indices.
  void solve(View<const Vec3> right_side, View<const float> effective_mass, View<Vec3> solution);

  struct Figures {
    double swept = 0;                           ///< see SolveCosts
    int bodies = 0, factors = 0, inverses = 0;  ///< inverses: factors replaced by their explicit inverse
    int approximate = 0;                        ///< bodies whose factor is that of a nearly equal matrix
    int parts = 0;                              ///< of all matrices that are cut
    long long nonzeros = 0, bytes = 0;          ///< of all factors and inverses
    double seconds = 0;                         ///< of assembly, analysis and factorization
  };
  const Figures& setup_metrics() const { return figures_; }
  /// False: the factor of some body is that of another matrix, by up to 1e-3 of its diagonal, or one in
  /// parts.
  bool exact() const { return figures_.approximate == 0 && figures_.parts == 0; }

 private:
  struct Factor {
    std::optional<Cholesky> cholesky;  ///< or, of many small bodies:
    std::optional<ExplicitInverse> inverse;
    std::optional<TwoLevelSolver> in_parts;
    Array<int> particle;  ///< of row r, copy k at [r * copies + k]
    int copies;
  };
  std::vector<Factor> factors_;
  Array<float> sides_, solution_;  ///< right sides of one factor, then the solution; of an inverse by itself
  Figures figures_;
};

MERGANSER_END
