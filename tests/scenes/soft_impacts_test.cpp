/// Soft bodies that meet fast, in whole simulations of scene files: what merging-and-splitting does beside a
/// plane wall, which is the same impact by symmetry.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace soft_impacts_test {

constexpr double speed = 10;  // [m/s] of each body

std::string cube(const char* name, double x, double velocity, double aside) {
  const auto text = [](double a) { return std::to_string(a); };
  return R"({"name": ")" + std::string(name) + R"(", "shape": "box", "start": [)" + text(x) + "," +
         text(aside) + "," + text(aside) + R"(], "end": [)" + text(x + 0.2) + "," + text(aside + 0.2) + "," +
         text(aside + 0.2) + R"(], "velocity": [)" + text(velocity) +
         R"(, 0, 0], "density0": 1000, "youngsModulus": 1e6, "poissonRatio": 0.3})";
}

struct Impact {
  double fastest = 0;   ///< [m/s]
  double energy = 0;    ///< greatest kinetic and elastic energy over the first
  double overlap = 0;   ///< greatest, in the sum of radii
  double momentum = 0;  ///< [kg m/s] greatest
  double residual = 0;  ///< greatest of the ledger, over the first energy
};

/// A cube of 10^3 particles of 1 MPa that meets another one, `aside` [m] of it, or a plane, over its first
/// 20 ms, in which it comes to a stop and leaves.
Impact impact(double alpha, bool plane, double aside) {
  const std::string bodies =
      cube("right", 0.005, -speed, 0) + (plane ? "" : "," + cube("left", -0.205, speed, aside));
  Played run(R"({"title": "impact", "simulation": {"particleRadius": 0.01, "gravitation": [0, 0, 0],
                 "endTime": 0.02, "timeStepSize": 0.0002}, "coupling": {"alpha": )" +
             std::to_string(alpha) +
             R"(, "beta": 0, "groupLimit": [8, 64]}, "systems": [{"name": "soft", "type": "elasticSph",
                 "solve": "preconditioned", "tolerance": 1e-5, "bodies": [)" +
             bodies + R"(]}], "walls": [)" +
             (plane ? R"({"shape": "plane", "point": [0, 0, 0], "normal": [1, 0, 0]})" : "") + "]}");
  Impact found;
  double first = 0;
  run.until(0.02, [&](const StepStatistics& row) {
    const double energy = row["kinetic_energy"] + row["elastic_energy"];
    if (first == 0) first = energy;
    found.energy = std::max(found.energy, energy / first);
    found.fastest = std::max(found.fastest, double(row["max_speed"]));
    found.overlap = std::max(found.overlap, double(row["deepest_overlap"]));
    found.residual = std::max(found.residual, std::abs(double(row["energy_residual"])) / first);
    found.momentum = std::max(found.momentum, std::abs(double(row["momentum_x"])));
  });
  return found;
}

/// Lattices that face each other merge in pairs, which stop as particles at a wall do: what is faster than
/// the body is its own motion. (Measured: 14.9 and 15.1 m/s.)
TEST(SoftImpacts, TwoBodiesMoveAsOneAgainstAPlane) {
  const Impact wall = impact(0, true, 0), pair = impact(0, false, 0);
  note("fastest particle: %.2f m/s at a plane, %.2f of two bodies; energies up to %.4f, %.4f of the first\n",
       wall.fastest, pair.fastest, wall.energy, pair.energy);
  EXPECT_GT(wall.fastest, 1.2 * speed);
  EXPECT_NEAR(pair.fastest, wall.fastest, 0.03 * wall.fastest);
  for (const Impact& found : {wall, pair}) EXPECT_LT(found.energy, 1 + 1e-4);
  EXPECT_LT(pair.momentum, 1e-3);
}

/// Half a spacing aside, particles meet several of the other body's; whatever alpha is, none is faster than
/// at the plane by more than a tenth, for the bodies' elasticity returns the energy (with alpha dE given back
/// to single particles some left at 2.4 times the speed of their body).
TEST(SoftImpacts, StaggeredBodiesFlingNothing) {
  const Impact wall = impact(0, true, 0), still = impact(0, false, 0.01), bouncing = impact(1, false, 0.01);
  note("fastest particle: %.2f m/s at a plane, %.2f with alpha 0, %.2f with alpha 1; overlaps %.2f, %.2f\n",
       wall.fastest, still.fastest, bouncing.fastest, still.overlap, bouncing.overlap);
  for (const Impact& found : {still, bouncing}) {
    EXPECT_LT(found.fastest, 1.1 * wall.fastest);
    EXPECT_LT(found.energy, 1 + 1e-4);
    EXPECT_LT(found.overlap, 0.6);
    EXPECT_LT(found.momentum, 1e-3);
    EXPECT_LT(found.residual, 1e-3);
  }
}

}  // namespace soft_impacts_test
MERGANSER_END
