#pragma once
/// Double-precision oracle of symmetric positive definite systems: Eigen's sparse Cholesky factorization, and
/// beyond a few thousand rows, where that takes minutes, Eigen's conjugate gradients to a residual of 1e-13
/// (so an error below 1e-9 up to a condition number of 1e4).
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#define EIGEN_NO_CUDA  // Eigen serves the host alone here
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>

#include "solvers/linear/cholesky/cholesky.h"

MERGANSER_BEGIN

/// Random right sides as the float solver sees them, row by row.
inline std::vector<float> random_sides(int rows, int right_sides) {
  std::mt19937 engine(11);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(size_t(rows) * size_t(right_sides));
  for (float& value : values) value = uniform(engine);
  return values;
}

class CholeskyOracle {
 public:
  explicit CholeskyOracle(const HostSparseMatrix& matrix) : matrix_(matrix.rows(), matrix.rows()) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < matrix.rows(); ++i)
      for (auto e = matrix.first[i]; e < matrix.first[i + 1]; ++e)
        entries.emplace_back(i, matrix.column[e], matrix.value[e]);
    matrix_.setFromTriplets(entries.begin(), entries.end());
    large_ = matrix.rows() > 6000;
    if (large_)
      iterative_.setTolerance(1e-13).compute(matrix_);
    else
      factor_.compute(matrix_);
  }
  /// Greatest |x - A^-1 b| / |A^-1 b| of the right sides, in the 2-norm.
  double error(const std::vector<float>& b, const std::vector<float>& x, int right_sides) const {
    double worst = 0;
    for (int k = 0; k < right_sides; ++k) {
      const Eigen::VectorXd exact = exact_solution(side(b, right_sides, k));
      worst = std::max(worst, (side(x, right_sides, k) - exact).norm() / exact.norm());
    }
    return worst;
  }
  /// Greatest |b - A x| / (|A|_F-like scale |x| + |b|): what rounding x to float alone would leave is 6e-8.
  double residual(const std::vector<float>& b, const std::vector<float>& x, int right_sides) const {
    double worst = 0;
    const Eigen::SparseMatrix<double> whole = matrix_.selfadjointView<Eigen::Lower>();
    const double scale = whole.diagonal().maxCoeff();
    for (int k = 0; k < right_sides; ++k) {
      const Eigen::VectorXd bk = side(b, right_sides, k), xk = side(x, right_sides, k);
      worst = std::max(worst, (bk - whole * xk).norm() / (scale * xk.norm() + bk.norm()));
    }
    return worst;
  }
  /// Condition number, by power iterations with A and with A^-1.
  double condition() const {
    const Eigen::SparseMatrix<double> whole = matrix_.selfadjointView<Eigen::Lower>();
    Eigen::VectorXd high = side(random_sides(static_cast<int>(matrix_.rows()), 1), 1, 0), low = high;
    double largest = 0, smallest = 0;
    for (int i = 0; i < (large_ ? 20 : 60); ++i) {
      high = whole * high.normalized();
      low = exact_solution(low.normalized());
      largest = high.norm(), smallest = 1 / low.norm();
    }
    return largest / smallest;
  }

 private:
  static Eigen::VectorXd side(const std::vector<float>& values, int right_sides, int k) {
    Eigen::VectorXd result(static_cast<Eigen::Index>(values.size()) / right_sides);
    for (Eigen::Index i = 0; i < result.size(); ++i) result[i] = values[size_t(i * right_sides + k)];
    return result;
  }
  Eigen::VectorXd exact_solution(const Eigen::VectorXd& b) const {
    if (large_) return iterative_.solve(b);
    return factor_.solve(b);
  }
  Eigen::SparseMatrix<double> matrix_;
  bool large_ = false;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor_;
  Eigen::ConjugateGradient<Eigen::SparseMatrix<double>, Eigen::Lower> iterative_;
};

MERGANSER_END
