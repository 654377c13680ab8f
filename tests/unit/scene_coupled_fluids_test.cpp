/// Names that `coupledTo` of a fluid may hold: every wrong list is an InputError that says which key, which
/// name and the remedy.
#include "solvers/core/start_checks.h"
#include "solvers/methods/dfsph/dfsph_parameters.h"
#include "tests/support/scene_files.h"

namespace merganser {
namespace scene_coupled_fluids_test {

class CoupledFluids : public test::SceneTest {
 protected:
  /// Two fluids, a rigid box, a soft box and a cloth, all of one spacing and apart from each other.
  std::filesystem::path tank() {
    return file(R"({
      "simulation": {"particleRadius": 0.05},
      "systems": [
        {"name": "water", "type": "dfsph", "bodies": [
          {"name": "pool", "shape": "box", "start": [0, 0, 0], "end": [0.5, 0.5, 0.5]}]},
        {"name": "oil", "type": "dfsph", "density0": 800, "bodies": [
          {"name": "layer", "shape": "box", "start": [0, 0, 1], "end": [0.5, 0.5, 1.5]}]},
        {"name": "solids", "type": "rigid", "bodies": [
          {"name": "box", "shape": "box", "start": [0, 0, 2], "end": [0.3, 0.3, 2.3], "density0": 500}]},
        {"name": "soft", "type": "elasticSph", "bodies": [
          {"name": "block", "shape": "box", "start": [0, 0, 3], "end": [0.3, 0.3, 3.3], "density0": 900,
           "youngsModulus": 1e6, "poissonRatio": 0.3}]},
        {"name": "cloth", "type": "massSpring", "bodies": [
          {"name": "sheet", "shape": "sheet", "origin": [0, 0, 4], "edgeU": [1, 0, 0], "edgeV": [0, 1, 0],
           "arealDensity": 2, "stretchStiffness": 100}]}
      ]
    })");
  }
  std::string said(const std::vector<std::string>& settings) {
    SceneOverrides changed;
    changed.set = settings;
    return message_of(tank(), changed);
  }
};

TEST_F(CoupledFluids, FluidsRigidBodiesAndElasticSolidsMayTakePart) {
  EXPECT_EQ(said({R"(systems.water.coupledTo=["oil", "solids", "soft"])"}), "");
}
/// A ball six spacings across has room for 113.1 particles; 136 points of a lattice lie in it. It keeps those
/// where the scene says so, or where no fluid names it.
TEST_F(CoupledFluids, RoundRigidBodiesHaveTheParticlesOfTheirVolume) {
  const auto of_solids = [&](const std::string& sampling, const std::string& coupled_to) {
    SceneOverrides changed;
    changed.set = {R"(systems.solids.bodies=[{"name": "ball", "shape": "sphere", "centre": [0, 0, 2], )"
                   R"("radius": 0.3, "density0": 500)" +
                       sampling + "}]",
                   "systems.water.coupledTo=" + coupled_to};
    const InitialState made = build_initial_state(load_scene(tank(), changed));
    for (const SystemState& system : made.systems)
      if (system.name == "solids") return system.position.size();
    return size_t(0);
  };
  EXPECT_EQ(of_solids("", R"(["solids"])"), 113u);
  EXPECT_EQ(of_solids(R"(, "sampling": "lattice")", R"(["solids"])"), 136u);
  EXPECT_EQ(of_solids("", "[]"), 136u);
}
/// Beside solids the kernels of all fluids of the solve are wider, where the scene does not say which they
/// are.
TEST_F(CoupledFluids, KernelsAreWiderBesideSolids) {
  struct Kernels {
    double water, oil;
    DfsphKernel of_water;
  };
  const auto kernels = [&](std::vector<std::string> settings) {
    SceneOverrides changed;
    changed.set = std::move(settings);
    Kernels found{};
    for (const SystemState& system : build_initial_state(load_scene(tank(), changed)).systems) {
      const auto* p = system.parameters.find<DfsphParameters>();
      if (!p) continue;
      (system.name == "oil" ? found.oil : found.water) = p->smoothing_length_factor;
      if (system.name == "water") found.of_water = p->kernel;
    }
    return found;
  };
  const auto expect = [](const Kernels& found, double water, double oil, DfsphKernel of_water) {
    EXPECT_EQ(found.water, water);
    EXPECT_EQ(found.oil, oil);
    EXPECT_EQ(found.of_water, of_water);
  };
  expect(kernels({}), 1, 1, DfsphKernel::cubic_spline);
  expect(kernels({R"(systems.water.coupledTo=["oil"])"}), 1, 1, DfsphKernel::cubic_spline);
  for (const char* solid : {"solids", "soft"})
    expect(kernels({std::string(R"(systems.water.coupledTo=[")") + solid + "\"]"}), 1.2, 1,
           DfsphKernel::wendland_c2);
  expect(kernels({R"(systems.water.coupledTo=["oil", "solids"])"}), 1.2, 1.2, DfsphKernel::wendland_c2);
  expect(kernels({R"(systems.water.coupledTo=["solids"])", "systems.water.smoothingLengthFactor=1.5"}), 1.5,
         1, DfsphKernel::wendland_c2);
  expect(kernels({R"(systems.water.coupledTo=["solids"])", "systems.water.kernel=cubicSpline"}), 1.2, 1,
         DfsphKernel::cubic_spline);
}
/// Images where fluid weighs and all walls can have them, unless a fluid of the solve says otherwise.
TEST_F(CoupledFluids, WallsPressByImagesWhereTheyCan) {
  using Pair = std::pair<DfsphWallPressure, DfsphWallPressure>;
  const auto chosen = [&](std::vector<std::string> settings) {
    SceneOverrides changed;
    changed.set = std::move(settings);
    Pair found;
    for (const SystemState& system : build_initial_state(load_scene(tank(), changed)).systems)
      if (const auto* p = system.parameters.find<DfsphParameters>())
        (system.name == "oil" ? found.second : found.first) = p->wall_pressure;
    return found;
  };
  constexpr auto images = DfsphWallPressure::images, mirrored = DfsphWallPressure::mirrored,
                 conservative = DfsphWallPressure::conservative;
  const std::string coupled = R"(systems.water.coupledTo=["oil"])",
                    of_water = R"(systems.water.wallPressure="conservative")",
                    of_oil = R"(systems.oil.wallPressure="conservative")";
  const std::string floor = R"({"shape": "plane", "point": [0, 0, -1], "normal": [0, 0, 1]})",
                    on_floor = "walls=[" + floor + "]";
  EXPECT_EQ(chosen({}), Pair(mirrored, mirrored));
  EXPECT_EQ(chosen({on_floor}), Pair(images, images));
  EXPECT_EQ(chosen({on_floor, "simulation.gravitation=[0, 0, 0]"}), Pair(mirrored, mirrored));
  EXPECT_EQ(chosen({on_floor, of_water}), Pair(conservative, images));
  EXPECT_EQ(chosen({on_floor, coupled}), Pair(images, images));
  EXPECT_EQ(chosen({on_floor, coupled, of_water}), Pair(conservative, conservative));
  EXPECT_EQ(chosen({on_floor, coupled, of_oil}), Pair(conservative, conservative));
  for (
      const char* other :
      {R"({"shape": "sphere", "centre": [0, 0, -3], "radius": 1, "inside": false})",
       R"({"shape": "plane", "point": [0, 0, -3], "normal": [0, 1, 3]})",
       R"({"shape": "plane", "point": [0, 0, -3], "normal": [0, 0, 1], "boundary": "samples"})",
       R"({"shape": "plane", "point": [0, 0, -3], "normal": [0, 0, 1], "motion": {"angularVelocity": [0, 0, 1]}})"}) {
    SCOPED_TRACE(other);
    const std::string walls = "walls=[" + floor + ", " + other + "]";
    EXPECT_EQ(chosen({walls}), Pair(mirrored, mirrored));
    EXPECT_EQ(chosen({walls, of_oil}), Pair(mirrored, conservative));
  }
}
TEST_F(CoupledFluids, NamesMustBeThoseOfOtherSystems) {
  test::expect_says(said({R"(systems.water.coupledTo=["oli"])"}),
                    {"systems.water.coupledTo", "no other system", "'oli'", "there are ", "oil", "solids",
                     "soft", "cloth"});
  test::expect_says(said({R"(systems.water.coupledTo=["water"])"}),
                    {"systems.water.coupledTo", "no other system", "'water'"});
  test::expect_says(
      said({R"(systems=[{"name": "water", "type": "dfsph", "coupledTo": ["oil"], "bodies": [)"
            R"({"name": "pool", "shape": "box", "start": [0, 0, 0], "end": [0.5, 0.5, 0.5]}]}])"}),
      {"systems.water.coupledTo", "'oil'", "there is no other; leave coupledTo out"});
}
TEST_F(CoupledFluids, NamesStandThereOnce) {
  test::expect_says(said({R"(systems.water.coupledTo=["oil", "soft", "oil"])"}),
                    {"systems.water.coupledTo", "'oil'", "twice"});
}
TEST_F(CoupledFluids, OtherMethodsMeetFluidsByContact) {
  test::expect_says(said({R"(systems.water.coupledTo=["cloth"])"}),
                    {"systems.water.coupledTo", "'cloth'", "\"massSpring\"", "elasticSph, rigid and dfsph",
                     "coupling.method"});
}
/// Neither directly, nor by a fluid that leads a solve of its own.
TEST_F(CoupledFluids, NobodyTakesPartInTwoSolves) {
  test::expect_says(said({R"(systems.water.coupledTo=["solids"])", R"(systems.oil.coupledTo=["solids"])"}),
                    {"systems.water.coupledTo", "'solids'", "'oil'", "one fluid list all"});
  test::expect_says(said({R"(systems.water.coupledTo=["oil"])", R"(systems.oil.coupledTo=["solids"])"}),
                    {"systems.water.coupledTo", "'oil'", "one fluid list all"});
}
TEST_F(CoupledFluids, FluidsOfOneSolveHaveOneWallPressure) {
  const std::string listed = R"(systems.water.coupledTo=["oil"])";
  EXPECT_EQ(said({listed, R"(systems.water.wallPressure="conservative")"}), "");
  test::expect_says(said({listed, R"(systems.water.wallPressure="conservative")",
                          R"(systems.oil.wallPressure="mirrored")"}),
                    {"systems.water.coupledTo", "'oil'", "\"mirrored\"", "\"conservative\"", "give both"});
  EXPECT_EQ(said({listed, R"(systems.water.wallPressure="conservative")",
                  R"(systems.oil.wallPressure="conservative")"}),
            "");
}
/// Scenes have one particle radius; states that a program makes may have more.
TEST_F(CoupledFluids, ParticlesHaveOneSize) {
  SceneOverrides changed;
  changed.set = {R"(systems.water.coupledTo=["soft"])"};
  InitialState state = build_initial_state(load_scene(tank(), changed));
  EXPECT_NO_THROW(expect_sound_start(state));
  for (SystemState& system : state.systems)
    if (system.name == "soft") system.radius[5] = 0.0625f;
  try {
    expect_sound_start(state);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    test::expect_says(error.what(), {"systems.water.coupledTo", "'soft'", "0.0625 m", "'water'", "0.05 m",
                                     "same particle spacing"});
  }
}

}  // namespace scene_coupled_fluids_test
}  // namespace merganser
