#include "solvers/methods/elastic_sph/rest_shape.h"

#include <algorithm>
#include <cmath>

#include "device/neighbor_list.h"
#include "device/symmetric_eigen.h"
#include "solvers/core/checked_parameters.h"
#include "solvers/core/smoothing_kernels.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"

MERGANSER_BEGIN

namespace {
/// Neighbors this much closer than the support count: of a lattice whose period divides the support, rounding
/// would take some of those on its rim and not others, and they weigh next to nothing.
constexpr float within_support = 0.999f;
/// Directions in which the neighbors' second moment is below this share of the greatest are not spanned: the
/// correction would amplify rounding and noise by more than the inverse.
constexpr double least_share = 0.02;

/// Keeps pairs of one body within its support.
struct WithinSupport {
  View<const int> body;
  View<const float> support;  ///< [m] by body
  MERGANSER_METHOD bool operator()(int i, int j, const Vec3&, float r2) const {
    if (i == j || body[i] != body[j]) return false;
    const float s = support[body[i]];
    return r2 < s * s;
  }
};

std::vector<ElasticBody> elastic_bodies(const SystemState& state) {
  const auto& p = checked_parameters<ElasticSphParameters>(state);
  const std::string system = "system '" + state.name + "'";
  std::vector<ElasticBody> bodies;
  for (const ElasticMaterial& m : p.materials) {
    const std::string which = system + ", material of body " + std::to_string(m.body);
    if (m.body < 0) throw InputError(which + ": there is no such body");
    if (!(m.spacing > 0)) throw InputError(which + ": spacing must be greater than 0");
    require_in_range(ElasticMaterial::table(), &m, which);
    if (bodies.size() <= size_t(m.body)) bodies.resize(size_t(m.body) + 1);
    const double e = m.youngs_modulus, nu = m.poisson_ratio;
    bodies[size_t(m.body)] = {.smoothing_length = p.smoothing_length_factor * m.spacing,
                              .volume = m.spacing * m.spacing * m.spacing,
                              .mu = e / (2 * (1 + nu)),
                              .lambda = e * nu / ((1 + nu) * (1 - 2 * nu)),
                              .alpha = m.alpha,
                              .youngs_modulus = e,
                              .rest_shape_of = m.rest_shape_of};
  }
  for (size_t i = 0; i < state.body.size(); ++i)
    if (state.body[i] < 0 || size_t(state.body[i]) >= bodies.size() ||
        !(bodies[size_t(state.body[i])].volume > 0))
      throw InputError(system + ": body " + std::to_string(state.body[i]) + " has no material");
  return bodies;
}

/// Particles by body. Copies take their originals' rest positions. Throws InputError where a copy has not as
/// many particles as its original.
std::vector<std::vector<int>> share_rest_positions(const SystemState& state, RestShape& shape) {
  std::vector<std::vector<int>> members(shape.bodies.size());
  for (int i = 0; i < shape.count(); ++i) members[size_t(shape.body_of[size_t(i)])].push_back(i);
  for (size_t b = 0; b < members.size(); ++b) {
    const int of = shape.bodies[b].rest_shape_of;
    if (of < 0 || members[b].empty()) continue;
    if (size_t(of) >= members.size() || members[size_t(of)].size() != members[b].size())
      throw InputError("system '" + state.name + "': body " + std::to_string(b) +
                       " cannot have the rest shape of body " + std::to_string(of) +
                       ", which has not as many particles");
    for (size_t k = 0; k < members[b].size(); ++k)
      shape.position[size_t(members[b][k])] = shape.position[size_t(members[size_t(of)][k])];
  }
  return members;
}

/// Those of originals by the grid, in which copies would lie on top of them; copies' lists are the same by
/// rank within the body.
void find_neighbors(const std::vector<std::vector<int>>& members, RestShape& shape) {
  const size_t count = size_t(shape.count());
  std::vector<int> searched, body, row_of(count, -1), rank(count);
  std::vector<Vec3> position;
  for (const auto& of_body : members)
    for (size_t k = 0; k < of_body.size(); ++k) rank[size_t(of_body[k])] = static_cast<int>(k);
  for (size_t i = 0; i < count; ++i) {
    if (shape.body(int(i)).rest_shape_of >= 0) continue;
    row_of[i] = static_cast<int>(searched.size());
    searched.push_back(int(i));
    body.push_back(shape.body_of[i]);
    position.push_back(to_float(shape.position[i]));
  }
  float greatest = 0;
  std::vector<float> support;
  for (const ElasticBody& b : shape.bodies) {
    support.push_back(float(2 * b.smoothing_length) * within_support);
    greatest = std::max(greatest, support.back());
  }
  const Array<float> supports(support);
  const Array<Vec3> at(position);
  const Array<int> bodies(body);
  UniformGrid grid;
  NeighborList list;
  grid.build(at.const_view(), greatest);
  list.build(grid.view(), at.const_view(), greatest,
             WithinSupport{bodies.const_view(), supports.const_view()});
  const auto first = to_host(list.view().first), neighbor = to_host(list.view().neighbor);
  for (size_t i = 0; i < count; ++i) {
    const int of = shape.body(int(i)).rest_shape_of;
    const int row = of < 0 ? row_of[i] : row_of[size_t(members[size_t(of)][size_t(rank[i])])];
    for (int e = first[size_t(row)]; e < first[size_t(row) + 1]; ++e) {
      const int j = searched[size_t(neighbor[size_t(e)])];
      shape.neighbor.push_back(of < 0 ? j : members[size_t(shape.body_of[i])][size_t(rank[size_t(j)])]);
    }
    shape.first.push_back(static_cast<int>(shape.neighbor.size()));
  }
}

/// Drops all but the n closest neighbors of each particle; a pair stays where either end keeps it.
void keep_closest(int n, RestShape& shape) {
  std::vector<char> kept(shape.neighbor.size(), 0);
  std::vector<std::pair<double, int>> order;
  for (int i = 0; i < shape.count(); ++i) {
    order.clear();
    for (int e = shape.first[size_t(i)]; e < shape.first[size_t(i) + 1]; ++e)
      order.emplace_back(norm_squared(shape.offset(i, shape.neighbor[size_t(e)])), e);
    std::sort(order.begin(), order.end());
    for (size_t k = 0; k < std::min(order.size(), size_t(n)); ++k) {
      const int e = order[k].second, j = shape.neighbor[size_t(e)];
      const auto row = shape.neighbor.begin() + shape.first[size_t(j)],
                 end = shape.neighbor.begin() + shape.first[size_t(j) + 1];
      kept[size_t(e)] = kept[size_t(std::lower_bound(row, end, i) - shape.neighbor.begin())] = 1;
    }
  }
  std::vector<int> first{0}, neighbor;
  for (int i = 0; i < shape.count(); ++i) {
    for (int e = shape.first[size_t(i)]; e < shape.first[size_t(i) + 1]; ++e)
      if (kept[size_t(e)]) neighbor.push_back(shape.neighbor[size_t(e)]);
    first.push_back(static_cast<int>(neighbor.size()));
  }
  shape.first = std::move(first), shape.neighbor = std::move(neighbor);
}

/// In units of spacing^3, which a particle's mass is made of.
void measure_volumes(const SystemState& state, const ParticleStore& store, Range range, RestShape& shape) {
  const bool summed = checked_parameters<ElasticSphParameters>(state).volumes == ElasticVolumes::summation;
  for (int i = 0; i < shape.count(); ++i) {
    const ElasticBody& body = shape.body(i);
    const CubicSpline<double> kernel(body.smoothing_length);
    double sum = kernel.value(0.0);
    for (int e = shape.first[size_t(i)]; e < shape.first[size_t(i) + 1]; ++e) {
      const double r = norm(shape.offset(i, shape.neighbor[size_t(e)]));
      if (!(r > 1e-3 * body.smoothing_length))
        throw InputError("system '" + state.name + "': particle " +
                         std::to_string(read_back(store.id.const_view(), range.first + i)) +
                         " has the position of another particle of its body; remove one of them");
      sum += kernel.value(r);
    }
    shape.volume.push_back(summed ? 1 / (sum * body.volume) : 1.0);
  }
}

/// The inverse of sum_j V^_j gradient X_ji X_ji^T on the span of its large eigenvalues.
void correct_kernels(RestShape& shape) {
  for (int i = 0; i < shape.count(); ++i) {
    double moment[3][3] = {};
    for (int e = shape.first[size_t(i)]; e < shape.first[size_t(i) + 1]; ++e) {
      const int j = shape.neighbor[size_t(e)];
      const Vec3d d = shape.offset(i, j);
      const double x[3] = {d.x, d.y, d.z};
      const double weight = shape.volume[size_t(j)] * pair_weights(shape.body(i), norm(d)).gradient;
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) moment[a][b] += weight * x[a] * x[b];
    }
    const SymmetricEigen<3> eigen = symmetric_eigen(moment);
    const double greatest = std::max({eigen.value[0], eigen.value[1], eigen.value[2]});
    Symmetric6 inverse{}, span{};
    int spanned = 0;
    for (int k = 0; k < 3; ++k) {
      if (!(greatest > 0 && eigen.value[k] > least_share * greatest)) continue;
      ++spanned;
      for (int a = 0, at = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b, ++at) {
          const double product = eigen.vector[a][k] * eigen.vector[b][k];
          inverse[size_t(at)] += product / eigen.value[k];
          span[size_t(at)] += product;
        }
    }
    if (spanned < 3 && shape.degenerate++ == 0) shape.first_degenerate = i;
    shape.correction.push_back(inverse);
    shape.span.push_back(spanned < 3 ? span : Symmetric6{1, 0, 0, 1, 0, 1});
  }
}
}  // namespace

