#include "solvers/methods/elastic_sph/factored_bodies.h"

#include <algorithm>
#include <chrono>

#include "device/launch.h"
#include "solvers/linear/two_level/parts.h"
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
/// One matrix and the bodies that have it; or several such, one block after the other, each with as many
/// bodies.
struct SharedMatrix {
  HostSparseMatrix matrix;
  std::vector<std::vector<int>> copies;  ///< free particles of each body, by row
  std::vector<int> blocks = {0};         ///< first row of each
  std::vector<int> parts = {};           ///< first row of each part of a matrix that is cut, or none
};
/// Copies that were placed before they came here: their positions are rounded more coarsely far from the
/// origin, and a matrix off by this much is off by it in stiffness.
constexpr double same_matrix = 1e-3;
/// Of two matrices that are taken for one: less than what the solve in float leaves.
constexpr double exact_matrix = 1e-5;

/// What the matrix of a body follows from: the body whose rest shape it has, stiffness, by ranks within the
/// body its free particles, and their masses [kg], in the order of the rows; where its parts begin.
struct MatrixKey {
  int rest_shape;
  double mu, alpha;
  std::vector<int> free;
  std::vector<float> mass;
  std::vector<int> parts;
  bool operator==(const MatrixKey&) const = default;
};

std::vector<Point3> rest_positions(const RestShape& shape, const std::vector<int>& particles) {
  std::vector<Point3> positions;
  for (const int i : particles) {
    const Vec3d& x = shape.position[size_t(i)];
    positions.push_back({x.x, x.y, x.z});
  }
  return positions;
}

/// Rows part after part.
void cut(const RestShape& shape, int parts, std::vector<int>& particles, MatrixKey& key) {
  const RowParts made =
      cut_into_parts(rest_positions(shape, particles), std::min(parts, int(particles.size())));
  const std::vector<int> particle = particles, free = key.free;
  const std::vector<float> mass = key.mass;
  for (size_t r = 0; r < made.order.size(); ++r) {
    const size_t from = size_t(made.order[r]);
    particles[r] = particle[from], key.free[r] = free[from], key.mass[r] = mass[from];
  }
  key.parts = made.first;
}

/// Of every body that has free particles, those particles and its key.
std::vector<std::pair<std::vector<int>, MatrixKey>> free_bodies(const RestShape& shape,
                                                                const ParticleStore& store, Range range,
                                                                const std::vector<int>& parts) {
  const auto inverse_mass = to_host(store.inverse_mass.const_view().subview(range.first, range.count));
  const auto mass = to_host(store.mass.const_view().subview(range.first, range.count));
  std::vector<std::pair<std::vector<int>, MatrixKey>> bodies(shape.bodies.size());
  std::vector<int> rank(shape.bodies.size(), 0);
  for (int i = 0; i < range.count; ++i) {
    const size_t body = size_t(shape.body_of[size_t(i)]);
    const int own = rank[body]++;
    if (!(inverse_mass[size_t(i)] > 0)) continue;
    bodies[body].first.push_back(i);
    bodies[body].second.free.push_back(own);
    bodies[body].second.mass.push_back(mass[size_t(i)]);
  }
  for (size_t b = 0; b < bodies.size(); ++b) {
    const ElasticBody& body = shape.bodies[b];
    MatrixKey& key = bodies[b].second;
    key.rest_shape = body.rest_shape_of < 0 ? int(b) : body.rest_shape_of;
    key.mu = body.mu, key.alpha = body.alpha;
    if (b < parts.size() && parts[b] > 1 && bodies[b].first.size() > 1)
      cut(shape, parts[b], bodies[b].first, key);
  }
  std::erase_if(bodies, [](const auto& body) { return body.first.empty(); });
  return bodies;
}

/// Adds the number of bodies that share the matrix of others only nearly to `approximate`.
std::vector<SharedMatrix> share_matrices(const RestShape& shape, const ParticleStore& store, Range range,
                                         const FactoredBodies::Options& options, int& approximate) {
  const auto mass = to_host(store.mass.const_view().subview(range.first, range.count));
  struct Known {
    MatrixKey key;
    size_t place;  ///< in `shared`
    bool exact;
  };
  std::vector<Known> all_known;
  std::vector<SharedMatrix> shared;
  for (auto& [particles, key] : free_bodies(shape, store, range, options.parts)) {
    auto known =
        std::find_if(all_known.begin(), all_known.end(), [&](const Known& k) { return k.key == key; });
    if (known == all_known.end()) {
      HostSparseMatrix matrix = constant_matrix({shape, particles, mass, options.dt, options.control});
      const auto like = std::find_if(shared.begin(), shared.end(), [&](const SharedMatrix& of) {
        return of.parts == key.parts && nearly_equal(of.matrix, matrix, same_matrix);
      });
      const bool exact = like == shared.end() || nearly_equal(like->matrix, matrix, exact_matrix);
      known = all_known.insert(all_known.end(), {key, size_t(like - shared.begin()), exact});
      if (like == shared.end())
        shared.push_back({.matrix = std::move(matrix), .copies = {}, .parts = key.parts});
    }
    shared[known->place].copies.push_back(particles);
    approximate += !known->exact;
  }
  return shared;
}

#if MERGANSER_GPU_HALF
/// [rows] Larger matrices fill a GPU by themselves.
constexpr int most_joined_rows = 65536;

/// `next` as one more block, if both have as many copies and there is room.
bool join(SharedMatrix& known, const SharedMatrix& next) {
  const int rows = known.matrix.rows();
  if (!known.parts.empty() || !next.parts.empty()) return false;
  if (known.copies.size() != next.copies.size() || rows + next.matrix.rows() > most_joined_rows) return false;
  const std::int64_t entries = known.matrix.first.back();
  for (int i = 0; i < next.matrix.rows(); ++i)
    known.matrix.first.push_back(entries + next.matrix.first[size_t(i) + 1]);
  for (const int column : next.matrix.column) known.matrix.column.push_back(rows + column);
  known.matrix.value.insert(known.matrix.value.end(), next.matrix.value.begin(), next.matrix.value.end());
  for (size_t k = 0; k < next.copies.size(); ++k)
    known.copies[k].insert(known.copies[k].end(), next.copies[k].begin(), next.copies[k].end());
  known.blocks.push_back(rows);
  return true;
}
/// One forest for matrices that are solved by the factor, so that a level of all of them is one launch.
std::vector<SharedMatrix> joined(std::vector<SharedMatrix> shared) {
  const auto inverted = [](const SharedMatrix& m) {
    return ExplicitInverse::worthwhile(m.matrix.rows(), 3 * static_cast<int>(m.copies.size()));
  };
  std::vector<SharedMatrix> result;
  for (SharedMatrix& next : shared) {
    const bool apart = inverted(next) || std::none_of(result.begin(), result.end(), [&](SharedMatrix& known) {
                         return !inverted(known) && join(known, next);
                       });
    if (apart) result.push_back(std::move(next));
  }
  return result;
}
#endif

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
                               const Options& options) {
  const auto began = std::chrono::steady_clock::now();
  std::vector<SharedMatrix> shared = share_matrices(shape, store, range, options, figures_.approximate);
#if MERGANSER_GPU_HALF
  shared = joined(std::move(shared));
#endif
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
