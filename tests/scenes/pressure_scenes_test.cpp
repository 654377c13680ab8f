/// [ES] Fig. 1: soft bodies and fluids in one pressure solve, from the first step to the last.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "solvers/geometry/skinning/body_skin.h"
#include "tests/support/asked_walls.h"
#include "tests/support/note.h"
#include "tests/support/whole_runs.h"

MERGANSER_BEGIN
namespace {

struct BodyState {
  double volume, stretch, speed;  ///< of its skin [m^3]; longest bond over its rest length; largest [m/s]
  Point3 centre;                  ///< [m]
  double radius, lowest;  ///< [m] of its particles: largest distance from the axis z above 4 m; height
  double gap;             ///< [m] of the particle that is nearest to a wall, negative behind it
  bool there;             ///< false: it waits for its start; all else is of its rest shape
};

/// A scene's soft and rigid bodies as `merganser skin` draws them.
class PressureScene {
 public:
  PressureScene(const std::string& file, double resolution)
      : scene_(load(file, resolution)),
        initial_(build_initial_state(scene_)),
        record_(skin_record(scene_, initial_)),
        simulation_(make_simulation(initial_)),
        walls_(initial_.walls) {
    for (const SkinBody& body : record_.bodies) skins_.push_back(make_body_skin(body, record_.spacing));
    for (const BodyState& body : bodies()) start_.push_back(body.volume);
  }
  double spacing() const { return record_.spacing; }
  double end_time() const { return scene_.end_time; }
  /// [m^3] of each body at the start.
  const std::vector<double>& start() const { return start_; }
  const std::string& name(size_t k) const { return initial_.bodies[size_t(record_.bodies[k].body)].name; }
  bool is_rigid(size_t k) const { return record_.bodies[k].binding.motion == SkinMotion::rigid; }

  void run_until(double time) {
    while (simulation_->time() < time) checks_.observe(simulation_->step(time));
  }
  std::vector<CheckResult> results() const { return checks_.results(); }
  std::vector<BodyState> bodies() const {
    const FrameData frame = simulation_->frame();
    std::vector<BodyState> made;
    for (size_t k = 0; k < record_.bodies.size(); ++k) {
      made.push_back(state_of(record_.bodies[k], particles_of(record_.bodies[k], frame), *skins_[k]));
      made.back().there = std::count(frame.body.begin(), frame.body.end(), record_.bodies[k].body) > 0;
    }
    return made;
  }

 private:
  static Scene load(const std::string& file, double resolution) {
    SceneOverrides overrides;
    overrides.resolution = resolution;
    return load_scene(source_folder() / "scenes/elastic_sph" / file, overrides);
  }
  static double mass_of(const InitialState& initial) {
    double mass = 0;
    for (const SystemState& system : initial.systems)
      for (const float m : system.mass) mass += double(m);
    return mass;
  }
  static SkinParticles particles_of(const SkinBody& body, const FrameData& frame) {
    SkinParticles now{body.rest, std::vector<Float3>(body.rest.size()), {}};
    for (size_t i = 0; i < frame.id.size(); ++i) {
      const int own = frame.id[i] - body.first_id;
      if (own < 0 || size_t(own) >= body.rest.size()) continue;
      now.position[size_t(own)] = frame.position[i];
      now.velocity[size_t(own)] = frame.velocity[i];
    }
    return now;
  }
  static double distance(const Float3& a, const Float3& b) {
    return std::hypot(double(a[0] - b[0]), double(a[1] - b[1]), double(a[2] - b[2]));
  }
  BodyState state_of(const SkinBody& body, const SkinParticles& now, BodySkin& skin) const {
    BodyState made{volume_of(skin.follow(now)), 0, 0, {0, 0, 0}, 0, 1e9, 1e9, true};
    std::vector<Vec3> points;
    for (const Float3& x : now.position) points.push_back({x[0], x[1], x[2]});
    for (const NearestSurface& wall : nearest_surfaces(walls_, points))
      made.gap = std::min(made.gap, double(wall.distance));
    const double count = double(body.rest.size());
    for (size_t i = 0; i < body.rest.size(); ++i) {
      const Float3 &x = now.position[i], &v = now.velocity[i];
      for (size_t k = 0; k < 3; ++k) made.centre[k] += double(x[k]) / count;
      made.speed = std::max(made.speed, distance(v, {0, 0, 0}));
      if (x[2] > 4) made.radius = std::max(made.radius, std::hypot(double(x[0]), double(x[1])));
      made.lowest = std::min(made.lowest, double(x[2]));
      for (size_t j = 0; j < i; ++j)
        if (const double rest = distance(body.rest[i], body.rest[j]); rest < 1.1 * spacing())
          made.stretch = std::max(made.stretch, distance(x, now.position[j]) / rest);
    }
    return made;
  }
  /// By the divergence theorem.
  static double volume_of(const SurfaceMesh& mesh) {
    double six = 0;
    for (const auto& t : mesh.triangles) {
      const Float3 &a = mesh.position[size_t(t[0])], &b = mesh.position[size_t(t[1])],
                   &c = mesh.position[size_t(t[2])];
      six += double(a[0]) * (double(b[1]) * c[2] - double(b[2]) * c[1]) +
             double(a[1]) * (double(b[2]) * c[0] - double(b[0]) * c[2]) +
             double(a[2]) * (double(b[0]) * c[1] - double(b[1]) * c[0]);
    }
    return six / 6;
  }

