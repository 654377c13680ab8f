/// Starts in periodic domains: places are compared with the nearest image, and stand in the domain.
#include <cmath>
#include <map>
#include <random>

#include "solvers/core/start_checks.h"
#include "solvers/core/start_discs.h"
#include "solvers/core/start_notes.h"
#include "solvers/core/start_period.h"
#include "tests/support/scene_states.h"

namespace merganser {
namespace scene_periodic_test {

using test::expect_says;
using test::SceneFile;

double distance(const Float3& a, const Float3& b, const Point3& period) {
  double square = 0;
  for (size_t axis = 0; axis < 3; ++axis) {
    const double d = double(a[axis]) - b[axis];
    square += std::pow(period[axis] > 0 ? std::remainder(d, period[axis]) : d, 2);
  }
  return std::sqrt(square);
}

/// Particles of three bodies and two magnitudes, some of them periods away, against all pairs. Those of one
/// body count from half of their radii on.
TEST(StartOverlaps, AcrossThePeriodAllAreFound) {
  InitialState state;
  state.periodic_origin = {-0.25, 0.5, 0};
  state.periodic_length = {1, 2, 0};
  SystemState system;
  std::mt19937 random(1);
  std::uniform_real_distribution<float> place(-2, 2);
  for (int body = 0; body < 3; ++body) {
    state.bodies.push_back({"b" + std::to_string(body), 0});
    for (int k = 0; k < 120; ++k) {
      const float x = place(random), y = place(random);
      system.position.push_back({x, y, place(random) / 4});
      system.radius.push_back(body == 2 ? 0.02f : 0.09f);
      system.body.push_back(body);
    }
  }
  std::map<std::pair<int, int>, BodyOverlap> wanted;
  for (size_t i = 0; i < system.position.size(); ++i)
    for (size_t j = i + 1; j < system.position.size(); ++j) {
      const double sum = double(system.radius[i]) + system.radius[j];
      const double depth = sum - distance(system.position[i], system.position[j], state.periodic_length);
      if (depth <= (system.body[i] == system.body[j] ? 0.5 : 1e-3) * sum) continue;
      BodyOverlap& pair = wanted[std::minmax(system.body[i], system.body[j])];
      ++pair.pairs;
      pair.deepest = std::max(pair.deepest, depth);
    }
  state.systems.push_back(system);
  const std::vector<BodyOverlap> found = find_overlaps(state);
  EXPECT_GE(found.size(), 5u);
  ASSERT_EQ(found.size(), wanted.size());
  for (const BodyOverlap& overlap : found) {
    const BodyOverlap& expected = wanted[{overlap.body_a, overlap.body_b}];
    EXPECT_EQ(overlap.pairs, expected.pairs) << overlap.body_a << overlap.body_b;
    EXPECT_NEAR(overlap.deepest, expected.deepest, 1e-6);
  }
}

class PeriodicStart : public SceneFile {
 protected:
  /// Water in a domain of 1 m x 1 m, beside a bar that reaches over it along y.
  std::filesystem::path scene(const std::string& type, const std::string& bodies,
                              const std::string& emitters = "[]") {
    return file(R"({"simulation": {"particleRadius": 0.025, "periodic": {"length": [1, 1, 0]}}, "systems": [
      {"name": "water", "type": ")" +
                type + R"(", "bodies": [)" + bodies + R"(], "emitters": )" + emitters + R"(}], "walls": [
      {"shape": "box", "name": "bar", "inside": false, "low": [0.7, -0.5, -1], "high": [0.88, 1.5, 3]}]})");
  }
  static std::string box(const std::string& name, double x, double y, double length = 0.2) {
    const auto text = [](double a, double b, double c) {
      return "[" + std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(c) + "]";
    };
    return R"({"name": ")" + name + R"(", "shape": "box", "start": )" + text(x, y, 0.1) + R"(, "end": )" +
           text(x + length, y + 0.2, 0.3) + "}";
  }
  std::string notes(const std::filesystem::path& file) { return notes_on_start(state_of(file)); }
};

