/// Bodies with a start time: not there before it, like any other from it on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "device/errors.h"
#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace late_bodies_test {

std::string number(double a) { return std::to_string(a); }

/// Of 5^3 particles.
std::string box(const std::string& name, double x, double y, double z, const std::string& keys) {
  return R"({"name": ")" + name + R"(", "shape": "box", "start": [)" + number(x) + "," + number(y) + "," +
         number(z) + R"(], "end": [)" + number(x + 0.25) + "," + number(y + 0.25) + "," + number(z + 0.25) +
         "]" + keys + "}";
}
const std::string is_soft = R"(, "density0": 500, "youngsModulus": 2e5, "poissonRatio": 0.3)";
const std::string is_rigid = R"(, "density0": 700)";

/// What there is of a body in a frame, in the order of its particles.
struct Part {
  std::vector<Float3> position, velocity;
};
Part part_of(const Played& run, const std::string& name) {
  const FrameData frame = run.simulation->frame();
  const std::vector<BodyInfo> bodies = build_initial_state(run.scene).bodies;
  const auto body =
      std::find_if(bodies.begin(), bodies.end(), [&](const BodyInfo& b) { return b.name == name; }) -
      bodies.begin();
  Part part;
  for (size_t i = 0; i < frame.id.size(); ++i)
    if (frame.body[i] == body) {
      part.position.push_back(frame.position[i]);
      part.velocity.push_back(frame.velocity[i]);
    }
  return part;
}
double farthest(const std::vector<Float3>& a, const std::vector<Float3>& b) {
  double most = a.size() == b.size() ? 0 : 1e30;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    for (size_t c = 0; c < 3; ++c) most = std::max(most, std::abs(double(a[i][c]) - double(b[i][c])));
  return most;
}

constexpr double start = 0.1;  // [s] of those that are late

/// A soft and a rigid cube that fall onto a floor, turning; `late`: both from `start` on. A third one, soft,
/// is there from the beginning. (They do not meet: which pairs merge first depends on the number of the
/// step.)
std::string falling(bool late, const std::string& solve) {
  const std::string when = late ? R"(, "startTime": )" + number(start) : "";
  return R"({"title": "late", "simulation": {"particleRadius": 0.025, "endTime": 1, "timeStepSize": 0.001},
    "coupling": {"alpha": 0.5}, "systems": [
      {"name": "soft", "type": "elasticSph", "tolerance": 1e-6, "solve": ")" +
         solve + R"(", "bodies": [)" + box("first", 3, 0, 0.3, is_soft) + "," +
         box("soft", 0, 0, 0.05, R"(, "velocity": [0.5, 0, 0], "spin": [0, 3, 0])" + is_soft + when) +
         R"(]}, {"name": "rigid", "type": "rigid", "bodies": [)" +
         box("rigid", 1, 0, 0.05, R"(, "spin": [0, 0, 4])" + is_rigid + when) +
         R"(]}], "walls": [{"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1], "friction": 0.2}]})";
}

/// To rounding of the times and to the tolerance of solves, which are shared with the body that is there
/// before, when they have slid on the floor for 50 steps. Later, by less than a fiftieth of a spacing:
/// whether a wall holds a particle that is about to leave it (implicit_walls.h) may then hang on that
/// rounding.
void expect_same_as_at_once(const std::string& solve) {
  struct Bounds {
    double time, position, velocity;  // [s], [m], [m/s]
  };
  Played at_once(falling(false, solve)), late(falling(true, solve));
  late.until(start);
  for (const char* body : {"soft", "rigid"}) EXPECT_TRUE(part_of(late, body).position.empty());
  for (const Bounds& soft : {Bounds{0.15, 1e-6, 1e-5}, Bounds{0.3, 1e-3, 3e-2}}) {
    const Bounds rigid{soft.time, 1e-6, 1e-5};
    at_once.until(soft.time);
    late.until(start + soft.time);
    double lowest = 1;
    for (const auto& [body, most] : {std::pair{"soft", soft}, std::pair{"rigid", rigid}}) {
      const Part a = part_of(at_once, body), b = part_of(late, body);
      ASSERT_EQ(a.position.size(), 125u);
      const double x = farthest(a.position, b.position), v = farthest(a.velocity, b.velocity);
      note("%s, %g s: body %s differs by %.1e m and %.1e m/s\n", solve.c_str(), soft.time, body, x, v);
      EXPECT_LT(x, most.position) << solve << ", " << soft.time << " s";
      EXPECT_LT(v, most.velocity) << solve << ", " << soft.time << " s";
      for (const Float3& of : b.position) lowest = std::min(lowest, double(of[2]));
    }
    EXPECT_LT(lowest, 0.027) << "on the floor";
  }
}
TEST(LateBodies, MoveLikeThoseThatAreThereAtOnce) { expect_same_as_at_once("preconditioned"); }
TEST(LateBodies, MoveLikeThoseOfConjugateGradients) { expect_same_as_at_once("conjugateGradient"); }
TEST(LateBodies, MoveLikeThoseOfTheSplitSolve) { expect_same_as_at_once("split"); }

