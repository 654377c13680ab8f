/// From a scene through its run to skins, with nothing made up.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "device/backend.h"
#include "device/errors.h"
#include "host/run/run.h"
#include "host/scene/mesh_file.h"
#include "host/scene/scene.h"
#include "host/surface/skin_run.h"
#include "tests/support/made_meshes.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/unit_cube.h"

MERGANSER_BEGIN
namespace skin_of_run_test {

using test::text_of;

Services services() {
  Services made;
  made.load_scene = load_scene;
  made.build_initial_state = build_initial_state;
  made.make_simulation = [](const InitialState& initial, const Device&) { return make_simulation(initial); };
  made.expect_resources = [](const Scene&, const Device&, const std::filesystem::path&) {
    return std::vector<std::string>();
  };
  made.skin_record = skin_record;
  made.make_body_skin = [](const Device&, const SkinBody& body, double spacing) {
    return make_body_skin(body, spacing);
  };
  return made;
}

/// A cloth, a soft box, a brittle plate with a crack, and a rigid cube from a mesh.
class SkinOfRun : public testing::Test {
 protected:
  void SetUp() override {
    test::write_text(folder_ / "cube.obj", test::obj_text(test::cube()));
    test::write_text(folder_ / "scene.json", R"({
      "simulation": {"particleRadius": 0.05, "timeStepSize": 0.002, "gravitation": [0, 0, -10], "endTime": 0.06,
                     "frameRate": 50},
      "systems": [
        {"name": "cloth", "type": "massSpring", "bodies": [{"name": "sheet", "shape": "sheet", "origin": [0, 0, 5],
         "edgeU": [1, 0, 0], "edgeV": [0, 1, 0], "spacing": 0.1, "arealDensity": 1, "stretchStiffness": 100}]},
        {"name": "soft", "type": "elasticSph", "bodies": [
          {"name": "box", "shape": "box", "start": [0, 0, 0], "end": [0.4, 0.4, 0.4], "density0": 1000,
           "youngsModulus": 1e5, "poissonRatio": 0.3, "velocity": [1, 0, 0]}]},
        {"name": "brittle", "type": "peridynamics", "bodies": [
          {"name": "plate", "shape": "box", "start": [0, 2, 0], "end": [0.8, 2.3, 0.4], "density0": 2000,
           "youngsModulus": 1e6, "criticalStretch": 0.01,
           "preCracks": [{"corner": [0.4, 1.9, -0.1], "edgeU": [0, 0.6, 0], "edgeV": [0, 0, 0.6]}],
           "loads": [{"box": [[0, 2, 0], [0.4, 2.3, 0.4]], "acceleration": [-20, 0, 0]}]}]},
        {"name": "hard", "type": "rigid", "bodies": [
          {"name": "die", "shape": "mesh", "geometryFile": ")" +
                                                 (folder_ / "cube.obj").string() + R"(", "scale": 0.5,
           "translation": [0, 4, 0], "density0": 500, "velocity": [0, 1, 0], "spin": [4, 5, -6]}]}]
    })");
  }
  void play(double end_time, bool resume = false) {
    RunOptions options;
    options.scene = resume ? folder_ / "run" : folder_ / "scene.json";
    options.output = folder_ / "run";
    options.overrides.end_time = end_time;
    options.device = MERGANSER_GPU_HALF ? "cuda" : "cpu";
    options.quiet = true;
    options.resume = resume;
    ASSERT_EQ(run(options, services()), 0);
  }
  nlohmann::json skin(const std::string& to, double thickness = 0) {
    SkinOptions options;
    options.thickness = thickness;
    options.run = folder_ / "run";
    options.output = folder_ / to;
    options.device = MERGANSER_GPU_HALF ? "cuda" : "cpu";
    options.quiet = true;
    return nlohmann::json::parse(make_skins(options, services()));
  }
  test::TemporaryFolder folder_;
};

/// Lengths of the edges of a mesh's triangles.
std::vector<double> edges(const TriangleMesh& mesh, size_t first, size_t count) {
  std::vector<double> lengths;
  for (size_t t = first; t < first + count; ++t)
    for (size_t k = 0; k < 3; ++k) {
      const Float3 &a = mesh.vertices[size_t(mesh.triangles[t][k])],
                   &b = mesh.vertices[size_t(mesh.triangles[t][(k + 1) % 3])];
      lengths.push_back(std::hypot(double(a[0]) - b[0], double(a[1]) - b[1], double(a[2]) - b[2]));
    }
  return lengths;
}

