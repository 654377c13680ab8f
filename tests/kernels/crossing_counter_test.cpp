/// The crossing counter on particles that are carried through, along and around a sheet by hand.
#include "solvers/diagnostics/crossing_counter.h"

#include <gtest/gtest.h>

MERGANSER_BEGIN
namespace {

constexpr int n = 21;
constexpr float spacing = 0.1f;

/// System 0: a 2 m x 2 m sheet in the plane z = 0, centred at the origin; system 1: one fluid particle.
struct Scene {
  ParticleStore store;
  std::vector<Triangle> triangles;

  Scene() {
    HostParticles sheet, fluid;
    auto add = [](HostParticles& p, Vec3 x, int id, int system) {
      p.position.push_back(x);
      p.velocity.push_back({0, 0, 0});
      p.mass.push_back(1);
      p.inverse_mass.push_back(1);
      p.radius.push_back(0.5f * spacing);
      p.id.push_back(id);
      p.body.push_back(system);
      p.system.push_back(system);
    };
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        add(sheet, {spacing * static_cast<float>(i - n / 2), spacing * static_cast<float>(j - n / 2), 0},
            j * n + i, 0);
    for (int j = 0; j + 1 < n; ++j)
      for (int i = 0; i + 1 < n; ++i) {
        const int a = j * n + i;
        triangles.push_back({a, a + 1, a + n + 1});
        triangles.push_back({a, a + n + 1, a + n});
      }
    add(fluid, {0, 0, 1}, n * n, 1);
    store.add_system(sheet);
    store.add_system(fluid);
  }
  void place(Vec3 x) { copy_to_device(store.position.data() + n * n, &x, sizeof x); }
};

TEST(CrossingCounter, CountsAParticleThatFallsThrough) {
  Scene scene;
  CrossingCounter counter(1, 0, scene.triangles, spacing);
  for (int k = 0; k <= 40; ++k) {
    scene.place({0.033f, -0.021f, 1.0f - 0.05f * static_cast<float>(k) + 0.003f});
    counter.update(scene.store);
  }
  EXPECT_EQ(counter.crossings(), 1);
}

TEST(CrossingCounter, CountsEveryPassage) {
  Scene scene;
  CrossingCounter counter(1, 0, scene.triangles, spacing);
  for (int k = 0; k < 10; ++k) {
    scene.place({0.2f, 0.13f, k % 2 ? 0.04f : -0.04f});
    counter.update(scene.store);
  }
  EXPECT_EQ(counter.crossings(), 9);
}

TEST(CrossingCounter, IgnoresParticlesThatBounceOrGoRound) {
  Scene scene;
  CrossingCounter counter(1, 0, scene.triangles, spacing);
  for (float z : {0.5f, 0.3f, 0.1f, 0.02f, 0.001f, 0.05f, 0.2f, 0.6f}) {
    scene.place({0.3f, 0.3f, z});
    counter.update(scene.store);
  }
  // Out over the border, down and back underneath.
  for (float x = 0.3f; x < 1.4f; x += 0.05f) scene.place({x, 0, 0.06f}), counter.update(scene.store);
  for (float x = 1.4f; x > 0.0f; x -= 0.05f) scene.place({x, 0, -0.06f}), counter.update(scene.store);
  EXPECT_EQ(counter.crossings(), 0);
}

TEST(CrossingCounter, FollowsAMovingSheet) {
  Scene scene;
  CrossingCounter counter(1, 0, scene.triangles, spacing);
  scene.place({0.01f, 0.02f, 0.1f});
  counter.update(scene.store);
  auto sheet = scene.store.position.to_host();
  for (int i = 0; i < n * n; ++i) sheet[size_t(i)].z = 0.2f;  // the sheet is lifted past the particle
  scene.store.position.assign(sheet);
  scene.place({0.01f, 0.02f, 0.1f});
  counter.update(scene.store);
  EXPECT_EQ(counter.crossings(), 1);
}

TEST(CrossingCounter, KeepsItsSidesThroughACheckpoint) {
  Scene scene;
  CrossingCounter before(1, 0, scene.triangles, spacing);
  scene.place({0, 0, 0.05f});
  before.update(scene.store);
  StateArchive archive;
  before.save(archive, "crossings/0");
  CrossingCounter after(1, 0, scene.triangles, spacing);
  after.load(archive, "crossings/0");
  scene.place({0, 0, -0.05f});
  after.update(scene.store);
  EXPECT_EQ(after.crossings(), 1);
}

}  // namespace
MERGANSER_END
