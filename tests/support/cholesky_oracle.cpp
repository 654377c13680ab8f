#include "tests/support/cholesky_oracle.h"

#include <algorithm>
#include <cmath>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>
#include <random>

namespace merganser::test {
namespace {

Eigen::VectorXd side(const std::vector<float>& values, int right_sides, int k) {
  Eigen::VectorXd result(static_cast<Eigen::Index>(values.size()) / right_sides);
  for (Eigen::Index i = 0; i < result.size(); ++i) result[i] = values[size_t(i * right_sides + k)];
  return result;
}

}  // namespace

std::vector<float> random_sides(int rows, int right_sides) {
  std::mt19937 engine(11);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(size_t(rows) * size_t(right_sides));
  for (float& value : values) value = uniform(engine);
  return values;
}

struct CholeskyOracle::Factored {
  Eigen::SparseMatrix<double> matrix;  ///< its lower triangle
  bool large = false;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor;
  Eigen::ConjugateGradient<Eigen::SparseMatrix<double>, Eigen::Lower> iterative;

  Factored(const std::vector<std::int64_t>& first, const std::vector<int>& column,
           const std::vector<double>& value) {
    const int rows = static_cast<int>(first.size()) - 1;
    matrix.resize(rows, rows);
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < rows; ++i)
      for (auto e = size_t(first[size_t(i)]); e < size_t(first[size_t(i) + 1]); ++e)
        entries.emplace_back(i, column[e], value[e]);
    matrix.setFromTriplets(entries.begin(), entries.end());
    large = rows > 6000;
    if (large)
      iterative.setTolerance(1e-13).compute(matrix);
    else
      factor.compute(matrix);
  }
  Eigen::SparseMatrix<double> whole() const { return matrix.selfadjointView<Eigen::Lower>(); }
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const {
    if (large) return iterative.solve(b);
    return factor.solve(b);
  }
};

CholeskyOracle::CholeskyOracle(const std::vector<std::int64_t>& first, const std::vector<int>& column,
                               const std::vector<double>& value)
    : factored_(std::make_unique<Factored>(first, column, value)) {}
CholeskyOracle::~CholeskyOracle() = default;

double CholeskyOracle::error(const std::vector<float>& b, const std::vector<float>& x,
                             int right_sides) const {
  double worst = 0;
  for (int k = 0; k < right_sides; ++k) {
    const Eigen::VectorXd exact = factored_->solve(side(b, right_sides, k));
    worst = std::max(worst, (side(x, right_sides, k) - exact).norm() / exact.norm());
  }
  return worst;
}
double CholeskyOracle::residual(const std::vector<float>& b, const std::vector<float>& x,
                                int right_sides) const {
  double worst = 0;
  const Eigen::SparseMatrix<double> whole = factored_->whole();
  const double scale = whole.diagonal().maxCoeff();
  for (int k = 0; k < right_sides; ++k) {
    const Eigen::VectorXd bk = side(b, right_sides, k), xk = side(x, right_sides, k);
    worst = std::max(worst, (bk - whole * xk).norm() / (scale * xk.norm() + bk.norm()));
  }
  return worst;
}
double CholeskyOracle::condition() const {
  const Eigen::SparseMatrix<double> whole = factored_->whole();
  Eigen::VectorXd high = side(random_sides(static_cast<int>(whole.rows()), 1), 1, 0), low = high;
  double largest = 0, smallest = 0;
  for (int i = 0; i < (factored_->large ? 20 : 60); ++i) {
    high = whole * high.normalized();
    low = factored_->solve(low.normalized());
    largest = high.norm(), smallest = 1 / low.norm();
  }
  return largest / smallest;
}

}  // namespace merganser::test
