#pragma once
/// The matrix and its Cholesky factor as sparse matrices in compressed rows, which is what libraries take:
/// alternatives to Cholesky and to products without a matrix, for the benchmark `cholesky` to time beside
/// them. Same numbers in and out as Cholesky::solve.
#include <memory>
#include <vector>

#include "solvers/linear/cholesky/cholesky.h"

MERGANSER_BEGIN

/// Compressed rows in device memory.
struct SparseRows {
  int rows = 0;
  Array<int> first;   ///< per row, one more at the end
  Array<int> column;  ///< ascending within a row
  Array<float> value;
};

/// y = A x with the assembled matrix, both triangles.
class AssembledMatrix {
 public:
  explicit AssembledMatrix(const HostSparseMatrix& lower);
  /// Number of row r, side k at [r * right_sides + k]; y is not x.
  void solve(View<const float> x, View<float> y, int right_sides) const;
  const SparseRows& matrix() const { return matrix_; }

 private:
  SparseRows matrix_;
};

#if MERGANSER_GPU_HALF
/// Library of the products and solves below: "cuSPARSE", or what stands there where the GPU is emulated.
const char* sparse_library();

/// y = A x by SpMM of cuSPARSE.
class LibraryProduct {
 public:
  /// Keeps a reference to the matrix. Throws DeviceError where the library cannot be loaded.
  explicit LibraryProduct(const SparseRows& matrix);
  ~LibraryProduct();
  /// As AssembledMatrix::solve.
  void solve(View<const float> x, View<float> y, int right_sides);

 private:
  struct Plan;
  const SparseRows& matrix_;
  std::unique_ptr<Plan> plan_;
};

/// U^-1 U^-T b for an upper triangle U by SpSM of cuSPARSE, in place.
class LibraryTriangle {
 public:
  /// Analyses U for so many right sides; keeps a reference to it. Throws DeviceError where the library cannot
  /// be loaded.
  LibraryTriangle(const SparseRows& upper, int right_sides);
  ~LibraryTriangle();
  int right_sides() const { return right_sides_; }
  /// b, then the solution; number of row r, side k at [r * right_sides + k].
  View<float> vectors() { return vectors_.view(); }
  void solve();

 private:
  struct Plan;
  const SparseRows& upper_;
  int right_sides_;
  Array<float> vectors_;
  std::unique_ptr<Plan> plan_;
};

/// x = A^-1 b with the sparse triangle U = L^T of the factor, whose zeros within supernodes are stored.
class TriangularCholesky {
 public:
  /// As Cholesky::Cholesky; FactorTooLarge where the triangle has more entries than an int counts.
  TriangularCholesky(const HostSparseMatrix& matrix, const std::vector<Point3>& rest_positions);
  /// As Cholesky::solve.
  void solve(View<const float> right_side, View<float> solution, int right_sides);
  long long bytes() const { return static_cast<long long>(upper_.column.size()) * 8; }

 private:
  SparseRows upper_;  ///< rows in the order of elimination
  Array<int> order_;  ///< per row of U: the caller's row
  std::unique_ptr<LibraryTriangle> triangle_;
};
#endif

MERGANSER_END
