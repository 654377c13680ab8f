/// The crossing counter on particles that are carried through, along and around a sheet by hand, and against
/// brute force.
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/crossing_reference.h"
#include "tests/support/crossing_scene.h"
#include "tests/support/random_values.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace crossing_counter_test {

using namespace crossing_test;

TEST(CrossingCounter, CountsAParticleThatFallsThrough) {
  Scene scene;
  std::vector<Vec3> path;
  for (int k = 0; k <= 40; ++k)
    path.push_back({0.033f, -0.021f, 1.0f - 0.05f * static_cast<float>(k) + 0.003f});
  EXPECT_EQ(scene.passages_of(path), 1);
  EXPECT_EQ(scene.passages_of({{0.033f, -0.021f, 1}, {0.033f, -0.021f, -1}}), 1) << "in a single step";
}

TEST(CrossingCounter, CountsEveryPassage) {
  Scene scene;
  CrossingCounter counter = scene.counter();
  for (int k = 0; k < 10; ++k) {
    scene.place({0.2f, 0.13f, k % 2 ? 0.04f : -0.04f});
    counter.update(scene.store);
  }
  EXPECT_EQ(counter.counts().passages, 9);
  EXPECT_EQ(counter.counts().particles, 1);
  EXPECT_EQ(counter.counts().followed, 1);
}

TEST(CrossingCounter, IgnoresParticlesThatBounceOrGoRound) {
  Scene scene;
  std::vector<Vec3> path;
  for (float z : {0.5f, 0.3f, 0.1f, 0.02f, 0.001f, 0.05f, 0.2f, 0.6f}) path.push_back({0.3f, 0.3f, z});
  EXPECT_EQ(scene.passages_of(path), 0);
  // Out over the border, down and back underneath; at a distance, and round the edge itself.
  for (float rim : {1.4f, 1.02f, 1.0001f}) {
    path.clear();
    for (float x = 0.3f; x < rim; x += 0.05f) path.push_back({x, 0.01f, 0.001f});
    path.push_back({rim, 0.01f, 0.001f});
    path.push_back({rim, 0.01f, -0.001f});
    for (float x = rim; x > 0; x -= 0.05f) path.push_back({x, 0.01f, -0.001f});
    EXPECT_EQ(scene.passages_of(path), 0) << rim;
  }
}

/// The whole sheet is watched, to the very rim and in the corners, and nothing beyond it is.
TEST(CrossingCounter, SeesTheWholeSheetAndNothingElse) {
  std::vector<Vec3> inside, outside;
  for (float a = -0.9995f; a < 1; a += 0.0371f)
    for (float side : {-1.0f, 1.0f})
      for (float inset : {0.0005f, 0.03f, 0.07f, 0.15f, 0.25f}) {
        inside.push_back({a, side * (1 - inset), 0.01f});
        inside.push_back({side * (1 - inset), a, 0.01f});
        outside.push_back({a, side * (1 + inset), 0.01f});
        outside.push_back({side * (1 + inset), a, 0.01f});
      }
  const CrossingCounts through = Scene(inside).counts_of({0, 0, -0.02f});
  EXPECT_EQ(through.passages, static_cast<long long>(inside.size()));
  EXPECT_EQ(through.particles, static_cast<long long>(inside.size()));
  EXPECT_EQ(through.followed, static_cast<long long>(inside.size()));
  const CrossingCounts around = Scene(outside).counts_of({0, 0, -0.02f});
  EXPECT_EQ(around.passages, 0);
  EXPECT_EQ(around.followed, static_cast<long long>(outside.size()));
}

/// A path through a vertex, an edge or a diagonal belongs to several triangles and counts once.
TEST(CrossingCounter, CountsPathsThroughEdgesAndVerticesOnce) {
  std::vector<Vec3> places;
  const Scene flat;
  for (int j = 1; j + 1 < n; ++j)
    for (int i = 1; i + 1 < n; ++i) {
      const Vec3 a = flat.sheet[size_t(j * n + i)], b = flat.sheet[size_t(j * n + i + 1)],
                 c = flat.sheet[size_t((j + 1) * n + i)], d = flat.sheet[size_t((j + 1) * n + i + 1)];
      for (const Vec3& x : {a, 0.5f * (a + b), 0.5f * (a + c), 0.5f * (a + d)})
        for (float off : {0.0f, -3e-18f, 3e-18f, -1e-10f, 1e-10f}) places.push_back(x + Vec3{off, -off, off});
    }
  for (const Vec3& step : {Vec3{0, 0, -0.5f}, Vec3{0, 0, 0.5f}, Vec3{0.25f, 0, -0.25f},
                           Vec3{0.125f, 0.125f, 0.25f}, Vec3{0.5f, -0.25f, 0.125f}}) {
    Scene scene(places);
    for (Vec3& x : scene.fluid) x += -0.5f * step;
    const CrossingCounts counts = scene.counts_of(step);
    EXPECT_EQ(counts.passages, static_cast<long long>(places.size()))
        << step.x << ' ' << step.y << ' ' << step.z;
    EXPECT_EQ(counts.particles, static_cast<long long>(places.size()));
  }
}

