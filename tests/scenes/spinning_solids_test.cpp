/// Solids and fluids that spin from the start on: angular momentum in closed form; probes of the force on one
/// of two held parts.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace spinning_solids_test {

const char* const no_gravity =
    R"("particleRadius": 0.01, "gravitation": [0, 0, 0], "maxTimeStepSize": 1e-4, "endTime": 1)";
const Point3 spin{2, -3, 5}, velocity{0.4, 0.1, -0.2};
const std::string motion = R"("velocity": [0.4, 0.1, -0.2], "spin": [2, -3, 5])";

/// Second moment per mass of n layers a spacing d apart about their middle, (n^2 - 1) d^2/12.
double layers(int n) { return (n * n - 1) * 0.02 * 0.02 / 12; }

/// m c x v + I w of a body with the second moments `s` [m^2] along the axes.
Point3 angular_momentum(double mass, const Point3& c, const Point3& s) {
  Point3 made;
  for (size_t a = 0; a < 3; ++a) {
    const size_t b = (a + 1) % 3, d = (a + 2) % 3;
    made[a] = mass * (c[b] * velocity[d] - c[d] * velocity[b] + (s[b] + s[d]) * spin[a]);
  }
  return made;
}

struct Spinner {
  const char* name;
  std::string system;
  double mass;
  Point3 centre, second;
};
void PrintTo(const Spinner& of, std::ostream* stream) { *stream << of.name; }
class SpinningSolids : public testing::TestWithParam<Spinner> {};

/// Nothing acts from outside, so the first row has what the start has; inner forces and the first step's way
/// keep it to rounding. Blocks of 5 x 4 x 3 layers; a sheet of 11 x 6 vertices, those of its border lighter.
TEST_P(SpinningSolids, HaveTheirAngularMomentum) {
  const Spinner& of = GetParam();
  Played run(played_scene(no_gravity, of.system, ""));
  const StepStatistics row = run.simulation->step(1);
  const Point3 expected = angular_momentum(of.mass, of.centre, of.second),
               got = row.vector("angular_momentum"), momentum = row.vector("momentum");
  note("%s: angular momentum (%g %g %g), expected (%g %g %g)\n", of.name, got[0], got[1], got[2], expected[0],
       expected[1], expected[2]);
  const double size = std::hypot(expected[0], expected[1], expected[2]);
  for (size_t a = 0; a < 3; ++a) {
    EXPECT_NEAR(got[a], expected[a], 1e-4 * size) << a;
    EXPECT_NEAR(momentum[a], of.mass * velocity[a], 1e-5 * of.mass)
        << "a spin about the centre moves nothing";
  }
}

std::string block(const std::string& type, const std::string& keys) {
  return R"({"name": "s", "type": ")" + type + R"(", "bodies": [{"name": "block", "shape": "box",
    "start": [0.1, 0.2, 0.3], "end": [0.2, 0.28, 0.36], "density0": 800, )" +
         keys + motion + "}]}";
}
std::string water(const std::string& type, const std::string& keys) {
  return R"({"name": "s", "type": ")" + type + R"(", )" + keys + R"(, "bodies": [{"name": "block",
    "shape": "box", "start": [0.1, 0.2, 0.3], "end": [0.2, 0.28, 0.36], )" +
         motion + "}]}";
}
const Point3 middle{0.15, 0.24, 0.33}, of_block{layers(5), layers(4), layers(3)};
constexpr double block_mass = 800 * 0.1 * 0.08 * 0.06;
/// Trapezoidal sums of n cells of length d: a second moment per mass of L^2/12 + d^2/6.
double cells(int n) { return n * n * 0.02 * 0.02 / 12 + 0.02 * 0.02 / 6; }

INSTANTIATE_TEST_SUITE_P(
    Kinds, SpinningSolids,
    testing::Values(
        Spinner{"soft", block("elasticSph", R"("youngsModulus": 1e5, )"), block_mass, middle, of_block},
        Spinner{"brittle", block("peridynamics", R"("youngsModulus": 1e5, )"), block_mass, middle, of_block},
        Spinner{"sph", water("sph", R"("soundSpeed": 10, "viscosityModel": "none")"), 1.25 * block_mass,
                middle, of_block},
        Spinner{"dfsph", water("dfsph", R"("divergenceSolve": true)"), 1.25 * block_mass, middle, of_block},
        Spinner{"cloth",
                R"({"name": "s", "type": "massSpring", "bodies": [{"name": "sheet", "shape": "sheet",
                              "origin": [0.1, 0.2, 0.3], "edgeU": [0.2, 0, 0], "edgeV": [0, 0.1, 0],
                              "arealDensity": 3, "stretchStiffness": 100, )" +
                    motion + "}]}",
                3 * 0.2 * 0.1,
                {0.2, 0.25, 0.3},
                {cells(10), cells(5), 0}}),
    [](const auto& info) { return std::string(info.param.name); });

