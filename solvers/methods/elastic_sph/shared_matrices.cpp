#include "solvers/methods/elastic_sph/shared_matrices.h"

#include <algorithm>

#include "solvers/linear/cholesky/explicit_inverse.h"
#include "solvers/linear/two_level/parts.h"

MERGANSER_BEGIN

std::vector<Point3> rest_positions(const RestShape& shape, const std::vector<int>& particles) {
  std::vector<Point3> positions;
  for (const int i : particles) {
    const Vec3d& x = shape.position[size_t(i)];
    positions.push_back({x.x, x.y, x.z});
  }
  return positions;
}

namespace {
/// Copies that were placed before they came here: their positions are rounded more coarsely far from the
/// origin, and a matrix off by this much is off by it in stiffness.
constexpr double same_matrix = 1e-3;
/// Of two matrices that are taken for one: less than what the solve in float leaves.
constexpr double exact_matrix = 1e-5;

/// Data that a body's matrix follows from: the body whose rest shape it has, stiffness, by ranks within the
/// body its free particles, and their masses [kg], in the order of the rows; where its parts begin.
struct MatrixKey {
  int rest_shape;
  double mu, alpha;
  std::vector<int> free;
  std::vector<float> mass;
  std::vector<int> parts;
  bool operator==(const MatrixKey&) const = default;
};

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
  const auto mass = to_host(store.mass.const_view().subview(range.first, range.count));
  std::vector<std::pair<std::vector<int>, MatrixKey>> bodies(shape.bodies.size());
  std::vector<int> rank(shape.bodies.size(), 0);
  for (int i = 0; i < range.count; ++i) {
    const size_t body = size_t(shape.body_of[size_t(i)]);
    const int own = rank[body]++;
    if (!shape.free[size_t(i)]) continue;
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
}  // namespace

std::vector<SharedMatrix> share_matrices(const RestShape& shape, const ParticleStore& store, Range range,
                                         const FactorOptions& options, int& approximate) {
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
#if MERGANSER_GPU_HALF
  shared = joined(std::move(shared));
#endif
  return shared;
}

MERGANSER_END