/// A cube flies through two that wait, one in the other, and keeps its velocity to the bit of a float;
/// nothing of them is in frames, sums or contacts.
TEST(LateBodies, NothingMeetsThoseThatWait) {
  const std::string waits = R"(, "startTime": 5)";
  Played run(
      R"({"title": "through", "simulation": {"particleRadius": 0.025, "endTime": 1, "timeStepSize": 0.002,
      "gravitation": [0, 0, 0]}, "systems": [
      {"name": "soft", "type": "elasticSph", "bodies": [)" +
      box("flying", 0, 0, 0, R"(, "velocity": [4, 0, 0])" + is_soft) + "," +
      box("waiting", 0.5, 0.1, 0, is_soft + waits) + R"(]}, {"name": "rigid", "type": "rigid", "bodies": [)" +
      box("waiting_too", 0.6, 0, 0, R"(, "velocity": [9, 0, 0])" + is_rigid + waits) + "]}]}");
  const double mass = 125 * 500 * std::pow(0.05, 3);
  run.until(0.4, [&](const StepStatistics& row) {
    EXPECT_EQ(row["contacts"], 0);
    EXPECT_NEAR(row.vector("momentum")[0], 4 * mass, 1e-5 * mass);
    EXPECT_NEAR(row["max_speed"], 4, 1e-4);
    EXPECT_EQ(row["emitted_particles"], 0);
  });
  const Part flying = part_of(run, "flying");
  EXPECT_GT(flying.position[0][0], 1.5);
  EXPECT_EQ(run.simulation->frame().id.size(), 125u);
}

/// A tank at rest in which a soft and a rigid cube wait is, to the bit, the tank without them; once they
/// start, above the water, they float in it.
TEST(LateBodies, FluidIsInTheirPlaceUntilThen) {
  const auto tank = [](double z, double when) {
    const std::string waits = R"(, "startTime": )" + number(when);
    return R"({"title": "tank", "simulation": {"particleRadius": 0.025, "endTime": 1, "maxTimeStepSize": 0.002},
      "coupling": {"method": "none"}, "systems": [
      {"name": "soft", "type": "elasticSph", "bodies": [)" +
           box("soft", 0.05, 0.05, z, is_soft + waits) +
           R"(]}, {"name": "rigid", "type": "rigid", "bodies": [)" +
           box("rigid", 0.45, 0.05, z, is_rigid + waits) +
           R"(]}, {"name": "water", "type": "dfsph", "density0": 1000, "coupledTo": ["soft", "rigid"], "bodies": [
           {"name": "water", "shape": "box", "start": [0, 0, 0], "end": [0.75, 0.4, 0.4]}]}],
      "walls": [{"shape": "box", "low": [0, 0, 0], "high": [0.75, 0.4, 2]}]})";
  };
  Played inside(tank(0.1, 5)), outside(tank(1.5, 5)), floating(tank(0.45, 0.1));
  inside.until(0.1);
  outside.until(0.1);
  const Part a = part_of(inside, "water"), b = part_of(outside, "water");
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(inside.simulation->frame().id.size(), a.position.size());
  double fastest = 0;
  floating.until(0.6,
                 [&](const StepStatistics& row) { fastest = std::max(fastest, double(row["max_speed"])); });
  EXPECT_LT(fastest, 3);
  for (const char* body : {"soft", "rigid"}) {
    const Part part = part_of(floating, body);
    ASSERT_EQ(part.position.size(), 125u);
    double height = 0;
    for (const Float3& x : part.position) height += double(x[2]) / 125;
    EXPECT_GT(height, 0.25) << body;
    EXPECT_LT(height, 0.52) << body;
  }
}

