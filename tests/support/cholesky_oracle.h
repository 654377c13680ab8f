#pragma once
/// Double-precision oracle of symmetric positive definite systems: Eigen's sparse Cholesky factorization, and
/// beyond a few thousand rows, where that takes minutes, Eigen's conjugate gradients to a residual of 1e-13
/// (so an error below 1e-9 up to a condition number of 1e4).
#include <cstdint>
#include <memory>
#include <vector>

namespace merganser::test {

/// Random right sides as the float solver sees them, row by row.
std::vector<float> random_sides(int rows, int right_sides);

class CholeskyOracle {
 public:
  /// Of a backend's HostSparseMatrix.
  template <class SparseMatrix>
  explicit CholeskyOracle(const SparseMatrix& lower)
      : CholeskyOracle(lower.first, lower.column, lower.value) {}
  ~CholeskyOracle();
  /// Greatest |x - A^-1 b| / |A^-1 b| of the right sides, in the 2-norm.
  double error(const std::vector<float>& b, const std::vector<float>& x, int right_sides) const;
  /// Greatest |b - A x| / (|A|_F-like scale |x| + |b|): what rounding x to float alone would leave is 6e-8.
  double residual(const std::vector<float>& b, const std::vector<float>& x, int right_sides) const;
  /// Condition number, by power iterations with A and with A^-1.
  double condition() const;

 private:
  CholeskyOracle(const std::vector<std::int64_t>& first, const std::vector<int>& column,
                 const std::vector<double>& value);
  struct Factored;
  std::unique_ptr<const Factored> factored_;
};

}  // namespace merganser::test