  Scene scene_;
  InitialState initial_;
  SkinRecord record_;
  std::unique_ptr<Simulation> simulation_;
  Walls walls_;
  RunChecks checks_{scene_.checks, mass_of(initial_)};
  std::vector<std::unique_ptr<BodySkin>> skins_;
  std::vector<double> start_;
};

/// What holds in both scenes at the end: volumes are kept, nothing is torn, the scene's checks pass.
void expect_whole_bodies(const PressureScene& scene, const std::vector<BodyState>& bodies) {
  for (size_t k = 0; k < bodies.size(); ++k) {
    note("%s: volume %+.4f, stretch %.3f", scene.name(k).c_str(), bodies[k].volume / scene.start()[k] - 1,
         bodies[k].stretch);
    EXPECT_NEAR(bodies[k].volume / scene.start()[k], 1, 0.01) << scene.name(k);
    EXPECT_LT(bodies[k].stretch, scene.is_rigid(k) ? 1.001 : 1.5) << scene.name(k);
  }
  for (const CheckResult& result : scene.results()) EXPECT_TRUE(result.passed) << RunChecks::describe(result);
}

/// All eight are pushed through, none leaves the funnel but by its pipe, none is crushed in it. The funnel's
/// inside has a radius of 1.95 m in the cylinder and of 0.8 m in the pipe, which ends at 3.7 m.
TEST(WalrusFunnel, AllBodiesComeThrough) {
#ifdef MERGANSER_EMULATED
  GTEST_SKIP() << "takes five minutes on the emulated GPU";
#endif
  PressureScene scene("walrus_funnel.json", 0.2);
  ASSERT_EQ(scene.start().size(), 8u);
  double smallest = 1, fastest = 0;
  for (double time = 0.5; time < scene.end_time() + 0.25; time += 0.5) {
    scene.run_until(time);
    const std::vector<BodyState> bodies = scene.bodies();
    for (size_t k = 0; k < bodies.size(); ++k) {
      EXPECT_LT(bodies[k].radius, 1.95) << scene.name(k) << " at " << time << " s";
      EXPECT_GT(bodies[k].lowest, -0.5 * scene.spacing()) << scene.name(k) << " at " << time << " s";
      smallest = std::min(smallest, bodies[k].volume / scene.start()[k]);
      fastest = std::max(fastest, bodies[k].speed);
    }
  }
  note("smallest volume %.3f, largest speed of a body's particle %.1f m/s", smallest, fastest);
  EXPECT_GT(smallest, 0.85);
  EXPECT_LT(fastest, 30);
  const std::vector<BodyState> bodies = scene.bodies();
  for (size_t k = 0; k < bodies.size(); ++k) EXPECT_LT(bodies[k].centre[2], 3.4) << scene.name(k);
  expect_whole_bodies(scene, bodies);
}

/// Soft and rigid bodies enter one after another, slide and drop into the bowl and stay there: it is 4.35 m
/// wide and 3.4 m high. The first one is there at the start, the last one comes in at 4.55 s.
TEST(WaterPark, AllBodiesEndInTheBowl) {
  PressureScene scene("water_park.json", 0.2);
  ASSERT_EQ(scene.start().size(), 14u);
  double fastest = 0, gap_of_rigid = 1e9, gap_of_soft = 1e9;
  const auto there = [](const std::vector<BodyState>& bodies) {
    return std::count_if(bodies.begin(), bodies.end(), [](const BodyState& body) { return body.there; });
  };
  EXPECT_EQ(there(scene.bodies()), 1);
  for (double time = 1; time < scene.end_time() + 0.5; time += 1) {
    scene.run_until(time);
    const std::vector<BodyState> bodies = scene.bodies();
    if (time == 3) {
      EXPECT_GE(there(bodies), 7);
      EXPECT_LE(there(bodies), 9);
    }
    for (size_t k = 0; k < bodies.size(); ++k) {
      if (!bodies[k].there) continue;
      fastest = std::max(fastest, bodies[k].speed);
      double& gap = scene.is_rigid(k) ? gap_of_rigid : gap_of_soft;
      gap = std::min(gap, bodies[k].gap / scene.spacing());
    }
  }
  note("largest speed of a body's particle %.1f m/s, gaps to walls at least %.2f and %.2f spacings", fastest,
       gap_of_rigid, gap_of_soft);
  EXPECT_LT(fastest, 30);
  // Particles stay a radius off walls; tori that only pressure kept off them came 0.06 spacings behind.
  EXPECT_GT(gap_of_rigid, 0.45);
  EXPECT_GT(gap_of_soft, 0.45);
  const std::vector<BodyState> bodies = scene.bodies();
  EXPECT_EQ(there(bodies), 14);
  for (size_t k = 0; k < bodies.size(); ++k) {
    const Point3& centre = bodies[k].centre;
    EXPECT_LT(std::hypot(centre[0], centre[1]), 4.35) << scene.name(k);
    EXPECT_LT(centre[2], 3.4) << scene.name(k);
    EXPECT_GT(bodies[k].lowest, 0) << scene.name(k);
  }
  expect_whole_bodies(scene, bodies);
}

}  // namespace
MERGANSER_END
