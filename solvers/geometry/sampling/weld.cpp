#include "solvers/geometry/sampling/weld.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace merganser {

namespace {

using WeldCell = std::array<std::int64_t, 3>;

struct WeldCellHash {
  size_t operator()(const WeldCell& cell) const {
    std::uint64_t hash = 0;
    for (const std::int64_t x : cell) hash = (hash ^ static_cast<std::uint64_t>(x)) * 0x9e3779b97f4a7c15u;
    return static_cast<size_t>(hash ^ (hash >> 32));
  }
};

/// Vertices that were kept, by cells of twice the tolerance, so that two cells an axis hold all that is near.
class KeptVertices {
 public:
  explicit KeptVertices(double tolerance) : tolerance_(tolerance) {}

  /// The first kept vertex within the tolerance of x; else -1, and x is kept under this number.
  int find_or_keep(const Point3& x, int number) {
    WeldCell low{}, high{};
    for (size_t k = 0; k < 3; ++k) {
      low[k] = cell(x[k] - tolerance_);
      high[k] = cell(x[k] + tolerance_);
    }
    int found = -1;
    for (std::int64_t i = low[0]; i <= high[0]; ++i)
      for (std::int64_t j = low[1]; j <= high[1]; ++j)
        for (std::int64_t k = low[2]; k <= high[2]; ++k) found = first_near(found, {i, j, k}, x);
    if (found >= 0) return found;
    auto& first = first_.try_emplace({cell(x[0]), cell(x[1]), cell(x[2])}, -1).first->second;
    kept_.push_back({x, first});
    first = number;
    return -1;
  }

 private:
  struct Kept {
    Point3 at;
    int next;  ///< in its cell
  };
  std::int64_t cell(double x) const {
    if (tolerance_ > 0) return static_cast<std::int64_t>(std::floor(x / (2 * tolerance_)));
    return std::bit_cast<std::int64_t>(x + 0.0);  // -0 equals 0
  }
  int first_near(int found, const WeldCell& cell, const Point3& x) const {
    const auto entry = first_.find(cell);
    for (int k = entry == first_.end() ? -1 : entry->second; k >= 0; k = kept_[size_t(k)].next) {
      const Point3& other = kept_[size_t(k)].at;
      const bool near = std::abs(x[0] - other[0]) <= tolerance_ && std::abs(x[1] - other[1]) <= tolerance_ &&
                        std::abs(x[2] - other[2]) <= tolerance_;
      if (near && (found < 0 || k < found)) found = k;
    }
    return found;
  }
  double tolerance_;
  std::vector<Kept> kept_;
  std::unordered_map<WeldCell, int, WeldCellHash> first_;
};

double longest_side(const auto& vertices) {
  double longest = 0;
  for (size_t k = 0; k < 3; ++k) {
    const auto [low, high] = std::minmax_element(vertices.begin(), vertices.end(),
                                                 [&](const auto& a, const auto& b) { return a[k] < b[k]; });
    if (low != vertices.end()) longest = std::max(longest, double((*high)[k]) - double((*low)[k]));
  }
  return longest;
}

}  // namespace

template <class Mesh>
size_t weld(Mesh& mesh, double share) {
  KeptVertices kept(share * longest_side(mesh.vertices));
  std::vector<int> number(mesh.vertices.size());
  int count = 0;
  for (size_t v = 0; v < mesh.vertices.size(); ++v) {
    const auto& at = mesh.vertices[v];
    const int found = kept.find_or_keep({double(at[0]), double(at[1]), double(at[2])}, count);
    number[v] = found >= 0 ? found : count;
    if (found < 0) mesh.vertices[size_t(count++)] = at;
  }
  const size_t merged = mesh.vertices.size() - size_t(count);
  mesh.vertices.resize(size_t(count));
  for (Triangle& t : mesh.triangles) t = {number[size_t(t[0])], number[size_t(t[1])], number[size_t(t[2])]};
  std::erase_if(mesh.triangles,
                [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
  return merged;
}

template size_t weld(TriangleMesh& mesh, double share);
template size_t weld(FileMesh& mesh, double share);

void keep_named_vertices(FileMesh& mesh) {
  constexpr int unnamed = -1, named = 0;
  std::vector<int> number(mesh.vertices.size(), unnamed);
  for (const Triangle& t : mesh.triangles)
    for (const int corner : t) number[size_t(corner)] = named;
  int count = 0;
  for (size_t v = 0; v < number.size(); ++v) {
    if (number[v] == unnamed) continue;
    mesh.vertices[size_t(count)] = mesh.vertices[v];
    number[v] = count++;
  }
  mesh.vertices.resize(size_t(count));
  for (Triangle& t : mesh.triangles)
    for (int& corner : t) corner = number[size_t(corner)];
}

}  // namespace merganser
