#include "solvers/diagnostics/crossing_counter.h"

#include <algorithm>
#include <map>

#include "device/atomics.h"
#include "device/launch.h"

MERGANSER_BEGIN

namespace {

struct GatherSheet {
  static constexpr const char* name = "crossings gather sheet";
  View<const Vec3> position;
  View<const int> vertex;
  View<Vec3> sheet;
  int first;
  MERGANSER_METHOD void operator()(int k) const { sheet[k] = position[first + vertex[k]]; }
};

/// Area-weighted vertex normals.
struct SheetNormals {
  static constexpr const char* name = "crossings normals";
  View<const Vec3> sheet;
  View<const int> triangle_first, triangle_of_vertex, corner;
  View<Vec3> normal;
  MERGANSER_METHOD void operator()(int k) const {
    Vec3 sum{0, 0, 0};
    for (int e = triangle_first[k]; e < triangle_first[k + 1]; ++e) {
      const int t = 3 * triangle_of_vertex[e];
      const Vec3 a = sheet[corner[t]], b = sheet[corner[t + 1]], c = sheet[corner[t + 2]];
      sum += cross(b - a, c - a);
    }
    normal[k] = normalized_or_zero(sum);
  }
};

/// Barycentric weights of the point of triangle abc closest to p (Ericson, Real-Time Collision Detection,
/// sec. 5.1.5).
MERGANSER_FN Vec3 closest_weights(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const float d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp),
              d6 = dot(ac, cp);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
  const float va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return {1 - d1 / (d1 - d3), d1 / (d1 - d3), 0};
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return {1 - d2 / (d2 - d6), 0, d2 / (d2 - d6)};
  if (va <= 0 && d4 >= d3 && d5 >= d6) {
    const float w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {0, 1 - w, w};
  }
  const float s = 1 / (va + vb + vc);
  return {va * s, vb * s, vc * s};
}

struct FollowSides {
  static constexpr const char* name = "crossings follow";
  View<const Vec3> position;
  View<const int> id;
  UniformGridView grid;
  Bounds bounds;
  View<const Vec3> sheet, normal;
  View<const int> triangle_first, triangle_of_vertex, corner, border;
  float band;
  int first;
  View<signed char> side;
  View<int> count;

  MERGANSER_METHOD void operator()(int k) const {
    const Vec3 x = position[first + k];
    signed char& seen = side[id[first + k]];
    int nearest = -1;
    float nearest_distance2 = band * band;
    if (x.x > bounds.low.x - band && x.x < bounds.high.x + band && x.y > bounds.low.y - band &&
        x.y < bounds.high.y + band && x.z > bounds.low.z - band && x.z < bounds.high.z + band)
      grid.for_each_neighbor(x, band, [&](int j, const Vec3&, float r2) {
        const int vertex = grid.order[j];
        if (r2 < nearest_distance2 || (r2 == nearest_distance2 && vertex < nearest)) {
          nearest_distance2 = r2;
          nearest = vertex;
        }
      });
    if (nearest < 0 || border[nearest]) {
      seen = 0;
      return;
    }
    float best = 3e38f, offset = 0;
    for (int e = triangle_first[nearest]; e < triangle_first[nearest + 1]; ++e) {
      const int t = 3 * triangle_of_vertex[e];
      const int i = corner[t], j = corner[t + 1], l = corner[t + 2];
      const Vec3 w = closest_weights(x, sheet[i], sheet[j], sheet[l]);
      const Vec3 d = x - (w.x * sheet[i] + w.y * sheet[j] + w.z * sheet[l]);
      const float distance2 = norm_squared(d);
      if (distance2 < best) {
        best = distance2;
        offset = dot(d, w.x * normal[i] + w.y * normal[j] + w.z * normal[l]);
      }
    }
    if (fabsf(offset) < 1e-4f * band) return;  // on the sheet: the old side stands
    const signed char now = offset > 0 ? 1 : -1;
    if (seen != 0 && seen != now) atomic_add(&count[0], 1);
    seen = now;
  }
};

}  // namespace