/// Steps that end exactly on the sheet (in a triangle, on an edge, on the diagonal, on a vertex): the side
/// that the particle came from stands, also while it stays or slides along the sheet.
TEST(CrossingCounter, TouchingIsNotCrossing) {
  for (const Vec3& at : {Vec3{0.0625f, 0.03125f, 0}, Vec3{0.0625f, 0, 0}, Vec3{0, 0.0625f, 0},
                         Vec3{0.03125f, 0.03125f, 0}, Vec3{0, 0, 0}})
    for (float side : {1.0f, -1.0f}) {
      Scene scene;
      const Vec3 off{0, 0, side * 0.25f}, slanted{0.125f, -0.0625f, side * 0.25f},
          along{0.0625f, 0.015625f, 0};
      EXPECT_EQ(scene.passages_of({at + off, at, at + off}), 0);
      EXPECT_EQ(scene.passages_of({at + off, at, at, at, at + slanted}), 0);
      EXPECT_EQ(scene.passages_of({at + slanted, at, at + along, at + along + off}), 0);
      EXPECT_EQ(scene.passages_of({at + off, at, at - off}), 1);
      EXPECT_EQ(scene.passages_of({at + off, at, at, at + along, at - slanted}), 1);
      EXPECT_EQ(scene.passages_of({at + off, at, at - off, at, at - off, at, at + off}), 2);
    }
}

TEST(CrossingCounter, FollowsAMovingSheet) {
  for (float x : {0.0f, 0.01f, 0.975f}) {
    Scene scene;
    CrossingCounter counter = scene.counter();
    const auto lift = [&](float z) {
      for (Vec3& vertex : scene.sheet) vertex.z = z;
      scene.place({x, 0.02f, 0.1f});
      counter.update(scene.store);
      return counter.counts().passages;
    };
    EXPECT_EQ(lift(0), 0);
    EXPECT_EQ(lift(0.2f), 1) << "the sheet is lifted past the resting particle";
    EXPECT_EQ(lift(0.1f), 1) << "down again, on to it";
    EXPECT_EQ(lift(0.1f), 1);
    EXPECT_EQ(lift(0.3f), 1);
    EXPECT_EQ(lift(0.1f), 1);
    EXPECT_EQ(lift(0), 2);
  }
}

/// A particle that rides on a sheet which moves, turns and stretches under it.
TEST(CrossingCounter, RidesWithTheSheet) {
  const Scene flat;
  Scene scene;
  CrossingCounter counter = scene.counter();
  for (int k = 0; k <= 60; ++k) {
    const float turn = 0.05f * static_cast<float>(k), stretch = 1 + 0.02f * static_cast<float>(k);
    const auto carried = [&](const Vec3& x) {
      return Vec3{stretch * x.x * std::cos(turn) - x.z * std::sin(turn), stretch * x.y + turn,
                  stretch * x.x * std::sin(turn) + x.z * std::cos(turn)};
    };
    for (size_t v = 0; v < scene.sheet.size(); ++v) scene.sheet[v] = carried(flat.sheet[v]);
    scene.place(carried({0.93f, 0.31f, 0.01f}));
    counter.update(scene.store);
  }
  EXPECT_EQ(counter.counts().passages, 0);
}

/// A sheet that is shaken, folded and stretched, particles that move by up to ten edges a step.
std::vector<CrossingCounts> shaken(long long* reference) {
  Scene scene(random_points(120, 2.2f));
  CrossingCounter counter = scene.counter();
  counter.update(scene.store);
  std::vector<CrossingCounts> counts;
  const Scene flat;
  std::vector<Vec3> sheet = scene.sheet, fluid = scene.fluid;
  if (reference) *reference = 0;
  for (int step = 0; step < 12; ++step) {
    const float shake = step % 3 == 2 ? 0.3f : 0.05f, stretch = 1 + 0.2f * static_cast<float>(step % 4);
    const auto noise = random_points(n * n, shake, 2 * step + 1);
    const auto paths = random_points(120, step % 2 ? 2.0f : 0.1f, 2 * step + 2);
    for (size_t v = 0; v < sheet.size(); ++v) {
      const Vec3 x = flat.sheet[v];
      scene.sheet[v] =
          Vec3{stretch * x.x, x.y, 0.3f * std::sin(3 * x.x + static_cast<float>(step)) * std::cos(2 * x.y)} +
          noise[v];
    }
    for (size_t i = 0; i < fluid.size(); ++i) {
      scene.fluid[i] = fluid[i] + paths[i];
      if (norm(scene.fluid[i]) > 2) scene.fluid[i] = 0.3f * fluid[i];
    }
    scene.place();
    counter.update(scene.store);
    counts.push_back(counter.counts());
    if (reference) *reference += reference_passages(scene.triangles, sheet, scene.sheet, fluid, scene.fluid);
    sheet = scene.sheet;
    fluid = scene.fluid;
  }
  return counts;
}

