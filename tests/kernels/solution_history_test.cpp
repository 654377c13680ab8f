/// The start of a solve from the last solutions (solvers/coupling/implicit/solution_history.h), for a
/// diagonal matrix that changes a little from step to step.
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/coupling/implicit/solution_history.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace solution_history_test {

constexpr int count = 300;
constexpr double dt = 2e-3;

std::vector<Vec3> times(const std::vector<Vec3>& diagonal, const std::vector<Vec3>& u) {
  std::vector<Vec3> product;
  for (size_t i = 0; i < u.size(); ++i)
    product.push_back({diagonal[i].x * u[i].x, diagonal[i].y * u[i].y, diagonal[i].z * u[i].z});
  return product;
}
/// Positive, its entries off by up to `change` in step s.
std::vector<Vec3> matrix_of_step(int s, float change) {
  std::vector<Vec3> diagonal;
  for (int i = 0; i < count; ++i)
    diagonal.push_back(Vec3{1, 2, 3} + 0.5f * random_vector(i, 1) + change * random_vector(i, 10 + s));
  return diagonal;
}
/// Swings, and so is no combination of its last ones but for a small rest.
std::vector<Vec3> solution_of_step(int s) {
  std::vector<Vec3> u;
  for (int i = 0; i < count; ++i)
    u.push_back(float(std::cos(0.1 * s)) * random_vector(i, 2) +
                float(std::sin(0.17 * s)) * random_vector(i, 3));
  return u;
}
double norm_of(const std::vector<Vec3>& a) {
  double sum = 0;
  for (const Vec3& v : a) sum += norm_squared(to_double(v));
  return std::sqrt(sum);
}

struct Guess {
  std::vector<Vec3> x, residual;
};
const std::vector<float> inertia(count, 1.5f);  // h
/// Of the system A x = b, with the products that are known or with those of A.
Guess guess(SolutionHistory& history, const std::vector<Vec3>& a, const std::vector<Vec3>& b, bool known) {
  history.directions();
  const Array<float> effective_mass(inertia);
  if (known) history.known_products(dt, effective_mass.const_view());
  for (int k = 0; k < history.size() && !known; ++k)
    copy_to_device(history.product(k).data, times(a, to_host(View<const Vec3>(history.direction(k)))).data(),
                   sizeof(Vec3) * count);
  const Array<Vec3> right_side(b);
  Array<Vec3> x(count), residual(count);
  history.combine({.representative = {}, .count = count, .reach = {}}, right_side.const_view(), x.view(),
                  residual.view());
  return {x.to_host(), residual.to_host()};
}
/// The solution of a step as long as `length` [s] with the matrix a, solved exactly.
void remember(SolutionHistory& history, const std::vector<Vec3>& solution, const std::vector<Vec3>& a,
              double length) {
  const Array<float> effective_mass(inertia);
  const Array<Vec3> u(solution), b(times(a, solution));
  Array<Vec3> nothing(count);
  nothing.zero();
  history.remember(u.const_view(), false,
                   {.right_side = b.const_view(),
                    .residual = nothing.const_view(),
                    .change = u.const_view(),
                    .walls = {},
                    .effective_mass = effective_mass.const_view(),
                    .dt = length});
}
SolutionHistory history_until(int step, float change) {
  SolutionHistory history;
  for (int s = 0; s < step; ++s) {
    remember(history, solution_of_step(s), matrix_of_step(s, change), dt);
  }
  return history;
}

/// Of one matrix what is known is what it makes of the directions.
TEST(SolutionHistory, KnownProductsOfTheSameMatrixAreExact) {
  SolutionHistory history = history_until(5, 0);
  const auto a = matrix_of_step(0, 0), b = times(a, solution_of_step(5));
  ASSERT_TRUE(history.knows_products());
  const Guess known = guess(history, a, b, true), taken = guess(history, a, b, false);
  std::vector<Vec3> apart;
  for (size_t i = 0; i < known.x.size(); ++i) apart.push_back(known.x[i] - taken.x[i]);
  EXPECT_LT(norm_of(apart), 1e-4 * norm_of(taken.x));
  EXPECT_LT(norm_of(taken.residual), 0.02 * norm_of(b));
}

/// Neither walls, which differ from step to step, nor what restored the momentum of a solution spoils what is
/// known: A without walls of the solution that is remembered. The matrix is h alone on the first rows, and
/// only these are changed by what restores the momentum.
TEST(SolutionHistory, KnownProductsAreThoseWithoutWalls) {
  constexpr int of_inertia = 40;
  std::vector<Vec3> a = matrix_of_step(0, 0);
  for (int i = 0; i < of_inertia; ++i) a[size_t(i)] = {inertia[0], inertia[0], inertia[0]};
  SolutionHistory history;
  const Array<float> effective_mass(inertia);
  for (int s = 0; s < 3; ++s) {
    const auto solved = solution_of_step(s), product = times(a, solved);
    std::vector<Vec3> balanced = solved, right_side, residual;
    std::vector<SymmetricMatrix3> walls;
    for (int i = 0; i < count; ++i) {
      const Vec3 n = random_vector(i, 20 + s);
      walls.push_back(outer_product(n, i % 3 == 0 ? 20.0f : 0.0f));
      residual.push_back(0.1f * random_vector(i, 30 + s));
      right_side.push_back(product[size_t(i)] + walls.back() * solved[size_t(i)] + residual.back());
      if (i < of_inertia) balanced[size_t(i)] += 0.5f * random_vector(i, 40 + s);
    }
    const Array<Vec3> u(balanced), change(solved), b(right_side), r(residual);
    const Array<SymmetricMatrix3> w(walls);
    history.remember(u.const_view(), false,
                     {.right_side = b.const_view(),
                      .residual = r.const_view(),
                      .change = change.const_view(),
                      .walls = w.const_view(),
                      .effective_mass = effective_mass.const_view(),
                      .dt = dt});
  }
  history.directions();
  history.known_products(dt, effective_mass.const_view());
  for (int k = 0; k < history.size(); ++k) {
    const auto wanted = times(a, to_host(View<const Vec3>(history.direction(k)))),
               found = to_host(View<const Vec3>(history.product(k)));
    for (size_t i = 0; i < wanted.size(); ++i)  // floats of the walls' 20, and differences of differences
      EXPECT_LT(norm(found[i] - wanted[i]), 3e-5) << "direction " << k << ", row " << i;
  }
}

/// Of one that changes by a hundredth the guess is hardly worse.
TEST(SolutionHistory, KnownProductsOfAnotherMatrixServeForTheCoefficients) {
  SolutionHistory history = history_until(5, 0.01f);
  const auto a = matrix_of_step(5, 0.01f), b = times(a, solution_of_step(5));
  const auto left_by = [&](const Guess& made) {
    const auto product = times(a, made.x);
    std::vector<Vec3> residual;
    for (size_t i = 0; i < b.size(); ++i) residual.push_back(b[i] - product[i]);
    return norm_of(residual) / norm_of(b);
  };
  const double taken = left_by(guess(history, a, b, false)), known = left_by(guess(history, a, b, true));
  EXPECT_LT(known, 1.5 * taken + 0.01);
}

TEST(SolutionHistory, WhereASolutionHasNoneProductsAreNotKnown) {
  EXPECT_FALSE(SolutionHistory().knows_products());
  SolutionHistory history = history_until(3, 0);
  const Array<Vec3> u(solution_of_step(4));
  history.remember(u.const_view(), false);
  EXPECT_FALSE(history.knows_products());
}

/// Of steps of other lengths they are what A = h + dt^2 K makes in the present one.
TEST(SolutionHistory, KnownProductsAreThoseOfThePresentStep) {
  const std::vector<Vec3> stiffness = matrix_of_step(0, 0);  // dt^2 K of a step of dt
  const auto matrix = [&](double length) {
    std::vector<Vec3> a = stiffness;
    const float ratio = float(length * length / (dt * dt));
    for (Vec3& entry : a) entry = ratio * entry + Vec3{1, 1, 1} * inertia[0];
    return a;
  };
  SolutionHistory history;
  const Array<float> effective_mass(inertia);
  for (int s = 0; s < 3; ++s) {
    const double length = dt * (1 + 0.3 * s);
    remember(history, solution_of_step(s), matrix(length), length);
  }
  const double now = 0.8 * dt;
  history.directions();
  history.known_products(now, effective_mass.const_view());
  for (int k = 0; k < 3; ++k) {
    const auto wanted = times(matrix(now), to_host(View<const Vec3>(history.direction(k)))),
               found = to_host(View<const Vec3>(history.product(k)));
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_LT(norm(found[i] - wanted[i]), 1e-5) << "direction " << k << ", row " << i;
  }
}

TEST(SolutionHistory, ACheckpointHasTheProducts) {
  SolutionHistory history = history_until(4, 0.01f), loaded;
  StateArchive archive;
  history.save(archive, "cloth");
  loaded.load(archive, "cloth");
  ASSERT_TRUE(loaded.knows_products());
  const auto a = matrix_of_step(4, 0.01f), b = times(a, solution_of_step(4));
  EXPECT_EQ(guess(history, a, b, true).x, guess(loaded, a, b, true).x);
}

}  // namespace solution_history_test
MERGANSER_END