TEST_F(SkinOfRun, NeedsTheFolderAlone) {
  play(0.04);
  const std::string kept = text_of(folder_ / "run/skins.h5");
  play(0.06, true);
  EXPECT_EQ(text_of(folder_ / "run/skins.h5"), kept);
  const nlohmann::json before = skin("with_file");
  std::filesystem::remove(folder_ / "cube.obj");
  const nlohmann::json made = skin("skin");
  EXPECT_EQ(made["frames_made"], 4);
  ASSERT_EQ(made["bodies"].size(), 4u);
  EXPECT_EQ(made["bodies"][0]["name"], "sheet");
  EXPECT_EQ(made["bodies"][0]["motion"], "sheet");
  EXPECT_EQ(made["bodies"][1]["name"], "box");
  EXPECT_EQ(made["bodies"][2]["motion"], "breaking");
  EXPECT_EQ(made["bodies"][3]["motion"], "rigid");
  EXPECT_EQ(made["bodies"], before["bodies"]);
  const TriangleMesh first = read_mesh(folder_ / "skin/skin_000000.ply"),
                     last = read_mesh(folder_ / "skin/skin_000003.ply");
  const size_t cloth = made["bodies"][0]["triangles"], box = made["bodies"][1]["triangles"],
               plate = made["bodies"][2]["triangles"], before_plate = cloth + box;
  EXPECT_EQ(cloth, 2u * 10 * 10);
  EXPECT_EQ(box, 6u * 2 * 4 * 4);
  ASSERT_EQ(first.triangles.size(), before_plate + plate + 12);
  ASSERT_EQ(last.triangles.size(), first.triangles.size());
  EXPECT_GT(last.vertices.size(), first.vertices.size() - 1);
  // At the start every surface is at its place.
  EXPECT_EQ(made["vertices_of_nearest_particle"], 0);
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(first.vertices[0][k], k == 2 ? 5 : 0, 1e-6);
    EXPECT_NEAR(first.vertices[121][k], 0, 1e-6);
    EXPECT_NEAR(first.vertices.back()[k], k == 1 ? 4.5 : 0.5, 1e-6);
  }
  // The die turns and keeps its shape; the soft box has gone on by 0.06 m.
  const auto then = edges(first, before_plate + plate, 12), now = edges(last, before_plate + plate, 12);
  for (size_t e = 0; e < then.size(); ++e) EXPECT_NEAR(now[e], then[e], 2e-6);
  EXPECT_NEAR(last.vertices[121][0], first.vertices[121][0] + 0.06, 5e-3);
  EXPECT_NEAR(last.vertices[0][2], 5 - 0.5 * 10 * 0.06 * 0.06, 2e-3);  // the cloth falls
  // No triangle of the plate is stretched by the crack, which has opened by a centimetre.
  const auto whole = edges(first, before_plate, plate), cracked = edges(last, before_plate, plate);
  for (size_t e = 0; e < whole.size(); ++e) EXPECT_NEAR(cracked[e], whole[e], 5e-3) << e;
}

TEST_F(SkinOfRun, OlderRunsGiveTheSame) {
  play(0.02);
  skin("skin");
  std::filesystem::remove(folder_ / "run/skins.h5");
  skin("older");
  EXPECT_EQ(text_of(folder_ / "older/skin_000001.ply"), text_of(folder_ / "skin/skin_000001.ply"));
  // The run has a copy of the mesh: what becomes of the file does not matter, what becomes of the copy does.
  test::write_text(folder_ / "cube.obj", "v 0 0 0\n");
  skin("other_file");
  EXPECT_EQ(text_of(folder_ / "other_file/skin_000001.ply"), text_of(folder_ / "skin/skin_000001.ply"));
  const std::vector<std::filesystem::path> copies(std::filesystem::directory_iterator(folder_ / "run/meshes"),
                                                  {});
  ASSERT_EQ(copies.size(), 1u);
  test::write_text(copies[0], "v 0 0 0\n");
  EXPECT_THROW(skin("changed"), InputError);
}

TEST_F(SkinOfRun, ClothWithThickness) {
  play(0.02);
  const nlohmann::json made = skin("thick", 0.01);
  const TriangleMesh mesh = read_mesh(folder_ / "thick/skin_000001.ply");
  size_t others = 0;
  for (size_t b = 1; b < 4; ++b) others += size_t(made["bodies"][b]["triangles"]);
  TriangleMesh cloth{mesh.vertices, mesh.triangles};
  cloth.triangles.resize(mesh.triangles.size() - others);
  cloth.vertices.resize(2 * 121);
  EXPECT_NO_THROW(require_closed(cloth, "the cloth"));
  EXPECT_NEAR(mesh_volume(cloth), 1 * 0.01, 1e-5);  // it falls freely and flat
  EXPECT_NE(text_of(folder_ / "thick/skin.json").find("\"thickness\": 0.01"), std::string::npos);
}

TEST_F(SkinOfRun, ARunWithoutSkinsSaysSo) {
  test::write_text(folder_ / "scene.json", R"({
    "simulation": {"particleRadius": 0.05, "timeStepSize": 0.01, "endTime": 0.01},
    "systems": [{"name": "ropes", "type": "massSpring", "bodies": [{"name": "rope", "shape": "rope",
      "start": [0, 0, 5], "end": [1, 0, 5], "spacing": 0.2, "lineDensity": 1, "stretchStiffness": 100}]}]})");
  play(0.01);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run/skins.h5"));
  EXPECT_THROW(skin("skin"), InputError);
}

}  // namespace skin_of_run_test
MERGANSER_END
