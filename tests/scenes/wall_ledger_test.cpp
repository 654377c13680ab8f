/// Solids on walls: the energy ledger closes to 1 % at rest, in impacts and where they slide, with what walls
/// give by pushing particles out as an entry of its own (solvers/observables/ledger/README.md).
#include <gtest/gtest.h>

#include <cmath>

#include "device/backend.h"
#include "host/checks/run_checks.h"
#include "host/scene/scene.h"
#include "host/simulation/simulation.h"
#include "tests/support/temporary_folder.h"

MERGANSER_BEGIN
namespace wall_ledger_test {

struct WallCase {
  const char* name;
  std::string system;
  const char* walls;
  double end_time = 0.3;
  double max_time_step = 2e-3;
};
void PrintTo(const WallCase& wall_case, std::ostream* stream) { *stream << wall_case.name; }

const char* const floor_at_zero =
    R"({"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1], "friction": 0.3})";
const char* const bouncing_floor =
    R"({"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1], "friction": 0.3, "restitution": 0.5})";
/// Tilted by 20 degrees about the y axis; mu above and below tan 20 = 0.36.
const char* const rough_slope =
    R"({"shape": "plane", "point": [0, 0, 0], "normal": [0.34202, 0, 0.939693], "friction": 0.6})";
const char* const smooth_slope =
    R"({"shape": "plane", "point": [0, 0, 0], "normal": [0.34202, 0, 0.939693], "friction": 0.1})";
const char* const hump =
    R"({"shape": "sphere", "centre": [0.2, 0.2, 0], "radius": 0.15, "inside": false, "friction": 0.3})";

/// A block of 0.3 x 0.3 x 0.2 m with its lower corner at x, falling with v.
std::string block(const char* x, const char* v, const std::string& material) {
  return std::string(
             R"("bodies": [{"name": "block", "shape": "box", "start": [0, 0, 0], "end": [0.3, 0.3, 0.2], )") +
         R"("translation": )" + x + R"(, "velocity": )" + v + ", " + material + "}]";
}
std::string soft(const char* solve, const char* x, const char* v = "[0, 0, 0]") {
  const bool factored = std::string(solve) != "conjugateGradient";
  return std::string(R"({"name": "soft", "type": "elasticSph", "solve": ")") + solve + "\", " +
         (factored ? R"("elasticTimeStep": 0.002, )" : "") +
         block(x, v, R"("density0": 1000, "youngsModulus": 1e6, "poissonRatio": 0.3)") + "}";
}
std::string brittle(const char* integration, const char* x, const char* v = "[0, 0, 0]",
                    const char* strength = "") {
  return std::string(R"({"name": "glass", "type": "peridynamics", "integration": ")") + integration + "\", " +
         block(x, v, std::string(R"("density0": 2000, "youngsModulus": 1e8)") + strength) + "}";
}
std::string cloth(const char* origin, const char* v) {
  return std::string(
             R"({"name": "cloth", "type": "massSpring", "bodies": [{"name": "sheet", "shape": "sheet", )") +
         R"("origin": )" + origin + R"(, "edgeU": [0.5, 0, 0], "edgeV": [0, 0.5, 0], "arealDensity": 2, )" +
         R"("stretchStiffness": 1000, "shearStiffness": 500, "bendingStiffness": 0.001, "velocity": )" + v +
         "}]}";
}

class WallLedger : public testing::TestWithParam<WallCase> {};
TEST_P(WallLedger, Closes) {
  const WallCase& wall_case = GetParam();
  test::TemporaryFolder folder;
  test::write_text(
      folder / "scene.json",
      R"({"title": "walls", "simulation": {"particleRadius": 0.025, "gravitation": [0, 0, -9.81], "endTime": )" +
          std::to_string(wall_case.end_time) + R"(, "maxTimeStepSize": )" +
          std::to_string(wall_case.max_time_step) + R"(}, "systems": [)" + wall_case.system +
          R"(], "walls": [)" + wall_case.walls +
          R"(], "checks": [{"type": "energyLedger", "limit": 0.01}]})");
  const Scene scene = load_scene(folder / "scene.json", {});
  const InitialState initial = build_initial_state(scene);
  RunChecks checks(scene.checks, 1);
  const auto simulation = make_simulation(initial);
  StepStatistics last;
  while (simulation->time() < scene.end_time) {
    last = simulation->step(scene.end_time);
    checks.observe(last);
  }
  for (const CheckResult& result : checks.results())
    EXPECT_TRUE(result.passed) << RunChecks::describe(result);
  EXPECT_NE(last["dissipated_walls"], 0) << "no wall was touched";
}

const char* const low = "[0, 0, 0]";
/// So that more energy moves than positions are rounded by: a stiff block that lies holds 3e-4 J.
const char* const slightly_above = "[0, 0, 0.001]";
const char* const above = "[0, 0, 0.05]";
const char* const up_slope = "[0, 0, 0.02]";
const char* const fast = "[1, 0, -1]";
INSTANTIATE_TEST_SUITE_P(
    Solids, WallLedger,
    testing::Values(
        WallCase{"soft_rests", soft("preconditioned", low), floor_at_zero, 1},
        WallCase{"soft_rests_conjugate_gradient", soft("conjugateGradient", low), floor_at_zero, 1},
        WallCase{"soft_rests_split", soft("split", low), floor_at_zero, 1},
        WallCase{"soft_falls", soft("preconditioned", above, fast), bouncing_floor},
        WallCase{"soft_falls_conjugate_gradient", soft("conjugateGradient", above, fast), bouncing_floor},
        WallCase{"soft_falls_split", soft("split", above, fast), bouncing_floor},
        WallCase{"soft_on_rough_slope", soft("preconditioned", up_slope), rough_slope},
        WallCase{"soft_on_smooth_slope_split", soft("split", up_slope), smooth_slope},
        WallCase{"brittle_rests", brittle("implicit", slightly_above), floor_at_zero, 1},
        WallCase{"brittle_falls", brittle("implicit", above, fast), bouncing_floor},
        WallCase{"brittle_falls_explicit", brittle("explicit", above, fast), bouncing_floor, 0.1},
        WallCase{"brittle_breaks", brittle("implicit", above, "[1, 0, -8]", R"(, "criticalStretch": 0.01)"),
                 bouncing_floor, 0.1, 1e-3},
        WallCase{"brittle_breaks_explicit",
                 brittle("explicit", above, "[1, 0, -8]", R"(, "criticalStretch": 0.01)"), bouncing_floor,
                 0.05},
        WallCase{"brittle_on_smooth_slope", brittle("implicit", up_slope), smooth_slope},
        WallCase{"cloth_rests", cloth(above, "[0, 0, 0]"), floor_at_zero, 1},
        WallCase{"cloth_falls", cloth(above, fast), bouncing_floor},
        WallCase{"cloth_on_hump", cloth("[0, 0, 0.2]", "[0, 0, 0]"), hump, 0.5}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace wall_ledger_test
MERGANSER_END
