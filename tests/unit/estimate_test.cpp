/// Counts, bytes and limits that are known before a particle is made.
#include "host/scene/estimate.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/memory_limit.h"
#include "host/scene/scene_report.h"
#include "host/surface/surface_maker.h"
#include "solvers/geometry/surface/surface_estimate.h"
#include "tests/support/scene_files.h"
#include "tests/support/source_folder.h"

namespace merganser {
namespace estimate_test {

namespace fs = std::filesystem;
using namespace test;

/// MERGANSER_MEMORY_LIMIT for the length of a test: results do not depend on the machine.
class Limit {
 public:
  explicit Limit(const char* bytes) { setenv("MERGANSER_MEMORY_LIMIT", bytes, 1); }
  ~Limit() { unsetenv("MERGANSER_MEMORY_LIMIT"); }
};

std::vector<fs::path> scene_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(source_folder() / "scenes"))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

Scene scene_at(const fs::path& file, double resolution) {
  SceneOverrides overrides;
  overrides.resolution = resolution;
  return load_scene(file, overrides);
}

bool has_meshes(const Scene& scene, size_t system) {
  const auto bodies = nlohmann::json::parse(scene.resolved_json)["systems"][system]["bodies"];
  return std::any_of(bodies.begin(), bodies.end(), [](const auto& body) { return body["shape"] == "mesh"; });
}
bool has_relaxed(const Scene& scene, size_t system) {
  const auto bodies = nlohmann::json::parse(scene.resolved_json)["systems"][system]["bodies"];
  return std::any_of(bodies.begin(), bodies.end(),
                     [](const auto& body) { return body.value("sampling", "lattice") == "relaxed"; });
}

TEST(Estimate, CountsOfEverySceneAreThoseOfItsParticles) {
  for (const fs::path& file : scene_files())
    for (const double resolution : {0.14, 0.3}) {
      SCOPED_TRACE(file.string() + " at " + std::to_string(resolution));
      const Scene scene = scene_at(file, resolution);
      const SceneEstimate estimate = SceneEstimator(scene).estimate();
      const InitialState made = build_initial_state(scene);
      ASSERT_EQ(estimate.systems.size(), made.systems.size());
      for (size_t s = 0; s < made.systems.size(); ++s) {
        const SystemState& system = made.systems[s];
        const auto count = double(system.position.size());
        const bool of_meshes = has_meshes(scene, s);  // counted by their volume; of 80 particles each
        const double off = of_meshes ? 0.08 : has_relaxed(scene, s) ? 0.01 : 0;  // relaxed: a volume, too
        EXPECT_NEAR(estimate.systems[s].particles, count, off * count);
        EXPECT_EQ(estimate.systems[s].springs, double(system.springs.size()));
        EXPECT_EQ(estimate.systems[s].triangles, double(system.triangles.size()));
        double mass = 0, expected = 0;
        for (float m : system.mass) mass += m;
        for (const BodyEstimate& body : estimate.systems[s].bodies) expected += body.mass;
        EXPECT_NEAR(expected, mass, (of_meshes ? 0.08 : 1e-3) * mass);
      }
    }
}

/// Beyond the lattices that are counted point by point the volume stands for the count: at 262,144 points a
/// shape's surface, about 6 * 64^2 of them, makes the two differ by a few per cent at most.
TEST(Estimate, LargeShapesByTheirVolume) {
  const Sampling sampling{.spacing = 0.01};
  const Shape shapes[] = {sphere_shape({0, 0, 0}, 0.4), cylinder_shape({0, 0, 0}, {0.3, 0.5, 0.2}, 0.3),
                          torus_shape({0, 0, 0}, {1, 1, 0}, 0.4, 0.15), bowl_shape({0, 0, 0}, 0.5, 0.08, 0.4),
                          cylinder_shape({0, 0, 0}, {0, 0, 0.002}, 3)};  // a disc of one layer
  for (const Shape& shape : shapes) {
    const double made = double(sample_shape(shape, sampling).size());
    EXPECT_NEAR(count_points(shape, sampling), made, 0.05 * made);
    EXPECT_EQ(count_points(shape, sampling, 1e9), made);
  }
  EXPECT_NEAR(count_points(sphere_shape({0, 0, 0}, 1), {.spacing = 1e-8}), 4.18879e24, 1e20);
}

TEST(Estimate, EverySceneAnswersAtAnyResolution) {
  const Limit limit("16e9");
  for (const fs::path& file : scene_files())
    for (const double resolution : {10.0, 1000.0}) {
      SCOPED_TRACE(file.string() + " at " + std::to_string(resolution));
      const Scene scene = scene_at(file, resolution);
      const SceneEstimator estimator(scene);
      const SceneEstimate estimate = estimator.estimate();
      const std::string why = why_too_large(scene, estimator, estimate, {});
      EXPECT_TRUE(resolution < 1000 || !why.empty());
      if (why.empty()) continue;
      const double fitting = estimator.resolution_within(16e9, 0);
      EXPECT_GT(fitting, 0.1);
      EXPECT_LT(fitting, resolution);
      EXPECT_NE(why.find("MERGANSER_MEMORY_LIMIT"), std::string::npos) << why;
      const CheckedScene checked = check_scene(scene, true);
      const auto report = nlohmann::json::parse(checked.text);
      EXPECT_EQ(checked.refusal, why);
      EXPECT_GT(report["memory_bytes"], 16e9);
      EXPECT_TRUE(report["overlaps"].is_null());
      EXPECT_FALSE(report["not_looked_at"].get<std::string>().empty());
      EXPECT_TRUE(why_too_large(scene_at(file, fitting), SceneEstimator(scene_at(file, fitting)),
                                SceneEstimator(scene_at(file, fitting)).estimate(), {})
                      .empty())
          << "the remedy: " << why;
    }
}

TEST(Estimate, MessagesNameSceneBodyNumbersAndRemedy) {
  const Limit limit("8e9");
  const Scene scene = scene_at(source_folder() / "scenes/demos/dam_break.json", 10);
  const std::string why = check_scene(scene, false).refusal;
  for (const char* piece : {"dam_break.json", "108 million particles", "resolution 10",
                            "systems.water.bodies", "column", "8.0 GB", "--resolution 4.7"})
    EXPECT_NE(why.find(piece), std::string::npos) << piece << ": " << why;
  EXPECT_NE(check_scene(scene, false).text.find("not looked at"), std::string::npos);
  try {
    expect_resources(scene, {}, "/");
    ADD_FAILURE() << "no DeviceError";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.what(), why);
  }
  EXPECT_TRUE(check_scene(scene_at(scene.file, 0.2), false).refusal.empty());
}

