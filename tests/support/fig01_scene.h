#pragma once
/// [ES] Fig. 1: soft bodies and fluids in one pressure solve, as their skins show them, and what tests expect
/// of both scenes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "solvers/core/method.h"
#include "solvers/geometry/sampling/mesh.h"
#include "solvers/geometry/skinning/body_skin.h"
#include "tests/support/asked_walls.h"
#include "tests/support/initial_mass.h"
#include "tests/support/note.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/whole_runs.h"

MERGANSER_BEGIN
namespace fig01_test {

struct BodyState {
  double volume, stretch, speed;  ///< of its skin [m^3]; longest bond over its rest length; largest [m/s]
  Point3 centre;                  ///< [m]
  double lowest;                  ///< [m] height of its particles
  double gap;                     ///< [m] of the particle that is nearest to a wall, negative behind it
  bool there;                     ///< false: it waits for its start; all else is of its rest shape
};

struct PointsOf {
  std::vector<std::int32_t> id;
  std::vector<Vec3> at;  ///< [m]
};

/// A scene's soft and rigid bodies as `merganser skin` draws them.
class PressureScene {
 public:
  PressureScene(const std::string& file, double resolution, std::vector<std::string> set = {})
      : scene_(load(file, resolution, std::move(set))),
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
  /// Of fluids, or of solids.
  PointsOf points_of(bool fluids) const {
    const FrameData frame = simulation_->frame();
    PointsOf made;
    for (size_t i = 0; i < frame.id.size(); ++i) {
      const SystemState& system = initial_.systems[size_t(frame.system[i])];
      if ((system.method->word == "dfsph") != fluids) continue;
      made.id.push_back(frame.id[i]);
      made.at.push_back({frame.position[i][0], frame.position[i][1], frame.position[i][2]});
    }
    return made;
  }
  /// [m] of the point that is nearest to the wall, negative behind it; 1e9 without points.
  double gap_to(int wall, const std::vector<Vec3>& points) const {
    double least = 1e9;
    if (points.empty()) return least;
    const Walls one({initial_.walls.at(size_t(wall))});
    for (const NearestSurface& found : nearest_surfaces(one, points))
      least = std::min(least, double(found.distance));
    return least;
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
  static Scene load(const std::string& file, double resolution, std::vector<std::string> set) {
    SceneOverrides overrides;
    overrides.set = std::move(set);
    overrides.resolution = resolution;
    return load_scene(source_folder() / "scenes/elastic_sph" / file, overrides);
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
    const SurfaceMesh surface = skin.follow(now);
    BodyState made{mesh_volume({surface.position, surface.triangles}), 0, 0, {0, 0, 0}, 1e9, 1e9, true};
    std::vector<Vec3> points;
    for (const Float3& x : now.position) points.push_back({x[0], x[1], x[2]});
    for (const NearestSurface& wall : nearest_surfaces(walls_, points))
      made.gap = std::min(made.gap, double(wall.distance));
    const double count = double(body.rest.size());
    for (size_t i = 0; i < body.rest.size(); ++i) {
      const Float3 &x = now.position[i], &v = now.velocity[i];
      for (size_t k = 0; k < 3; ++k) made.centre[k] += double(x[k]) / count;
      made.speed = std::max(made.speed, distance(v, {0, 0, 0}));
      made.lowest = std::min(made.lowest, double(x[2]));
      for (size_t j = 0; j < i; ++j)
        if (const double rest = distance(body.rest[i], body.rest[j]); rest < 1.1 * spacing())
          made.stretch = std::max(made.stretch, distance(x, now.position[j]) / rest);
    }
    return made;
  }
  Scene scene_;
  InitialState initial_;
  SkinRecord record_;
  std::unique_ptr<Simulation> simulation_;
  Walls walls_;
  RunChecks checks_{scene_.checks, test::mass_of(initial_)};
  std::vector<std::unique_ptr<BodySkin>> skins_;
  std::vector<double> start_;
};

/// The worst of all bodies over all samples.
struct Worst {
  double least_volume = 1e9, most_volume = 0;  ///< over that at the start
  double stretch_of_soft = 0, stretch_of_rigid = 0, speed = 0, gap_of_soft = 1e9, gap_of_rigid = 1e9,
         lowest = 1e9;

  void add(const PressureScene& scene, const std::vector<BodyState>& bodies) {
    for (size_t k = 0; k < bodies.size(); ++k) {
      if (!bodies[k].there) continue;
      const double volume = bodies[k].volume / scene.start()[k];
      least_volume = std::min(least_volume, volume), most_volume = std::max(most_volume, volume);
      double &stretch = scene.is_rigid(k) ? stretch_of_rigid : stretch_of_soft,
             &gap = scene.is_rigid(k) ? gap_of_rigid : gap_of_soft;
      stretch = std::max(stretch, bodies[k].stretch);
      gap = std::min(gap, bodies[k].gap / scene.spacing());
      speed = std::max(speed, bodies[k].speed);
      lowest = std::min(lowest, bodies[k].lowest);
    }
  }
  void say(const char* when) const {
    note(
        "%s: volumes %.4f to %.4f, bonds up to %.3f, speeds up to %.1f m/s, gaps to walls at least %.3f "
        "spacings\n",
        when, least_volume, most_volume, stretch_of_soft, speed, std::min(gap_of_soft, gap_of_rigid));
  }
};

/// At the end volumes are what they were but for `share`, bonds as well, and the scene's checks pass.
inline void expect_whole_bodies(const PressureScene& scene, const std::vector<BodyState>& bodies,
                                double share = 0.01) {
  Worst end;
  end.add(scene, bodies);
  end.say("at the end");
  EXPECT_GT(end.least_volume, 1 - share);
  EXPECT_LT(end.most_volume, 1 + share);
  EXPECT_LT(end.stretch_of_soft, 1.5);
  EXPECT_LT(end.stretch_of_rigid, 1.001);
  for (const CheckResult& result : scene.results()) EXPECT_TRUE(result.passed) << RunChecks::describe(result);
}

constexpr double sampling = 0.1;  ///< [s] between two looks

/// Settings that give the bodies another mesh.
inline std::vector<std::string> bodies_of(const std::filesystem::path& mesh) {
  return {"systems.soft.bodies.walrus*.geometryFile=" + mesh.string(), "systems.soft.bodies.walrus*.scale=1"};
}
inline std::vector<std::string> bunnies() {
  return bodies_of(source_folder() / "scenes/elastic_sph/bunny.obj");
}

}  // namespace fig01_test
MERGANSER_END