/// Three bodies of one place and one start time come one behind the other, as each leaves its 0.25 m at 2
/// m/s; rows count them, and the ledger closes: energy and momentum are what they brought.
TEST(LateBodies, WaitUntilTheirPlaceIsFree) {
  const std::string keys = R"(, "velocity": [2, 0, 0], "startTime": 0.05)";
  Played run(
      R"({"title": "queue", "simulation": {"particleRadius": 0.025, "endTime": 1, "timeStepSize": 0.002,
      "gravitation": [0, 0, -1]}, "systems": [
      {"name": "soft", "type": "elasticSph", "bodies": [)" +
      box("one", 0, 0, 0, is_soft + keys) + "," + box("two", 0, 0, 0, is_soft + keys) +
      R"(]}, {"name": "rigid", "type": "rigid", "bodies": [)" + box("three", 0, 0, 0, is_rigid + keys) +
      "]}]}");
  const double mass = (2 * 500 + 700) * std::pow(0.25, 3);
  std::vector<double> starts;
  const auto see = [&](const StepStatistics& row) {
    while (double(starts.size()) * 125 < row["emitted_particles"]) starts.push_back(row["time"] - row["dt"]);
    EXPECT_EQ(run.simulation->frame().id.size(), 125 * starts.size());
    // Their centres of mass begin at z = 0.125 m.
    const double brought = row["emitted_mass"] * (0.5 * 2 * 2 + 1 * 0.125);
    EXPECT_NEAR(row["external_work"], brought, 1e-5 * mass);
    EXPECT_NEAR(row.vector("external_impulse")[0], 2 * row["emitted_mass"], 1e-5 * mass);
    EXPECT_NEAR(row["energy_residual"], 0, 1e-5 * mass);
    EXPECT_NEAR(row.vector("momentum_residual")[2], 0, 1e-5 * mass);
    EXPECT_EQ(row["contacts"], 0);
  };
  run.until(0.05, see);
  EXPECT_TRUE(run.simulation->warnings_now().empty());
  run.until(0.1, see);
  EXPECT_EQ(run.simulation->warnings_now().size(), 2u) << "of those whose place is not free";
  run.until(0.4, see);
  ASSERT_EQ(starts.size(), 3u);
  EXPECT_TRUE(run.simulation->warnings_now().empty());
  EXPECT_NEAR(starts[0], 0.05, 1e-6);
  // Falling aside as well, they need no longer than 0.25 m at 2 m/s, and no less than that less a step.
  EXPECT_NEAR(starts[1], 0.05 + 0.125, 0.0021);
  EXPECT_NEAR(starts[2], 0.05 + 0.25, 0.0041);
  EXPECT_NEAR(run.last["emitted_mass"], mass, 1e-4 * mass);
}

/// Before, at and after the start, with the bits of a run that was never interrupted.
TEST(LateBodies, ResumeWithTheSameBits) {
  for (const double stop : {0.05, start, 0.16}) {
    Played whole(falling(true, "auto")), first(falling(true, "auto")), resumed(falling(true, "auto"));
    whole.until(stop);  // steps end there, too
    whole.until(0.25);
    first.until(stop);
    resumed.simulation->load(first.simulation->save());
    resumed.until(0.25);
    const FrameData a = whole.simulation->frame(), b = resumed.simulation->frame();
    EXPECT_EQ(a.id.size(), 375u);
    EXPECT_EQ(a.position, b.position) << stop;
    EXPECT_EQ(a.velocity, b.velocity) << stop;
    for (const char* column : {"emitted_particles", "emitted_mass", "external_work", "dissipated_energy"})
      EXPECT_EQ(whole.last[column], resumed.last[column]) << column << stop;
  }
}

/// Bodies that are copies share a factor, whenever they start.
TEST(LateBodies, ShareAFactor) {
  Played run(falling(true, "preconditioned"));
  const auto figures = run.simulation->setup_metrics();
  const auto factors =
      std::find_if(figures.begin(), figures.end(), [](const auto& f) { return f.first == "factors"; });
  ASSERT_NE(factors, figures.end());
  EXPECT_EQ(factors->second, 1);
}

TEST(LateBodies, KinematicBodiesAreRefused) {
  try {
    Played run(R"({"title": "told", "simulation": {"particleRadius": 0.025, "endTime": 1}, "systems": [
      {"name": "rigid", "type": "rigid", "bodies": [)" +
               box("told", 0, 0, 0, R"(, "density0": 700, "kinematic": true, "startTime": 1)") + "]}]}");
    FAIL() << "taken";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("startTime"), std::string::npos) << error.what();
  }
}

}  // namespace late_bodies_test
MERGANSER_END
