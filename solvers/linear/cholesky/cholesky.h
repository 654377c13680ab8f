#pragma once
/// Direct solution of A x = b for a symmetric positive definite sparse matrix that is factored once and
/// solved with many times ([ES] sec. 4: the constant matrix of the stretching and zero-energy terms).
///
/// Nested dissection, supernodes, and a multifrontal factorization A = L L^T in double. What is stored, in
/// float or in half precision, is for every supernode (n columns, r rows below)
///   P = [ L11^-1 ; -L21 L11^-1 ],
/// so that a solve is nothing but products of dense blocks with vectors: forward [y; u] = P b, backward
/// x = P^T [y; x_below]; see cholesky_layout.h and cholesky_solve.h. The factor's bits and the solution's do
/// not depend on the number of threads.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/array.h"
#include "device/errors.h"
#include "solvers/base/host_types.h"

MERGANSER_BEGIN

/// Lower triangle in compressed rows: row i holds columns <= i, ascending, the diagonal always there.
struct HostSparseMatrix {
  std::vector<std::int64_t> first;  ///< per row, one more at the end
  std::vector<int> column;
  std::vector<double> value;
  int rows() const { return static_cast<int>(first.size()) - 1; }
};

/// Order of the rows in which little fills in: METIS' nested dissection of the graph, or nested
/// dissection by planes through the rest positions, which takes a tenth of the time and fills in no more.
enum class CholeskyOrdering { metis, geometric };

/// Storage of the factor's numbers: in float, or in 16 bits with a power of two for each column. Half is
/// for preconditioners: a solve reads half the bytes and is exact to some 1e-3 only, yet symmetric and
/// positive definite.
enum class FactorStorage { single, half };

struct CholeskyOptions {
  CholeskyOrdering ordering = CholeskyOrdering::geometric;  ///< without rest positions METIS
  /// [bytes] of the stored factor, 0 = none. One in half precision is made from one in float.
  long long memory_limit = 0;
  /// First rows of blocks that no entry couples, ascending from 0; each is ordered by itself. None: one
  /// block.
  std::vector<int> blocks = {};
  FactorStorage storage = FactorStorage::single;
};

struct CholeskyMetrics {
  int rows = 0;
  long long nonzeros = 0;         ///< of L as the graph demands, lower triangle with diagonal
  long long stored_nonzeros = 0;  ///< numbers in the stored factor: with merged supernodes' and tiles' zeros
  long long bytes = 0;            ///< of the stored factor
  int supernodes = 0;
  int levels = 0;                                                         ///< of the supernode tree
  double ordering_seconds = 0, analysis_seconds = 0, factor_seconds = 0;  ///< analysis includes the ordering
  long long peak_bytes = 0;  ///< stored factor, fronts and the permuted matrix together at the worst moment
};

/// A pivot is not positive.
struct NotPositiveDefinite : InputError {
  NotPositiveDefinite(const std::string& what, int of_row) : InputError(what), row(of_row) {}
  int row;
};
/// The factor would take more memory than allowed: take another solver (plain conjugate gradients).
struct FactorTooLarge : DeviceError {
  FactorTooLarge(long long bytes, long long limit);
  long long bytes, limit;
};

class CholeskyFactor;

class Cholesky {
 public:
  /// `rest_positions`: one per row, or none; only the geometric ordering reads them. Throws InputError where
  /// the matrix is malformed, holds a value that is not finite, or is not positive definite (the message
  /// names the row), and FactorTooLarge before anything is factored.
  Cholesky(const HostSparseMatrix& matrix, const std::vector<Point3>& rest_positions,
           const CholeskyOptions& options);
  Cholesky(Cholesky&&) noexcept;
  Cholesky& operator=(Cholesky&&) noexcept;
  ~Cholesky();

  /// x = A^-1 b for `right_sides` vectors at once; value of row r, side k at [r * right_sides + k], rows in
  /// the caller's order. `solution` may be `right_side`.
  void solve(View<const float> right_side, View<float> solution, int right_sides);
  const CholeskyMetrics& setup_metrics() const;

 private:
  std::unique_ptr<CholeskyFactor> factor_;
};

MERGANSER_END