/// The pair that is refused or named inside is so across the period, and where a body lies periods away.
TEST_F(PeriodicStart, BodiesInEachOtherAreFoundWhereverTheyStand) {
  for (const char* type : {"sph", "dfsph"})
    for (const double shift : {0.0, 1.0, -2.0}) {
      SCOPED_TRACE(std::string(type) + " " + std::to_string(shift));
      EXPECT_EQ(notes(scene(type, box("a", 0.1, 0.1) + "," + box("b", 0.3 + shift, 0.1 - shift))), "");
      expect_says(
          message_of(scene(type, box("a", 0.1, 0.1) + "," + box("b", 0.2 + shift, 0.1 - shift))),
          {"scene.json", "systems.water.bodies.b: 32 of its particles overlap", "of particles of 'a'"});
      expect_says(notes(scene(type, box("a", 0.1, 0.1) + "," + box("b", 0.225 + shift, 0.1 - shift))),
                  {"bodies 'a' and 'b' overlap at the start: "});
    }
}

/// Fluid keeps pairs together whatever the domain is. A few are left to the run: others have them at their
/// ends.
TEST_F(PeriodicStart, OpenDomainsRefuseTheSame) {
  const auto open = [&](const std::string& type, double x) {
    return file(R"({"simulation": {"particleRadius": 0.025}, "systems": [{"name": "water", "type": ")" +
                type + R"(", "bodies": [)" + box("a", 0.1, 0.1) + "," + box("b", x, 0.1) + "]}]}");
  };
  for (const char* type : {"sph", "dfsph"}) {
    expect_says(message_of(open(type, 0.2)), {"systems.water.bodies.b: 32 of its particles overlap: they lie "
                                              "in places of particles of 'a', nearer than 0.0005 m"});
    expect_says(notes(open(type, 0.225)), {"bodies 'a' and 'b' overlap at the start: "});
    EXPECT_EQ(message_of(open(type, 0.3)), "");
    InitialState state = state_of(open(type, 0.3));
    auto& place = state.systems[0].position;
    place[1] = place[0];
    EXPECT_THROW(expect_sound_start(state), InputError) << "1 of 64";
    state =
        state_of(file(R"({"simulation": {"particleRadius": 0.025}, "systems": [{"name": "water", "type": ")" +
                      std::string(type) + R"(", "bodies": [)" + box("a", 0.1, 0.1, 0.6) + "]}]}"));
    state.systems[0].position[1] = state.systems[0].position[0];
    EXPECT_NO_THROW(expect_sound_start(state)) << "1 of 192";
  }
  EXPECT_EQ(message_of(open("flip", 0.2)), "") << "its particles scatter";
}

TEST_F(PeriodicStart, ABodyInItselfIsFound) {
  for (const char* type : {"sph", "dfsph"}) {
    const std::string to_border = R"({"name": "a", "shape": "box", "start": [0, 0, 0.1], "end": [0.7, )";
    EXPECT_EQ(notes(scene(type, to_border + "1, 0.3]}")), "");
    expect_says(
        message_of(scene(type, to_border + "1.1, 0.3]}")),
        {"systems.water.bodies.a: 112 of its particles overlap: they lie in places of others of its own",
         "no longer than simulation.periodic.length"});
    const std::string by_half =
        R"({"name": "a", "shape": "box", "start": [0, 0, 0.1], "end": [0.7, 1.05, 0.3]})";
    InitialState state = state_of(scene(type, to_border + "1, 0.3]}"));
    state.periodic_length[1] = 0.97;
    ASSERT_EQ(find_overlaps(state).size(), 1u) << "the outer layers are 0.02 m apart";
    EXPECT_EQ(find_overlaps(state)[0].pairs, 56) << "of 14 x 4 particles";
    EXPECT_NEAR(find_overlaps(state)[0].deepest, 0.03, 1e-6);
  }
}

