/// A rigid body from a mesh floats in water that it shares a pressure solve with: it displaces its own mass.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "device/backend.h"
#include "host/scene/scene.h"
#include "host/simulation/simulation.h"
#include "solvers/geometry/skinning/body_skin.h"
#include "tests/support/note.h"
#include "tests/support/source_folder.h"
#include "tests/support/temporary_folder.h"

MERGANSER_BEGIN
namespace floating_mesh_test {

constexpr double water_density = 1000, gravity = 9.81;

/// The walrus of scenes/elastic_sph, 0.36 m long, dropped upon a pool of 0.6 x 0.44 m, 0.26 m deep.
std::string scene_of(double density) {
  const std::string mesh = (source_folder() / "scenes/elastic_sph/walrus.obj").string();
  return R"({"title": "floating mesh", "simulation": {"particleRadius": 0.01, "endTime": 2.5,
      "maxTimeStepSize": 0.002},
    "coupling": {"method": "none"},
    "systems": [
      {"name": "bodies", "type": "rigid", "bodies": [{"name": "walrus", "shape": "mesh", "geometryFile": ")" +
         mesh + R"(", "scale": 0.1, "translation": [0.3, 0.22, 0.335], "density0": )" +
         std::to_string(density) + R"(}]},
      {"name": "water", "type": "dfsph", "density0": 1000, "viscosity": 0.004, "maxDensityError": 1e-5,
       "coupledTo": ["bodies"], "bodies": [{"name": "pool", "shape": "box", "start": [0, 0, 0],
                                            "end": [0.6, 0.44, 0.26]}]}],
    "walls": [{"shape": "box", "low": [0, 0, 0], "high": [0.6, 0.44, 2]}]})";
}

/// Volume [m^3] of a closed mesh below a height: of tetrahedra between a point at that height and the
/// triangles, of which only what is below counts. What closes the cut adds nothing.
double volume_below(const SurfaceMesh& mesh, double height) {
  using Corner = std::array<double, 3>;
  double six = 0;
  for (const auto& t : mesh.triangles) {
    std::vector<Corner> below;
    for (size_t k = 0; k < 3; ++k) {
      const Float3 &p = mesh.position[size_t(t[k])], &q = mesh.position[size_t(t[(k + 1) % 3])];
      const double a = double(p[2]) - height, b = double(q[2]) - height;
      if (a <= 0) below.push_back({p[0], p[1], a});
      if ((a <= 0) == (b <= 0)) continue;
      const double s = a / (a - b);
      below.push_back({p[0] + s * (double(q[0]) - p[0]), p[1] + s * (double(q[1]) - p[1]), 0});
    }
    for (size_t k = 1; k + 1 < below.size(); ++k) {
      const Corner &a = below[0], &b = below[k], &c = below[k + 1];
      six += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
             a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
  }
  return six / 6;
}

class FloatingMesh {
 public:
  FloatingMesh(double density, double resolution) {
    test::TemporaryFolder folder;
    test::write_text(folder / "scene.json", scene_of(density));
    SceneOverrides overrides;
    overrides.resolution = resolution;
    const Scene scene = load_scene(folder / "scene.json", overrides);
    const InitialState initial = build_initial_state(scene);
    record_ = skin_record(scene, initial);
    skin_ = make_body_skin(record_.bodies[0], record_.spacing);
    simulation_ = make_simulation(initial);
  }
  /// Mean of the displaced over the whole volume in the last seven tenths of a second.
  double share_displaced() {
    double sum = 0;
    int count = 0;
    while (simulation_->time() < 2.5) {
      simulation_->step(2.5);
      if (simulation_->time() < 1.8 || simulation_->step_count() % 5) continue;
      const FrameData frame = simulation_->frame();
      const SurfaceMesh& mesh = skin_->follow(body_of(frame));
      sum += volume_below(mesh, level_of(frame, mesh)) / volume_below(mesh, 1e9);
      ++count;
    }
    return sum / count;
  }

 private:
  SkinParticles body_of(const FrameData& frame) const {
    const SkinBody& body = record_.bodies[0];
    SkinParticles now{std::vector<Float3>(body.rest.size()), std::vector<Float3>(body.rest.size()), {}};
    for (size_t i = 0; i < frame.id.size(); ++i)
      if (const size_t own = size_t(frame.id[i] - body.first_id); own < body.rest.size()) {
        now.position[own] = frame.position[i];
        now.velocity[own] = frame.velocity[i];
      }
    return now;
  }
  /// [m] where p = rho g (level - z) puts the water's surface, by particles 0.2 m from the body's axis and
  /// about as high as its bottom.
  double level_of(const FrameData& frame, const SurfaceMesh& mesh) const {
    double x = 0, y = 0, bottom = 1e9;
    for (const Float3& p : mesh.position) {
      x += double(p[0]) / double(mesh.position.size()), y += double(p[1]) / double(mesh.position.size());
      bottom = std::min(bottom, double(p[2]));
    }
    const std::vector<float>& pressure = pressure_of(frame);
    double level = 0, count = 0;
    for (size_t i = 0; i < frame.position.size(); ++i) {
      const Float3& p = frame.position[i];
      if (frame.system[i] != 1 || std::hypot(p[0] - x, p[1] - y) < 0.2 ||
          std::abs(double(p[2]) - bottom) > 4 * record_.spacing / 2)
        continue;
      level += double(p[2]) + double(pressure[i]) / (water_density * gravity), ++count;
    }
    return level / count;
  }
  static const std::vector<float>& pressure_of(const FrameData& frame) {
    for (const auto& [name, values] : frame.fields)
      if (name == "pressure") return values;
    throw std::runtime_error("frames have no pressure");
  }

  SkinRecord record_;
  std::unique_ptr<BodySkin> skin_;
  std::unique_ptr<Simulation> simulation_;
};

/// A cube of two triangles a side, cut.
TEST(FloatingMesh, VolumeBelowAHeight) {
  SurfaceMesh cube;
  for (int k = 0; k < 8; ++k) cube.position.push_back({float(k & 1), float(k >> 1 & 1), float(k >> 2)});
  for (const auto& [a, b, c, d] : std::vector<std::array<int, 4>>{
           {0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    cube.triangles.push_back({a, b, c});
    cube.triangles.push_back({a, c, d});
  }
  for (const double height : {-0.5, 0.25, 0.6, 2.0})
    EXPECT_NEAR(volume_below(cube, height), std::clamp(height, 0.0, 1.0), 1e-12) << height;
}
TEST(FloatingMeshSlow, DisplacesItsMassWithinTwoPercent) {
  for (const auto& [ratio, resolution] : {std::pair{0.8, 1.0}, std::pair{0.6, 1.333}}) {
    const double share = FloatingMesh(ratio * water_density, resolution).share_displaced();
    note("density ratio %g: %g of the volume below the level\n", ratio, share);
    EXPECT_NEAR(share / ratio, 1, 0.02) << ratio;
  }
}

}  // namespace floating_mesh_test
MERGANSER_END