TEST(CrossingCounter, AgreesWithBruteForce) {
  long long reference = 0;
  const auto counts = shaken(&reference);
  EXPECT_GT(reference, 200);
  EXPECT_EQ(counts.back().passages, reference);
}

TEST(CrossingCounter, CountsTheSameWithAnyNumberOfThreads) {
  const auto one = with_threads(1, [] { return shaken(nullptr); });
  for (int threads : {2, 3}) {
    const auto more = with_threads(threads, [] { return shaken(nullptr); });
    for (size_t step = 0; step < one.size(); ++step) {
      EXPECT_EQ(more[step].passages, one[step].passages) << threads << " threads, step " << step;
      EXPECT_EQ(more[step].particles, one[step].particles) << threads << " threads, step " << step;
    }
  }
}

/// Particles that come later are followed from where they came, not from the end of their first step.
TEST(CrossingCounter, MeetsEmittedParticles) {
  Scene scene;
  CrossingCounter counter = scene.counter();
  counter.update(scene.store);
  scene.store.append(1, particles({{0.4f, 0.4f, 0.01f}, {0.4f, 0.4f, 0.2f}}, n * n + 1, 1));
  counter.meet(scene.store);
  scene.fluid = {{0, 0, 1}, {0.4f, 0.4f, -0.01f}, {0.4f, 0.4f, 0.18f}};
  scene.place();
  counter.update(scene.store);
  EXPECT_EQ(counter.counts().passages, 1);
  EXPECT_EQ(counter.counts().followed, 3);
}

/// The axis x has a period of 4 m: a particle that leaves at x = 2 comes in at x = -2.
TEST(CrossingCounter, FollowsPathsAcrossAPeriodicBorder) {
  Scene scene;
  for (Vec3& vertex : scene.sheet) {  // from x = 1 over the border to x = -1
    vertex.x += 2;
    if (vertex.x >= 2) vertex.x -= 4;
  }
  CrossingCounter counter(1, 0, scene.triangles, spacing, {4, 0, 0});
  const auto passages_after = [&](const Vec3& x) {
    scene.place(x);
    counter.update(scene.store);
    return counter.counts().passages;
  };
  EXPECT_EQ(passages_after({1.97f, 0.01f, 0.02f}), 0);
  EXPECT_EQ(passages_after({-1.97f, 0.01f, 0.02f}), 0) << "over the border, above the sheet";
  EXPECT_EQ(passages_after({1.97f, 0.01f, -0.02f}), 1) << "and back, through it";
  EXPECT_EQ(passages_after({-1.02f, 0.01f, -0.02f}), 1) << "below it to its end";
  EXPECT_EQ(passages_after({-0.98f, 0.01f, -0.02f}), 1) << "past it";
  EXPECT_EQ(passages_after({-0.98f, 0.01f, 0.02f}), 1) << "up";
  EXPECT_EQ(passages_after({-1.02f, 0.01f, 0.02f}), 1) << "and back over it";
  EXPECT_EQ(passages_after({-1.02f, 0.01f, -0.02f}), 2);
}

/// Saved while the particle is on the sheet, where it came from matters as well as where it is.
TEST(CrossingCounter, ContinuesFromACheckpoint) {
  for (float side : {1.0f, -1.0f})
    for (int at = 1; at <= 3; ++at) {
      const std::vector<Vec3> path{
          {0, 0, 0.5f * side}, {0, 0, -0.5f * side}, {0, 0, 0}, {0, 0, 0.25f * side}};
      Scene scene;
      CrossingCounter before = scene.counter(), after = scene.counter();
      for (int k = 0; k < at; ++k) {
        scene.place(path[size_t(k)]);
        before.update(scene.store);
      }
      StateArchive archive;
      before.save(archive, "crossings/0");
      after.load(archive, "crossings/0");
      EXPECT_EQ(after.counts().followed, 1);
      for (int k = at; k < 4; ++k) {
        scene.place(path[size_t(k)]);
        after.update(scene.store);
      }
      EXPECT_EQ(after.counts().passages, 2);
      EXPECT_EQ(after.counts().particles, 1);
    }
}

}  // namespace crossing_counter_test
MERGANSER_END
