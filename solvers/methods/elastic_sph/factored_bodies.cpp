#include "solvers/methods/elastic_sph/factored_bodies.h"

#include <algorithm>
#include <chrono>

#include "device/launch.h"
#include "solvers/methods/elastic_sph/solve_choice.h"

MERGANSER_BEGIN

namespace {
/// Rows of all copies of a body -> right sides, three numbers a copy.
struct PackRows {
  static constexpr const char* name = "elastic pack rows";
  View<const int> particle;
  View<const Vec3> rows;
  View<float> sides;
  MERGANSER_METHOD void operator()(int k) const {
    const Vec3 v = rows[particle[k]];
    sides[3 * k] = v.x, sides[3 * k + 1] = v.y, sides[3 * k + 2] = v.z;
  }
};
struct UnpackRows {
  static constexpr const char* name = "elastic unpack rows";
  View<const int> particle;
  View<const float> effective_mass, sides;
  View<Vec3> rows;
  MERGANSER_METHOD void operator()(int k) const {
    const int i = particle[k];
    rows[i] = effective_mass[i] > 0 ? Vec3{sides[3 * k], sides[3 * k + 1], sides[3 * k + 2]} : Vec3{0, 0, 0};
  }
};
struct ClearRows {
  static constexpr const char* name = "elastic clear rows";
  View<Vec3> rows;
  MERGANSER_METHOD void operator()(int i) const { rows[i] = {0, 0, 0}; }
};
/// make() of it; what it throws of rows names their body.
template <class Make>
auto factored(const SharedMatrix& unique, const RestShape& shape, const Make& make) {
  try {
    return make();
  } catch (const NotPositiveDefinite& error) {
    throw FactorFailed(shape.body_of[size_t(unique.copies[0][size_t(error.row)])], error.what());
  }
}
}  // namespace

FactorFailed::FactorFailed(int body, const std::string& what)
    : InputError(what.substr(0, what.find(';')) +
                 "; youngsModulus or alpha is too large for density0 and the step (elasticTimeStep, "
                 "timeStepSize) in 64-bit numbers: lower them, or use \"solve\": \"conjugateGradient\""),
      body(body) {}

FactoredBodies::FactoredBodies(const RestShape& shape, const ParticleStore& store, Range range,
                               const FactorOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  std::vector<SharedMatrix> shared = share_matrices(shape, store, range, options, figures_.approximate);
  int most_sides = 0;
  for (SharedMatrix& unique : shared) {
    const int rows = unique.matrix.rows(), copies = static_cast<int>(unique.copies.size());
    const std::vector<Point3> positions = rest_positions(shape, unique.copies[0]);
    long long left = 0;
    if (options.memory_limit > 0) {
      left = static_cast<long long>(options.memory_limit) - figures_.bytes;
      if (left <= 0) throw FactorTooLarge(figures_.bytes, static_cast<long long>(options.memory_limit));
    }
    std::vector<int> particle;
    for (int r = 0; r < rows; ++r)
      for (const std::vector<int>& copy : unique.copies) particle.push_back(copy[size_t(r)]);
    const int blocks = static_cast<int>(unique.blocks.size());
    figures_.bodies += copies * blocks;
    figures_.factors += blocks;
    most_sides = std::max(most_sides, 3 * static_cast<int>(particle.size()));
    Factor factor{{}, {}, {}, Array<int>(particle), copies};
    const bool inverted = unique.parts.empty() && ExplicitInverse::worthwhile(rows, 3 * copies);
    const FactorStorage storage = inverted ? FactorStorage::single : options.storage;
    const auto count = [&](const auto& solver) {
      figures_.nonzeros += solver.setup_metrics().nonzeros;
      figures_.bytes += solver.setup_metrics().bytes;
      figures_.swept += swept_numbers(double(solver.setup_metrics().stored_nonzeros), copies);
    };
    if (!unique.parts.empty()) {
      factor.in_parts = factored(unique, shape, [&] {
        return TwoLevelSolver(unique.matrix, positions,
                              {.first = unique.parts, .memory_limit = left, .storage = storage});
      });
      count(*factor.in_parts);
      figures_.parts += factor.in_parts->setup_metrics().parts;
    } else {
      Cholesky cholesky = factored(unique, shape, [&] {
        return Cholesky(unique.matrix, positions,
                        {.memory_limit = left, .blocks = unique.blocks, .storage = storage});
      });
      if (inverted) {
        factor.inverse.emplace(cholesky);
        figures_.nonzeros += cholesky.setup_metrics().nonzeros;
        figures_.swept += swept_numbers(double(factor.inverse->bytes()) / 8, copies);
        solution_.resize(std::max(solution_.size(), 3 * factor.particle.size()));
        figures_.bytes += factor.inverse->bytes();
        ++figures_.inverses;
      } else {
        count(cholesky);
        factor.cholesky.emplace(std::move(cholesky));
      }
    }
    unique.matrix = {};
    factors_.push_back(std::move(factor));
  }
  sides_.resize(most_sides + ExplicitInverse::padding);
  figures_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

void FactoredBodies::solve(View<const Vec3> right_side, View<const float> effective_mass,
                           View<Vec3> solution) {
  launch(solution.count, ClearRows{solution});
  for (Factor& factor : factors_) {
    const int rows = factor.particle.size();
    const View<float> sides = sides_.view().subview(0, 3 * rows);
    launch(rows, PackRows{factor.particle.view(), right_side, sides});
    View<float> solved = sides;
    if (factor.inverse)
      factor.inverse->solve(sides, solved = solution_.view(), 3 * factor.copies);
    else if (factor.in_parts)
      factor.in_parts->solve(sides, sides, 3 * factor.copies);
    else
      factor.cholesky->solve(sides, sides, 3 * factor.copies);
    launch(rows, UnpackRows{factor.particle.view(), effective_mass, solved, solution});
  }
}

MERGANSER_END