/// Fluids of one pressure solve have one density.
TEST_F(PeriodicStart, FluidsOfOneSolveAreOneFluid) {
  const auto two = [&](double x, const std::string& coupled) {
    return file(R"({"simulation": {"particleRadius": 0.025, "periodic": {"length": [1, 1, 0]}}, "systems": [
      {"name": "water", "type": "dfsph", )" +
                coupled + R"("bodies": [)" + box("a", 0.1, 0.1) +
                R"(]}, {"name": "oil", "type": "dfsph", "density0": 900, "bodies": [)" + box("b", x, 0.1) +
                "]}]}");
  };
  EXPECT_EQ(message_of(two(1.3, R"("coupledTo": ["oil"], )")), "");
  expect_says(message_of(two(1.2, R"("coupledTo": ["oil"], )")),
              {"systems.oil.bodies.b: 32 of its particles overlap", "of particles of 'a'"});
  EXPECT_EQ(message_of(two(1.2, "")), "") << "they meet by contacts";
}

/// A body stands where its image in the domain does: before the bar or in it.
TEST_F(PeriodicStart, ParticlesStartInTheDomain) {
  const InitialState inside = state_of(scene("sph", box("a", 0.1, 0.1)));
  const InitialState outside = state_of(scene("sph", box("a", -1.9, 3.1)));
  for (size_t i = 0; i < inside.systems[0].position.size(); ++i)
    for (size_t axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(inside.systems[0].position[i][axis], outside.systems[0].position[i][axis], 1e-6);
  EXPECT_EQ(count_behind_walls(outside)[0], 0);
  expect_says(message_of(scene("sph", box("a", -1.9, 3.1) + "," + box("b", -0.6, 0.1))), {});
  for (const double shift : {0.0, 1.0})
    expect_says(notes(scene("sph", box("a", 0.6 - shift, 0.1))),
                {"32 particles start behind walls.0 ('bar')"});
}

/// Walls have no images: one that fluid would see from one end of the period alone is refused.
TEST_F(PeriodicStart, WallsFitIntoThePeriod) {
  const auto said = [&](const std::string& wall) {
    return message_of(
        file(R"({"simulation": {"particleRadius": 0.025, "endTime": 1, "periodic": {"length": [1, 1, 0]}},
      "systems": [{"name": "water", "type": "sph", "bodies": [)" +
             box("a", 0.1, 0.1) + R"(]}], "walls": [{"name": "w", )" + wall + "}]}"));
  };
  const auto box_wall = [](const char* inside, const std::string& low, const std::string& high) {
    return R"("shape": "box", "inside": )" + std::string(inside) + R"(, "low": )" + low + R"(, "high": )" +
           high;
  };
  const auto block = [&](const char* low, const char* high) { return box_wall("false", low, high); };
  const auto tank = [&](const char* low, const char* high) { return box_wall("true", low, high); };
  const std::string
      ball = R"("shape": "sphere", "radius": 0.1, "inside": false, "centre": )",
      rod = R"("shape": "cylinder", "radius": 0.1, "inside": false, "point": [0.6, 0, 0], "axis": )";
  const std::string middle = block("[0.5, 0.2, 0]", "[0.7, 0.8, 1]"),
                    bar = block("[0.5, -0.2, 0]", "[0.7, 1.2, 1]");
  for (const std::string& fits :
       {middle, bar, middle + R"(, "motion": {"amplitude": [0.15, 0, 0], "frequency": 1})",
        tank("[-1, -1, 0]", "[2, 2, 1]"), tank("[0, 0, 0]", "[0.8, 0.8, 1]"), ball + "[0.6, 0.5, 0]",
        rod + "[0, 1, 0]", std::string(R"("shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1])")})
    EXPECT_EQ(said(fits), "") << fits;
  for (const std::string& refused :
       {block("[0.9, 0.2, 0]", "[1.1, 0.8, 1]"), block("[1.2, 0.2, 0]", "[1.4, 0.8, 1]"),
        block("[0.05, 0.2, 0]", "[0.09, 0.8, 1]"), block("[0.5, 0, 0]", "[0.7, 1, 1]"),
        bar + R"(, "rotationAngle": 0.1)", middle + R"(, "motion": {"velocity": [0.5, 0, 0]})",
        tank("[0, 0, 0]", "[1, 1, 1]"), ball + "[0, 0.5, 0]", rod + "[1, 1, 0]"})
    expect_says(said(refused),
                {"walls.0 ('w'): reaches from ", "simulation.periodic.length has its ends at 0",
                 "walls have no images", "0.12", "away from both ends"});
  for (const char* normal : {"[1, 0, 0]", "[0, 0.01, 1]"})
    expect_says(said(R"("shape": "plane", "point": [-1, -1, -1], "normal": )" + std::string(normal)),
                {"walls.0 ('w').normal: has a component along ", "simulation.periodic.length"});
}

TEST_F(PeriodicStart, EmittersAreComparedWithTheirImages) {
  const auto jet = [](const std::string& name, const std::string& place) {
    return R"({"name": ")" + name + R"(", "position": )" + place +
           R"(, "direction": [0, 0, -1], "radius": 0.1, "velocity": 1})";
  };
  EXPECT_EQ(notes(scene("sph", "", "[" + jet("a", "[0.5, 0.05, 1]") + "," + jet("b", "[0.5, 1.5, 1]") + "]")),
            "");
  expect_says(
      notes(scene("sph", "", "[" + jet("a", "[0.5, 0.05, 1]") + "," + jet("b", "[0.5, 0.95, 1]") + "]")),
      {"systems.water.emitters.a and systems.water.emitters.b emit from one place"});
  expect_says(notes(scene("sph", "", "[" + jet("a", "[-0.2, 0.5, 1]") + "]")),
              {"systems.water.emitters.a lies behind walls.0 ('bar')"});
}

/// A disc may be as wide as the period less a spacing, in every direction that has a period.
TEST_F(PeriodicStart, ADiscInItselfIsRefused) {
  const auto said = [&](const std::string& type, double radius, const std::string& direction) {
    return message_of(scene(type, "",
                            R"([{"name": "jet", "position": [0.5, 0.1, 1], "velocity": 1, "direction": )" +
                                direction + R"(, "radius": )" + std::to_string(radius) + "}]"));
  };
  for (const char* type : {"sph", "dfsph"}) {
    EXPECT_EQ(said(type, 0.47, "[0, 0, -1]"), "");
    for (const char* direction : {"[0, 0, -1]", "[1, 0, 0]"})
      expect_says(said(type, 0.6, direction),
                  {"scene.json", "systems.water.emitters.jet.radius: is 0.6 m", "its own image",
                   "nearer to each other than 0.05 m", "simulation.periodic.length longer"});
  }
}

/// The outermost places of a disc, against all pairs.
TEST(EmitterDiscs, MeetTheirImagesWhereTheirPlacesAreNear) {
  const double spacing = 0.1;
  for (const double radius : {0.05, 0.2, 0.37, 1.0}) {
    EmitterParameters emitter;
    emitter.radius = radius, emitter.direction = {1, 2, 3};
    const EmitterDisc disc = disc_of(emitter, spacing);
    std::vector<cpu::Vec3d> places;
    for (long long a = -20; a <= 20; ++a)
      for (long long b = -20; b <= 20; ++b)
        if (a * a + b * b <= disc.ring)
          places.push_back(double(a) * spacing * disc.across + double(b) * spacing * disc.up);
    EXPECT_NEAR(double(places.size()), 3.14159 * radius * radius / (spacing * spacing), 3 + 50 * radius);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> share(0, 1);
    int met = 0;
    for (int k = 0; k < 300; ++k) {
      const double along = (2 * radius + 0.1) * share(random), angle = 6.3 * share(random);
      const cpu::Vec3d offset = along * (std::cos(angle) * disc.across + std::sin(angle) * disc.up) +
                                0.12 * share(random) * disc.normal;
      double least = 1e300;
      for (const cpu::Vec3d& a : places)
        for (const cpu::Vec3d& b : places) least = std::min(least, norm(a - b - offset));
      if (std::abs(least / spacing - 1) < 2e-3) continue;
      EXPECT_EQ(meets_image(disc, offset), least < spacing) << radius << " " << k << " " << least;
      met += least < spacing;
    }
    EXPECT_GT(met, 20);
  }
}

}  // namespace scene_periodic_test
}  // namespace merganser