CrossingCounter::CrossingCounter(int fluid_system, int sheet_system, const std::vector<Triangle>& triangles,
                                 float vertex_spacing)
    : fluid_system_(fluid_system), sheet_system_(sheet_system), band_(2.5f * vertex_spacing), count_(1) {
  std::map<int, int> index;  // local particle -> vertex k
  for (const Triangle& t : triangles)
    for (int corner : t) index.emplace(corner, 0);
  std::vector<int> vertex, corners;
  for (auto& [particle, k] : index) {
    k = static_cast<int>(vertex.size());
    vertex.push_back(particle);
  }
  std::map<std::pair<int, int>, int> edge_uses;
  std::vector<std::vector<int>> around(vertex.size());
  for (size_t t = 0; t < triangles.size(); ++t)
    for (int c = 0; c < 3; ++c) {
      const int k = index[triangles[t][size_t(c)]], next = index[triangles[t][size_t((c + 1) % 3)]];
      corners.push_back(k);
      around[size_t(k)].push_back(static_cast<int>(t));
      ++edge_uses[{std::min(k, next), std::max(k, next)}];
    }
  std::vector<int> border(vertex.size(), 0);
  for (const auto& [edge, uses] : edge_uses)
    if (uses == 1) border[size_t(edge.first)] = border[size_t(edge.second)] = 1;
  for (int ring = 0; ring < 2; ++ring) {
    const std::vector<int> before = border;
    for (const auto& [edge, uses] : edge_uses)
      if (before[size_t(edge.first)] || before[size_t(edge.second)])
        border[size_t(edge.first)] = border[size_t(edge.second)] = 1;
  }
  std::vector<int> first{0}, triangle_of_vertex;
  for (const auto& list : around) {
    triangle_of_vertex.insert(triangle_of_vertex.end(), list.begin(), list.end());
    first.push_back(static_cast<int>(triangle_of_vertex.size()));
  }
  vertex_.assign(vertex);
  corner_.assign(corners);
  border_.assign(border);
  triangle_first_.assign(first);
  triangle_of_vertex_.assign(triangle_of_vertex);
  position_.resize(vertex_.size());
  normal_.resize(vertex_.size());
}

void CrossingCounter::update(const ParticleStore& particles) {
  const Range fluid = particles.range(fluid_system_);
  // Ids are handed out consecutively over the whole run, so none reaches the number of particles ever made.
  if (side_.size() < particles.count()) side_.resize(particles.count());
  launch(vertex_.size(), GatherSheet{particles.position.const_view(), vertex_.const_view(), position_.view(),
                                     particles.range(sheet_system_).first});
  launch(vertex_.size(),
         SheetNormals{position_.const_view(), triangle_first_.const_view(), triangle_of_vertex_.const_view(),
                      corner_.const_view(), normal_.view()});
  grid_.build(position_.const_view(), band_);
  launch(fluid.count,
         FollowSides{particles.position.const_view(), particles.id.const_view(), grid_.view(), grid_.bounds(),
                     position_.const_view(), normal_.const_view(), triangle_first_.const_view(),
                     triangle_of_vertex_.const_view(), corner_.const_view(), border_.const_view(), band_,
                     fluid.first, side_.view(), count_.view()});
}

long long CrossingCounter::crossings() const { return read_back(count_.const_view(), 0); }

void CrossingCounter::save(StateArchive& archive, const std::string& prefix) const {
  archive.put(prefix + "/side", side_.to_host());
  archive.put(prefix + "/crossings", count_.to_host());
}
void CrossingCounter::load(const StateArchive& archive, const std::string& prefix) {
  side_.assign(archive.get<signed char>(prefix + "/side"));
  count_.assign(archive.get<int>(prefix + "/crossings"));
}

MERGANSER_END