TEST(Estimate, ManyFittingParticlesAreNotMadeForCheck) {
  const Limit limit("1e12");
  const CheckedScene checked =
      check_scene(scene_at(source_folder() / "scenes/demos/dam_break.json", 10), false);
  EXPECT_EQ(checked.refusal, "");
  EXPECT_NE(checked.text.find("not looked at"), std::string::npos) << checked.text;
  EXPECT_NE(checked.text.find("particles     108000000"), std::string::npos) << checked.text;
}

TEST(Estimate, StartsAreCheckedWhereOverlapsAreNot) {
  SceneOverrides overrides;
  overrides.resolution = 4.3;  // 8.6 million particles
  const auto file = source_folder() / "scenes/demos/dam_break.json";
  const auto checked = nlohmann::json::parse(check_scene(load_scene(file, overrides), true).text);
  EXPECT_TRUE(checked["overlaps"].is_null());
  EXPECT_GT(checked["time_step"], 0);
  overrides.set = {"systems.water.bodies.column.start=[-1,0,0]"};
  EXPECT_THROW(check_scene(load_scene(file, overrides), true), InputError);
}

class EstimateOfScene : public SceneTest {};

TEST_F(EstimateOfScene, EmittersCount) {
  const Limit limit("16e9");
  const auto with_emitter = [&](const std::string& radius, const std::string& more = "") {
    return load_scene(file_with(
        R"("velocity": [0, 0, -1]}])",
        R"("velocity": [0, 0, -1]}], "emitters": [{"name": "tap", "position": [0, 0, 2], "velocity": 1, "radius": )" +
            radius + more + "}]"));
  };
  // 2 s at 1 m/s and 0.1 m: 21 layers of pi 2.8^2 = 24.63 particles in the mean.
  EXPECT_EQ(SceneEstimator(with_emitter("0.28")).estimate().emitted, 517);
  EXPECT_EQ(SceneEstimator(with_emitter("0.28", ", \"maxParticles\": 100")).estimate().emitted, 99);
  EXPECT_EQ(SceneEstimator(with_emitter("0.28", ", \"startTime\": 1.5")).estimate().emitted, 148);
  EXPECT_EQ(check_scene(with_emitter("0.28"), false).refusal, "");
  const std::string why = check_scene(with_emitter("1e5"), false).refusal;
  EXPECT_NE(why.find("systems.water.emitters"), std::string::npos) << why;
}

