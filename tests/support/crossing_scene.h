#pragma once
/// A sheet and particles that are carried by hand.
#include "solvers/observables/crossing_counter.h"

MERGANSER_BEGIN
namespace crossing_test {

inline constexpr int n = 21;
inline constexpr float spacing = 0.1f;

inline HostParticles particles(const std::vector<Vec3>& positions, int first_id, int system) {
  HostParticles p;
  p.position = positions;
  p.velocity.assign(positions.size(), {0, 0, 0});
  p.mass.assign(positions.size(), 1);
  p.inverse_mass.assign(positions.size(), 1);
  p.radius.assign(positions.size(), 0.5f * spacing);
  p.body.assign(positions.size(), system);
  p.system.assign(positions.size(), system);
  for (size_t i = 0; i < positions.size(); ++i) p.id.push_back(first_id + static_cast<int>(i));
  return p;
}

/// System 0: a 2 m x 2 m sheet in the plane z = 0, centred at the origin; system 1: fluid particles.
struct Scene {
  ParticleStore store;
  std::vector<Triangle> triangles;
  std::vector<Vec3> sheet, fluid;

  explicit Scene(const std::vector<Vec3>& at = {{0, 0, 1}}) : fluid(at) {
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        sheet.push_back(
            {spacing * static_cast<float>(i - n / 2), spacing * static_cast<float>(j - n / 2), 0});
    for (int j = 0; j + 1 < n; ++j)
      for (int i = 0; i + 1 < n; ++i) {
        const int a = j * n + i;
        triangles.push_back({a, a + 1, a + n + 1});
        triangles.push_back({a, a + n + 1, a + n});
      }
    store.add_system(particles(sheet, 0, 0));
    store.add_system(particles(fluid, n * n, 1));
  }
  CrossingCounter counter() const { return {1, 0, triangles, spacing}; }
  void place() {
    std::vector<Vec3> all = sheet;
    all.insert(all.end(), fluid.begin(), fluid.end());
    store.position.assign(all);
  }
  void place(Vec3 x) {
    fluid = {x};
    place();
  }
  /// Passages of one particle along these positions.
  long long passages_of(const std::vector<Vec3>& path) {
    CrossingCounter follows = counter();
    for (const Vec3& x : path) {
      place(x);
      follows.update(store);
    }
    return follows.counts().passages;
  }
  /// All fluid particles go from their places by `step`; then the counts.
  CrossingCounts counts_of(const Vec3& step) {
    CrossingCounter follows = counter();
    place();
    follows.update(store);
    for (Vec3& x : fluid) x += step;
    place();
    follows.update(store);
    return follows.counts();
  }
};

}  // namespace crossing_test
MERGANSER_END
