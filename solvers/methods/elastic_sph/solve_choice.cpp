#include "solvers/methods/elastic_sph/solve_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>

MERGANSER_BEGIN

namespace {
// Measured with one thread of a Xeon (merganser benchmark elastic_regimes), see SolveCosts.
constexpr double lane = 7.5, known_lane = 3;  // a particle's place in a slot: of a product, of a known one
constexpr double vectors = 20,
                 setup_number = 170;  // a particle's vectors in an iteration; a number to factor
constexpr double parts_growth = 2.4;  // of iterations by matrices that are cut (elastic_large)

constexpr int steps_between_trials = 50;
constexpr double clear_gain = 0.8;  // of the factor's cost, below which block Jacobi returns
constexpr double patience = 8;      // solves by the factor that block Jacobi may waste where it is set up
constexpr double memory = 0.1;      // share of the last solve in the means

/// log2 but for up to 0.09, straight between powers of two: the same bits with any mathematical library.
double halvings(double ratio) {
  int exponent = 0;
  const double mantissa = std::frexp(ratio, &exponent);
  return exponent - 2 + 2 * mantissa;
}
}  // namespace

SolveCosts SolveCosts::of(double particles, double slots, double numbers, double swept, bool known_products,
                          bool in_parts) {
  const double lanes = 8 * slots;
  return {.blocks_iteration = lane * lanes + vectors * particles,
          .factor_iteration = (known_products ? known_lane : lane) * lanes + vectors * particles + swept,
          .setup = setup_number * numbers,
          .growth = in_parts ? parts_growth : 1};
}

/// Conjugate gradients on a matrix of condition kappa = 1 + 3 lambda / (2 mu) (README.md) multiply the error
/// by no more than (sqrt(kappa) - 1) / (sqrt(kappa) + 1) an iteration; they take about 0.8 of what that says.
SolveChoice::SolveChoice(const SolveCosts& costs, double lambda_over_mu, double tolerance)
    : expected_(costs), costs_(costs), tolerance_(tolerance) {
  const double root = std::sqrt(1 + 1.5 * lambda_over_mu);
  rate_ = 0.8 / halvings((root + 1) / std::max(root - 1, 1e-3));
}

void SolveChoice::begin_step() {
  by_factor_ = favors_factor_;
  if (favors_factor_ && --until_trial_ <= 0) {
    until_trial_ = steps_between_trials;
    by_factor_ = false;
  }
}

int SolveChoice::most_iterations(int cap) const {
  if (!set_up_) return cap;
  const double solves = favors_factor_ ? 1 : patience;
  return int(std::clamp(solves * factor_solve_ / costs_.blocks_iteration, 1.0, double(cap)));
}

void SolveChoice::take_factor() {
  by_factor_ = true;
  if (!favors_factor_) favor_factor();
}

void SolveChoice::favor_factor() {
  favors_factor_ = true;
  excess_ = 0;
  until_trial_ = steps_between_trials;
}

void SolveChoice::set_up(const SolveCosts& costs) {
  costs_ = costs;
  set_up_ = true;
}

void SolveChoice::refuse() {
  costs_.setup = std::numeric_limits<double>::infinity();
  excess_ = 0;
  restored_ = favors_factor_ = by_factor_ = false;
}

double SolveChoice::factor_cost(const LinearSolveResult& result) const {
  return costs_.factor_iteration * std::max(1.0, costs_.growth * rate_ * halvings(result.start / tolerance_));
}

void SolveChoice::count(bool by_factor, const LinearSolveResult& result) {
  if (result.iterations == 0 || !(result.start > tolerance_)) return;
  if (by_factor) {
    const double gained = result.residual > 0 ? halvings(result.start / result.residual) : 0;
    if (gained > 0) rate_ += memory * (result.iterations / (costs_.growth * gained) - rate_);
    const double cost = result.iterations * costs_.factor_iteration;
    factor_solve_ += (factor_solve_ > 0 ? memory : 1) * (cost - factor_solve_);
    return;
  }
  const double cost = result.iterations * costs_.blocks_iteration, other = factor_cost(result);
  if (favors_factor_) {  // a trial
    if (result.tolerance_met && cost < clear_gain * other) favors_factor_ = false;
    return;
  }
  factor_solve_ = other;
  excess_ = std::max(0.0, excess_ + cost - other);
  if (excess_ > (set_up_ ? patience * other : costs_.setup)) favor_factor();
}

void SolveChoice::save(StateArchive& archive, const std::string& prefix) const {
  archive.put(prefix + "/choice_numbers", std::vector<double>{rate_, excess_, factor_solve_});
  archive.put(prefix + "/choice",
              std::vector<std::int32_t>{until_trial_, set_up_ || restored_, favors_factor_});
}

void SolveChoice::load(const StateArchive& archive, const std::string& prefix) {
  const auto numbers = archive.get<double>(prefix + "/choice_numbers");
  const auto choice = archive.get<std::int32_t>(prefix + "/choice");
  if (numbers.size() != 3 || choice.size() != 3)
    throw FileError("checkpoint: '" + prefix + "/choice' has another size");
  rate_ = numbers[0], excess_ = numbers[1], factor_solve_ = numbers[2];
  until_trial_ = choice[0], favors_factor_ = choice[2] != 0;
  restored_ = choice[1] != 0;
  costs_ = expected_;
  set_up_ = false;  // until the factor is made again
}

MERGANSER_END