PairWeights pair_weights(const ElasticBody& body, double distance) {
  const CubicSpline<double> kernel(body.smoothing_length);
  return {.gradient = -body.volume * kernel.gradient_factor(distance),
          .value = body.volume * kernel.value(distance) / (distance * distance)};
}

Vec3d RestShape::gradient(int i, int j) const {
  const Vec3d x = offset(i, j);
  const Symmetric6& l = correction[size_t(i)];
  const double scale = volume[size_t(j)] * pair_weights(body(i), norm(x)).gradient;
  return scale * Vec3d{l[0] * x.x + l[1] * x.y + l[2] * x.z, l[1] * x.x + l[3] * x.y + l[4] * x.z,
                       l[2] * x.x + l[4] * x.y + l[5] * x.z};
}

RestShape::RestShape(const SystemState& state, const ParticleStore& store, Range range)
    : bodies(elastic_bodies(state)) {
  body_of = to_host(store.body.const_view().subview(range.first, range.count));
  for (const float inverse : to_host(store.inverse_mass.const_view().subview(range.first, range.count)))
    free.push_back(inverse > 0);
  std::vector<Vec3> at;
  for (const Float3& x : state.rest_position) at.push_back({x[0], x[1], x[2]});
  if (at.size() != body_of.size())
    at = to_host(store.position.const_view().subview(range.first, range.count));
  for (const Vec3& x : at) position.push_back(to_double(x));
  first.assign(1, 0);
  if (range.count == 0) return;
  find_neighbors(share_rest_positions(state, *this), *this);
  measure_volumes(state, store, range, *this);
  if (state.parameters.of<ElasticSphParameters>().closest_neighbors > 0)
    keep_closest(state.parameters.of<ElasticSphParameters>().closest_neighbors, *this);
  correct_kernels(*this);
}

MERGANSER_END