TEST_F(EstimateOfScene, MoreParticlesThanIntegersCountAreRefused) {
  const Limit limit("1e300");
  const Scene scene = load_scene(file(), overrides([](SceneOverrides& o) { o.resolution = 1000; }));
  const std::string why = check_scene(scene, false).refusal;
  EXPECT_NE(why.find("more than the 2 billion"), std::string::npos) << why;
  EXPECT_THROW(build_initial_state(scene), InputError);  // who does not ask before
}

TEST(MemoryLimit, EnvironmentMustBeANumber) {
  for (const char* wrong : {"much", "-1", "0", "nan", "inf", "1e9x"}) {
    const Limit limit(wrong);
    EXPECT_THROW(host_memory(), InputError) << wrong;
  }
  const Limit limit("1.5e9");
  EXPECT_EQ(host_memory().bytes, 1.5e9);
  EXPECT_EQ(device_memory({}).bytes, 1.5e9);
}

TEST(MemoryLimit, ThisMachineHasSome) {
  EXPECT_GT(host_memory().bytes, 1e6);
  EXPECT_LT(host_memory().bytes, 1e15);
}

TEST(MemoryLimit, GroupsOfBothVersions) {
  const TemporaryFolder root;
  const auto put = [&](const std::string& name, const std::string& text) {
    fs::create_directories((root / name).parent_path());
    write_text(root / name, text);
  };
  put("job/step/memory.max", "max\n");
  put("job/step/memory.current", "1000\n");
  EXPECT_TRUE(std::isinf(memory_left_in_groups(root.path(), "0::/job/step\n")));
  put("job/memory.max", "5000\n");  // of the group above
  put("job/memory.current", "2000\n");
  put("job/memory.stat", "anon 1500\ninactive_file 300\nactive_file 200\n");
  EXPECT_EQ(memory_left_in_groups(root.path(), "0::/job/step\n"), 3300);
  put("memory/batch/memory.limit_in_bytes", "4000\n");
  put("memory/batch/memory.usage_in_bytes", "4500\n");
  put("memory/memory.limit_in_bytes", "9223372036854771712\n");  // what the kernel writes for none
  put("memory/memory.usage_in_bytes", "4500\n");
  EXPECT_EQ(memory_left_in_groups(root.path(), "4:memory:/batch\n3:cpu:/\n"), 0);
  EXPECT_TRUE(std::isinf(memory_left_in_groups(root.path(), "4:memory:/\n")));
}

TEST(MemoryLimit, BytesAsText) {
  EXPECT_EQ(bytes_text(12.3e6), "12 MB");
  EXPECT_EQ(bytes_text(8e9), "8.0 GB");
  EXPECT_EQ(bytes_text(3.24e12), "3.2 TB");
}

FluidPoints block_of(int side, double spacing, float shift = 0) {
  FluidPoints points;
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        points.position.push_back({float(x * spacing), float(y * spacing), float(z * spacing) + shift});
  points.velocity.resize(points.position.size());
  points.mass.resize(points.position.size(), 1);
  return points;
}

TEST(SurfaceEstimate, AreaOfABlockAndOfLoneParticles) {
  const SurfaceParameters parameters{.h = 0.012, .spacing = 0.01};
  const double area = estimate_surface(block_of(40, 0.01), parameters).area, block = 6 * 0.4 * 0.4;
  EXPECT_GT(area, 0.5 * block);
  EXPECT_LT(area, 2 * block);
  FluidPoints far = block_of(1, 0.01);
  far.position.push_back({1e6f, 0, 0});
  EXPECT_LT(estimate_surface(far, parameters).bytes, 1e6) << "empty space takes no memory";
}

TEST(SurfaceEstimate, RefusedWithTheRemedy) {
  const Limit limit("5e7");
  const FluidPoints points = block_of(30, 0.01);
  SurfaceParameters parameters{.h = 0.012, .spacing = 0.01, .cell_factor = 0.5};
  EXPECT_NO_THROW(expect_room_for_surface(points, parameters, {}, "frame"));
  parameters.cell_factor = 0.05;
  try {
    expect_room_for_surface(points, parameters, {}, "frame_000003.vtkhdf");
    ADD_FAILURE() << "no DeviceError";
  } catch (const DeviceError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("frame_000003.vtkhdf"), std::string::npos) << what;
    EXPECT_NE(what.find("--cell-size"), std::string::npos) << what;
  }
}

}  // namespace estimate_test
}  // namespace merganser
