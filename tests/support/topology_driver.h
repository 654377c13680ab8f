#pragma once
/// Clouds for tests of topological neighborhoods, and the neighborhoods of a cloud whose particles may stand
/// in any order.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "solvers/geometry/topology/topological_neighborhoods.h"

MERGANSER_BEGIN

namespace topology_test {

constexpr float spacing = 0.1f, h = 0.12f;

/// Particles by id: positions, and bodies that are linked from the beginning.
struct Cloud {
  std::vector<Vec3> position;
  std::vector<int> body;

  int size() const { return static_cast<int>(position.size()); }
  void add(const Vec3& x, int of_body) {
    position.push_back(x);
    body.push_back(of_body);
  }
};

/// A displacement of up to 0.15 spacings that is the same in every run, so that no distance is a tie.
inline Vec3 jitter(int id) {
  const auto part = [&](int k) { return float((id * 7919 + k * 104729) % 1009) / 1009 - 0.5f; };
  return spacing * 0.3f * Vec3{part(1), part(2), part(3)};
}

inline void add_ball(Cloud& cloud, const Vec3& centre, float radius, int body) {
  const int reach = static_cast<int>(radius / spacing) + 1;
  for (int z = -reach; z <= reach; ++z)
    for (int y = -reach; y <= reach; ++y)
      for (int x = -reach; x <= reach; ++x) {
        const Vec3 p{x * spacing, y * spacing, z * spacing};
        if (norm(p) <= radius) cloud.add(centre + p + jitter(cloud.size()), body);
      }
}

inline void add_block(Cloud& cloud, const Vec3& low, const Int3& count, int body) {
  for (int z = 0; z < count.z; ++z)
    for (int y = 0; y < count.y; ++y)
      for (int x = 0; x < count.x; ++x)
        cloud.add(low + Vec3{x * spacing, y * spacing, z * spacing} + jitter(cloud.size()), body);
}

/// A graph in terms of ids.
struct Links {
  std::map<std::pair<int, int>, float> age;  ///< of the linked pairs, smaller id first
  std::map<int, float> density;
  bool symmetric = true, sorted = true;
  bool operator==(const Links&) const = default;
};

class Driver {
 public:
  /// `shuffle` 0: particles stand in the order of ids; else in another order before every update.
  explicit Driver(const Cloud& cloud, int shuffle = 0) : cloud_(cloud), shuffle_(shuffle) {
    order_.resize(size_t(cloud.size()));
    std::iota(order_.begin(), order_.end(), 0);
    reorder();
    upload();
    neighborhoods.start(particles(), h);
  }

  void update(const std::vector<Vec3>& positions, float growth) {
    cloud_.position = positions;
    const Array<int> order(reorder());
    neighborhoods.permute(order.const_view());
    upload();
    neighborhoods.update(particles(), growth, 1);
  }
  /// Appends particles of the cloud's next ids.
  void append(const std::vector<Vec3>& positions, int body) {
    for (const Vec3& x : positions) {
      order_.push_back(cloud_.size());
      cloud_.add(x, body);
    }
    neighborhoods.particles_added(static_cast<int>(positions.size()));
  }

  Links links() const {
    const auto first = to_host(neighborhoods.view().first), neighbor = to_host(neighborhoods.view().neighbor);
    const auto linked = to_host(neighborhoods.view().linked);
    const auto age = to_host(neighborhoods.view().age), density = to_host(neighborhoods.density());
    Links made;
    std::map<std::pair<int, int>, std::pair<int, float>> seen;
    for (int i = 0; i + 1 < int(first.size()); ++i) {
      const int of_i = order_[size_t(i)];
      made.density[of_i] = density[size_t(i)];
      int previous = -1;
      for (int e = first[size_t(i)]; e < first[size_t(i) + 1]; ++e) {
        const int of_j = order_[size_t(neighbor[size_t(e)])];
        made.sorted = made.sorted && of_j > previous && of_j != of_i;
        previous = of_j;
        seen[{of_i, of_j}] = {linked[size_t(e)], age[size_t(e)]};
        if (linked[size_t(e)] && of_i < of_j) made.age[{of_i, of_j}] = age[size_t(e)];
        if (!linked[size_t(e)] && age[size_t(e)] != 0) made.sorted = false;
      }
    }
    for (const auto& [pair, value] : seen) {
      const auto other = seen.find({pair.second, pair.first});
      made.symmetric = made.symmetric && other != seen.end() && other->second == value;
    }
    return made;
  }

  TopologicalNeighborhoods neighborhoods;

  FluidParticles particles() const {
    return {position_.const_view(), mass_.const_view(), id_.const_view(), body_.const_view()};
  }

 private:
  /// Turns and mixes the particles' order; returns the old place of each.
  std::vector<int> reorder() {
    const int n = static_cast<int>(order_.size());
    std::vector<int> from(static_cast<size_t>(n));
    std::iota(from.begin(), from.end(), 0);
    if (shuffle_ > 0) {
      std::sort(from.begin(), from.end(), [&](int a, int b) {
        const auto key = [&](int k) { return (order_[size_t(k)] * 7919 + shuffle_ * 31) % 1013; };
        return std::pair(key(a), a) < std::pair(key(b), b);
      });
      ++shuffle_;
    }
    std::vector<int> next;
    for (int k : from) next.push_back(order_[size_t(k)]);
    order_ = next;
    return from;
  }
  void upload() {
    std::vector<Vec3> position;
    std::vector<int> body;
    for (int id : order_) {
      position.push_back(cloud_.position[size_t(id)]);
      body.push_back(cloud_.body[size_t(id)]);
    }
    position_.assign(position);
    body_.assign(body);
    mass_.assign(std::vector<float>(order_.size(), 1.0f));
    id_.assign(order_);
  }

  Cloud cloud_;
  int shuffle_;
  std::vector<int> order_;  ///< id of each particle
  Array<Vec3> position_;
  Array<float> mass_;
  Array<int> id_, body_;
};

}  // namespace topology_test

MERGANSER_END