/// Held particles stay; the others turn about the centre of all.
TEST(SpinningSolidsHeld, HeldParticlesDoNotSpin) {
  Played run(played_scene(
      no_gravity,
      block("elasticSph", R"("youngsModulus": 1e5, "pinned": [{"box": [[0, 0, 0], [0.12, 1, 1]]}], )"), ""));
  const FrameData frame = run.simulation->frame();
  for (size_t i = 0; i < frame.position.size(); ++i) {
    const Float3& x = frame.position[i];
    const double expected = x[0] < 0.12f ? 0 : 0.1 + 5 * (x[0] - 0.15) - 2 * (x[2] - 0.33);
    EXPECT_NEAR(frame.velocity[i][1], expected, 1e-6) << i;
  }
}

/// A square bar is turned at one end by 0.4 rad and held at both: the torques on its ends are opposite, and G
/// J t/L with J = 0.1406 a^4 (Saint-Venant). L: between the centres of the last held layers. Elastic SPH with
/// 8 particles across reads torsion somewhat further inside (solvers/methods/elastic_sph/README.md), an order
/// of 1/n^2: 20 %.
TEST(HeldParts, AProbeTellsTheTwoEndsOfATwistedBarApart) {
  const auto force = [](const char* name, const std::string& more) {
    return std::string(R"({"name": ")") + name + R"(", "type": "force", "rate": 20, "body": "bar")" + more +
           "}";
  };
  const std::string scene =
      R"({"title": "torsion", "simulation": {"particleRadius": 0.00625, "gravitation": [0, 0, 0],
      "timeStepSize": 0.01, "endTime": 2},
    "systems": [{"name": "s", "type": "elasticSph", "bodies": [{"name": "bar", "shape": "box",
      "start": [0, -0.05, -0.05], "end": [0.35, 0.05, 0.05], "density0": 1000, "youngsModulus": 1e5, "poissonRatio": 0.3,
      "pinned": [{"box": [[0, -1, -1], [0.025, 1, 1]]}],
      "prescribed": [{"box": [[0.325, -1, -1], [0.35, 1, 1]], "angularVelocity": [1, 0, 0], "endTime": 0.4}]}]}],
    "probes": [)" +
      force("all", "") + "," + force("clamp", R"(, "box": [[0, -1, -1], [0.1, 1, 1]])") + "," +
      force("driven", R"(, "box": [[0.3, -1, -1], [0.4, 1, 1]])") + "]}";
  Played run(scene);
  double clamp = 0, driven = 0, all = 0;
  int rows = 0;
  run.until(2, [&](const StepStatistics& row) {
    if (row.time < 1.5 || !row.has("clamp_torque_x")) return;
    clamp += row["clamp_torque_x"], driven += row["driven_torque_x"], all += row["all_torque_x"];
    ++rows;
  });
  clamp /= rows, driven /= rows, all /= rows;
  const double torque = 1e5 / 2.6 * 0.1406 * std::pow(0.1, 4) * 0.4 / (0.35 - 3 * 0.0125);
  note("torque at the clamp %g, at the turned end %g, of both %g N m; closed form %g\n", clamp, driven, all,
       torque);
  EXPECT_NEAR(clamp, torque, 0.2 * torque);
  EXPECT_NEAR(driven, -torque, 0.2 * torque);
  EXPECT_NEAR(clamp + driven, all, 1e-6 * torque);
  EXPECT_LT(std::abs(all), 0.02 * torque);
}

TEST(HeldParts, ABoxWithoutHeldParticlesIsRefused) {
  const auto message = [](const std::string& pinned, const std::string& of) {
    try {
      Played run(R"({"simulation": {"particleRadius": 0.01}, "systems": [)" +
                 block("elasticSph", R"("youngsModulus": 1e5, )" + pinned) + R"(], "probes": [
        {"name": "p", "type": "force", )" +
                 of + R"("box": [[0.19, 0, 0], [1, 1, 1]]}]})");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string pinned = R"("pinned": [{"box": [[0, 0, 0], [0.12, 1, 1]]}], )",
                    body = R"("body": "block", )";
  EXPECT_NE(message(pinned, body)
                .find("probes.p.box: is [[0.19,0,0],[1,1,1]], which contains no held particle of the body"),
            std::string::npos)
      << message(pinned, body);
  EXPECT_NE(message("", body).find("probes.p.box: nothing of body 'block' is pinned"), std::string::npos);
  EXPECT_NE(message(pinned, "").find("box"), std::string::npos);
  EXPECT_EQ(message(R"("pinned": [{"box": [[0, 0, 0], [1, 1, 1]]}], )", body), "");
}

}  // namespace spinning_solids_test
MERGANSER_END
