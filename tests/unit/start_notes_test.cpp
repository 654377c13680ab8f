/// What check and run say of a start that is allowed and seldom meant.
#include "solvers/core/start_notes.h"

#include <nlohmann/json.hpp>

#include "host/scene/scene_report.h"
#include "tests/support/made_meshes.h"
#include "tests/support/scene_states.h"

namespace merganser {
namespace start_notes_test {

using test::SceneFile;

class StartNotes : public SceneFile {
 protected:
  std::string notes(const std::string& water, const std::string& others = "") {
    return notes_on_start(build_initial_state(load_scene(file(
        R"({"simulation": {"particleRadius": 0.05}, "systems": [{"name": "water", "type": "dfsph")" + water +
        "}" + others + R"(], "walls": [{"shape": "box", "name": "tank", "low": [0, 0, 0], "high": [1, 1, 1]},
                                 {"shape": "sphere", "centre": [0.5, 0.5, 0.2], "radius": 0.2, "inside": false}]})"))));
  }
  static std::string jet(const std::string& position, const std::string& radius = "0.1") {
    return R"(, "emitters": [{"name": "jet", "position": )" + position +
           R"(, "direction": [0, 0, -1], "radius": )" + radius + R"(, "velocity": 1}])";
  }
  static std::string body(const std::string& type, const std::string& end) {
    return R"(, {"name": "solid", "type": ")" + type + R"(", "bodies": [{"name": "block", "shape": "box",
      "start": [0.1, 0.1, 0.7], "end": )" +
           end + R"(, "density0": 1500)" + (type == "rigid" ? "" : R"(, "youngsModulus": 1e6)") + "}]}";
  }
};

TEST_F(StartNotes, EmittersInWallsAreNamed) {
  EXPECT_EQ(notes(jet("[0.5, 0.5, 0.8]")), "");
  EXPECT_EQ(notes(jet("[0.5, 0.5, 1]")), "") << "in the wall's plane";
  EXPECT_EQ(notes(jet("[0.1, 0.5, 0.8]")), "") << "as far as the wall";
  test::expect_says(notes(jet("[0.5, 0.5, 1.2]")),
                    {"systems.water.emitters.jet lies behind walls.0 ('tank')", "move the emitter"});
  test::expect_says(notes(jet("[0.02, 0.5, 0.8]")),
                    {"systems.water.emitters.jet reaches behind walls.0 ('tank')"});
  test::expect_says(notes(jet("[0.5, 0.5, 0.2]")), {"systems.water.emitters.jet lies behind walls.1:"});
}

TEST_F(StartNotes, EmittersThatEmitNothingAreNamed) {
  const auto limited = [](int most) {
    return R"(, "emitters": [{"name": "jet", "position": [0.5, 0.5, 0.8], "radius": 0.2, "velocity": 1, "maxParticles": )" +
           std::to_string(most) + "}]";
  };
  EXPECT_EQ(notes(limited(13)), "") << "a layer: pi 0.2^2 m^2 of particles 0.1 m apart";
  test::expect_says(notes(limited(12)),
                    {"systems.water.emitters.jet emits nothing: a layer has 13 particles, more "
                     "than maxParticles, 12; raise maxParticles"});
}

/// In one plane, discs overlap, and times do.
TEST_F(StartNotes, EmittersInOnePlaceAreNamed) {
  const auto two = [&](const std::string& more) {
    return notes(R"(, "emitters": [{"name": "a", "position": [0.5, 0.5, 0.8], "radius": 0.15, "velocity": 1,
                                    "endTime": 0.5}, {"name": "b", "radius": 0.15, "velocity": 2, )" +
                 more + "}]");
  };
  const std::string said =
      "systems.water.emitters.a and systems.water.emitters.b emit from one place at one time";
  test::expect_says(two(R"("position": [0.5, 0.5, 0.8])"), {said});
  test::expect_says(two(R"("position": [0.6, 0.6, 0.8], "direction": [0, 0, 1])"), {said});
  EXPECT_EQ(two(R"("position": [0.5, 0.5, 0.8], "startTime": 0.5)"), "");
  EXPECT_EQ(two(R"("position": [0.8, 0.5, 0.8])"), "") << "side by side";
  EXPECT_EQ(two(R"("position": [0.5, 0.5, 0.9])"), "") << "one before the other";
}

/// Within a spacing of the disc. FLIP scatters its particles.
TEST_F(StartNotes, EmittersInBodiesAreNamed) {
  const auto said = [&](const std::string& type, const std::string& place,
                        const std::string& simulation = "") {
    return notes_on_start(build_initial_state(load_scene(
        file(R"({"simulation": {"particleRadius": 0.05)" + simulation +
             R"(}, "systems": [{"name": "water", "type": ")" + type +
             R"(", "bodies": [{"name": "pool", "shape": "box", "start": [0, 0, 0], "end": [1, 1, 0.4]}])" +
             jet(place) + "}]}"))));
  };
  for (const char* type : {"sph", "dfsph"}) {
    for (const char* place : {"[0.5, 0.5, 0.2]", "[0.5, 0.5, 0.44]", "[1.1, 0.5, 0.2]"})
      test::expect_says(said(type, place),
                        {"systems.water.emitters.jet emits into systems.water.bodies.pool: ",
                         " particles start nearer than 0.1 m, a spacing, to its disc", "move the emitter"});
    EXPECT_EQ(said(type, "[0.5, 0.5, 0.46]"), "") << "0.11 m above the highest centres";
    EXPECT_EQ(said(type, "[1.3, 0.5, 0.2]"), "");
    const std::string periodic = R"(, "periodic": {"length": [2, 0, 0]})";
    test::expect_says(said(type, "[1.9, 0.5, 0.2]", periodic), {"emits into systems.water.bodies.pool"});
    EXPECT_EQ(said(type, "[1.7, 0.5, 0.2]", periodic), "");
  }
  EXPECT_EQ(said("flip", "[0.5, 0.5, 0.2]"), "");
}

/// Fluids that merging alone keeps apart lose volume; those of one pressure solve do not, and those that pass
/// through each other as asked.
TEST_F(StartNotes, FluidsThatMeetByContactsAreNamed) {
  const std::string water = jet("[0.5, 0.5, 0.8]");
  const auto fluid = [](const std::string& name, const std::string& type, const std::string& low) {
    return R"(, {"name": ")" + name + R"(", "type": ")" + type + R"(", "emitters": [{"name": "of_)" + name +
           R"(", "position": [0.2, 0.2, )" + low + R"(], "radius": 0.1, "velocity": 1}]})";
  };
  for (const char* type : {"sph", "flip", "dfsph"})
    test::expect_says(
        notes(water, fluid("oil", type, "0.8")),
        {"systems.water and systems.oil are fluids that meet by contacts alone", "coupledTo of the other"});
  EXPECT_EQ(notes(water + R"(, "coupledTo": ["oil"])", fluid("oil", "dfsph", "0.8")), "");
  EXPECT_EQ(notes(water, fluid("oil", "sph", "0.8") + R"(], "coupling": {"method": "none"}, "probes": [)"),
            "");
  EXPECT_EQ(notes(water + R"(, "coupledTo": ["oil", "syrup"])",
                  fluid("oil", "dfsph", "0.8") + fluid("syrup", "dfsph", "0.6")),
            "")
      << "two that a third one names";
}

/// Bodies that should float and meet the fluid by contacts alone: which, and the key that lifts them.
TEST_F(StartNotes, BodiesThatContactsLiftTooLittleAreNamed) {
  const auto said = [&](const std::string& fluid, const std::string& solid_type, const std::string& keys,
                        const std::string& simulation = "", const std::string& coupling = "") {
    return notes_on_start(build_initial_state(load_scene(
        file(R"({"simulation": {"particleRadius": 0.05)" + simulation + "}" + coupling +
             R"(, "systems": [{"name": "water", "type": )" + fluid +
             R"(, "bodies": [{"name": "pool", "shape": "box",
          "start": [0, 0, 0], "end": [1, 1, 0.4]}]}, {"name": "solids", "type": ")" +
             solid_type + R"(", "bodies": [{"name": "block", "shape": "box", "start": [0.2, 0.2, 0.5],
          "end": [0.6, 0.6, 0.9])" +
             keys + (solid_type == "rigid" ? "" : R"(, "youngsModulus": 1e6)") + "}]}]}"))));
  };
  const std::string light = R"(, "density0": 600)";
  const std::string both = "systems.solids.bodies.block (600 kg/m^3) and systems.water (1000 kg/m^3) ";
  for (const char* solid : {"rigid", "elasticSph"}) {
    for (const char* fluid : {R"("sph")", R"("dfsph")"})
      test::expect_says(said(fluid, solid, light),
                        {both + "meet by contacts alone", "floats too deep or sinks",
                         "name 'solids' in systems.water.coupledTo"});
    test::expect_says(said(R"("flip")", solid, light), {both + "merge", "floats up to a spacing too high",
                                                        "name 'solids' in systems.water.coupledTo"});
  }
  test::expect_says(said(R"("dfsph")", "peridynamics", light), {"bodies of type rigid or elasticSph float"});
  EXPECT_EQ(said(R"("dfsph", "coupledTo": ["solids"])", "rigid", light), "");
  EXPECT_EQ(said(R"("sph")", "rigid", R"(, "density0": 2000)"), "") << "it sinks anyway";
  EXPECT_EQ(said(R"("sph")", "elasticSph", light + R"(, "pinned": [{"box": [[0, 0, 0], [1, 1, 0.6]]}])"), "")
      << "it is held";
  EXPECT_EQ(said(R"("sph")", "rigid", light, R"(, "gravitation": [0, 0, 0])"), "");
  EXPECT_EQ(said(R"("sph")", "rigid", light, "", R"(, "coupling": {"method": "none"})"), "");
}

/// A light cloth is in the pressure solve of FLIP fluids, and of no others.
TEST_F(StartNotes, ClothsAreLiftedByFlip) {
  const auto said = [&](const std::string& type) {
    return notes_on_start(build_initial_state(load_scene(
        file(R"({"simulation": {"particleRadius": 0.02}, "systems": [{"name": "water", "type": ")" + type +
             R"(", "bodies": [{"name": "pool", "shape": "box", "start": [0, 0, 0], "end": [0.4, 0.4, 0.2]}]},
        {"name": "cloth", "type": "massSpring", "bodies": [{"name": "raft", "shape": "sheet",
         "origin": [0, 0, 0.3], "edgeU": [0.4, 0, 0], "edgeV": [0, 0.4, 0], "arealDensity": 4,
         "stretchStiffness": 100}]}]})"))));
  };
  EXPECT_EQ(said("flip"), "");
  for (const char* type : {"sph", "dfsph"})
    test::expect_says(said(type), {"systems.cloth.bodies.raft (", "meet by contacts alone"});
}

/// A lid whose velocity neither friction nor viscosity passes on.
TEST_F(StartNotes, WallsThatSlideInVainAreNamed) {
  const auto said = [&](const std::string& fluid, const std::string& wall) {
    return notes_on_start(build_initial_state(load_scene(
        file(R"({"simulation": {"particleRadius": 0.05}, "systems": [{"name": "water", "type": )" + fluid +
             R"(, "bodies": [{"name": "pool", "shape": "box", "start": [0, 0, 0], "end": [1, 1, 0.4]}]}],
        "walls": [{"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1], "name": "belt")" +
             wall + "}]}"))));
  };
  const std::string slides = R"(, "velocity": [1, 0, 0])", sticks = R"(, "noSlip": true)";
  const std::string in_vain = "walls.0 ('belt') slides with its velocity and takes nothing along";
  for (const char* fluid : {R"("sph")", R"("flip")", R"("dfsph", "viscosity": 0.01)"})
    test::expect_says(said(fluid, slides), {in_vain, "its friction is 0 and noSlip is false"});
  for (const char* fluid : {R"("flip")", R"("dfsph")", R"("sph", "viscosity": 0)"})
    test::expect_says(said(fluid, slides + sticks), {in_vain, "no fluid of sph or dfsph has a viscosity"});
  for (const char* fluid : {R"("sph")", R"("dfsph", "viscosity": 0.01)", R"("dfsph", "implicitViscosity": 1)",
                            R"("sph", "density": "summation", "viscosity": 0, "wallViscosity": 1)"})
    EXPECT_EQ(said(fluid, slides + sticks), "") << fluid;
  EXPECT_EQ(said(R"("flip")", slides + R"(, "friction": 0.1)"), "");
  EXPECT_EQ(said(R"("flip")", sticks), "") << "it does not slide";
}

/// Fluids add up what walls take of their kernels, and so a wall that is there twice.
TEST_F(StartNotes, WallsInWallsAreNamed) {
  const auto said = [&](const std::string& walls, const std::string& type = R"("sph")",
                        const std::string& density = "") {
    return notes_on_start(build_initial_state(load_scene(file(
        R"({"simulation": {"particleRadius": 0.05}, "systems": [{"name": "all", "type": )" + type +
        R"(, "bodies": [{"name": "pool", "shape": "box", "start": [0.2, 0.2, 0], "end": [0.8, 0.8, 0.4])" +
        density + R"(}]}], "walls": [)" + walls + "]}"))));
  };
  const std::string tank = R"({"shape": "box", "low": [0, 0, 0], "high": [1, 1, 1], "inside": true})",
                    plane = R"({"shape": "plane", "point": [3, 2, 0], "normal": [0, 0, 2]})",
                    named = R"({"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1], "name": "floor"})",
                    ball = R"({"shape": "sphere", "centre": [2, 0, 0], "radius": 0.3, "inside": false})";
  const std::string behind = " lies in walls.0, so fluids are pressed off twice; remove one of them";
  for (const std::string& wall : {tank, plane, ball}) EXPECT_EQ(said(wall + ", " + wall), "walls.1" + behind);
  EXPECT_EQ(said(plane + ", " + named), "walls.1 ('floor')" + behind);
  EXPECT_EQ(said(plane + ", " + tank), "walls.1" + behind);
  EXPECT_EQ(said(plane + ", " + plane, R"("rigid")", R"(, "density0": 1000)"), "") << "contacts are no sums";
  for (const char* other : {R"({"shape": "plane", "point": [0, 0, 0.5], "normal": [0, 0, -1]})",
                            R"({"shape": "plane", "point": [0, 0, -0.01], "normal": [0, 0, 1]})",
                            R"({"shape": "box", "low": [0, 0, -0.5], "high": [1, 1, 0], "inside": false})",
                            R"({"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1],
                                "motion": {"velocity": [0, 0, -1]}})"})
    EXPECT_EQ(said(tank + ", " + other).find("lies in"), std::string::npos) << other;
}

/// Below 0.002 h c walls give WCSPH energy; 0.02 of artificial viscosity is that much at any resolution.
TEST_F(StartNotes, FluidsTooThinForWallsAreNamed) {
  const auto notes = [&](const std::string& keys, const std::string& walls) {
    return notes_of_methods(build_initial_state(load_scene(file(
        R"({"simulation": {"particleRadius": 0.05}, "systems": [{"name": "water", "type": "sph", )" + keys +
        R"("bodies": [{"name": "w", "shape": "box", "start": [0, 0, 0], "end": [1, 1, 1]}]}], "walls": [)" +
        walls + "]}"))));
  };
  const std::string tank = R"({"shape": "box", "low": [0, 0, 0], "high": [1, 1, 2]})";
  for (const std::string keys :
       {"", R"("viscosity": 0.02, )", R"("viscosity": 0, "density": "summation", )",
        R"("viscosity": 0, "implicitViscosity": 1000, )", R"("viscosityModel": "laminar", "viscosity": 1, )"})
    EXPECT_EQ(notes(keys, tank), std::vector<std::string>{}) << keys;
  EXPECT_EQ(notes(R"("viscosity": 0, )", ""), std::vector<std::string>{});
  for (const std::string keys :
       {R"("viscosity": 0.01, )", R"("viscosity": 0, )", R"("viscosityModel": "none", )",
        R"("viscosityModel": "laminar", "viscosity": 1e-6, )"}) {
    const std::vector<std::string> found = notes(keys, tank);
    ASSERT_EQ(found.size(), 1u) << keys;
    test::expect_says(found[0], {"systems.water.viscosity: ", "boil", "0.02", "dfsph"});
  }
}

TEST_F(StartNotes, KillBoxesThatTakeTheFluidAreNamed) {
  const std::string beam =
      R"(, "bodies": [{"name": "beam", "shape": "box", "start": [0, 0, 0.5], "end": [1, 0.5, 0.7]}])";
  const auto boxes = [](const std::string& list) { return R"(, "killBox": [)" + list + "]"; };
  const std::string tank = R"({"box": [[0, 0, 0], [1, 1, 1]]})",
                    left = R"({"box": [[0, 0, 0], [0.5, 1, 1]]})", far = R"({"box": [[5, 5, 5], [6, 6, 6]]})",
                    beside = R"({"box": [[1, 0, 0], [2, 1, 1]]})";
  EXPECT_EQ(notes(beam + jet("[0.5, 0.5, 0.8]") + boxes(tank)), "");
  EXPECT_EQ(notes(beam + boxes(tank + "," + beside)), "") << "fluid may flow into it";
  test::expect_says(notes(beam + boxes(left)),
                    {"systems.water.killBox: 50 of 100 particles start in none of its boxes"});
  test::expect_says(notes(beam + boxes(tank + "," + far)), {"systems.water.killBox.1 holds no particle"});
  test::expect_says(notes(jet("[0.8, 0.5, 0.8]") + boxes(left)),
                    {"systems.water.emitters.jet lies outside of the boxes of systems.water.killBox",
                     "systems.water.killBox.0 holds no particle and no emitter"});
}

TEST_F(StartNotes, SolidsOfOneLayerAreNamed) {
  for (const char* type : {"rigid", "elasticSph", "peridynamics"}) {
    EXPECT_EQ(notes(jet("[0.8, 0.8, 0.8]"), body(type, "[0.5, 0.5, 0.9]")), "") << type;
    test::expect_says(notes(jet("[0.8, 0.8, 0.8]"), body(type, "[0.5, 0.5, 0.75]")),
                      {"body 'block' is one particle thick (16 particles in one plane, spacing 0.1 m)",
                       "two particles across"});
  }
  const Scene scene = load_scene(file());
  EXPECT_EQ(check_report(scene, build_initial_state(scene), false).find("one particle thick"),
            std::string::npos)
      << "a cloth is meant so";
}

/// 8,192 spacings of 0.1 m: between 512 and 1,024 m coordinates are 2^-14 m apart, 1/1638 of a spacing; above
/// 1,024 m 1/819. 1e6 radii: 50 km.
TEST_F(StartNotes, PlacesFarFromTheOriginAreNamed) {
  const auto far = [&](double x, bool emits) {
    const std::string at = std::to_string(x);
    return notes_on_start(build_initial_state(load_scene(
        file(R"({"simulation": {"particleRadius": 0.05}, "systems": [{"name": "water", "type": "dfsph", )" +
             (emits ? R"("emitters": [{"name": "jet", "position": [0.5, )" + at +
                          R"(, 0.8], "direction": [0, 0, -1], "radius": 0.1, "velocity": 1}])"
                    : R"("bodies": [{"name": "beam", "shape": "box", "start": [0.2, 0.2, -)" + at +
                          R"(], "end": [0.6, 0.6, )" + std::to_string(0.4 - x) + "]}]") +
             "}]}"))));
  };
  const std::string limit = "within 819 m";
  for (bool emits : {false, true}) {
    EXPECT_EQ(far(700, emits).find(limit), std::string::npos);
    test::expect_says(far(1100, emits), {emits ? "systems.water.emitters.jet reaches 1.1e+03 m"
                                               : "systems.water.bodies.beam reaches 1.1e+03 m",
                                         "0.000122 m apart, 1/819 of its particle spacing", limit});
  }
  InitialState initial = build_initial_state(load_scene(file()));
  EXPECT_NO_THROW(expect_sound_start(initial));
  initial.systems[0].position[0][1] = -1.01e6f * initial.systems[0].radius[0];
  try {
    expect_sound_start(initial);
    FAIL() << "is refused";
  } catch (const InputError& error) {
    test::expect_says(error.what(), {"systems." + initial.systems[0].name, "from the origin, at most",
                                     "raise simulation.particleRadius"});
  }
}

/// 35 x 8 x 8 points of a hexagonal lattice 2^(1/6) 25 mm apart for a box of 40 x 8 x 8 spacings.
TEST_F(StartNotes, MassesThatAreNotThoseOfTheShapesAreNamed) {
  const auto said = [&](const std::string& type, const std::string& end, const std::string& more) {
    const bool fluid = type == "sph", rigid = type == "rigid";
    return notes_on_start(build_initial_state(load_scene(
        file(R"({"simulation": {"particleRadius": 0.0125}, "systems": [{"name": "solid", "type": ")" + type +
             R"(", "bodies": [{"name": "beam", "shape": "box", "start": [0, 0, 0], "end": )" + end +
             (fluid ? "" : R"(, "density0": 1000)") + (fluid || rigid ? "" : R"(, "youngsModulus": 1e5)") +
             more + "}]}]}"))));
  };
  const std::string fits = "[1, 0.2, 0.2]", hexagonal = R"(, "packing": "hexagonal")";
  for (const char* type : {"sph", "elasticSph", "peridynamics"}) {
    EXPECT_EQ(said(type, fits, ""), "") << type;
    EXPECT_EQ(said(type, "[1, 0.2, 0.21]", ""), "") << type << ": 4.8 % less";
    test::expect_says(said(type, "[1, 0.2, 0.22]", ""),
                      {"systems.solid.bodies.beam: its particles weigh 40 kg, 9.09 % less than the 44 kg",
                       "raise the resolution", "packing cubic", "sampling relaxed"});
    test::expect_says(said(type, "[1, 0.2, 0.04]", ""), {"weigh 5 kg, 37.5 % less than the 8 kg"});
  }
  for (const char* type : {"sph", "elasticSph"})
    test::expect_says(said(type, fits, hexagonal), {"weigh 35 kg, 12.5 % less than the 40 kg"});
  EXPECT_EQ(said("rigid", "[1, 0.2, 0.22]", ""), "") << "particles share out the mass of the shape";
  EXPECT_EQ(said("elasticSph", "[0.2, 0.2, 0.22]", R"(, "sampling": "relaxed")"), "");
}

TEST_F(StartNotes, BodiesOfTheSameWrongMassAreOneNote) {
  const std::string box = R"("shape": "box", "start": [0, 0, 0], "end": [1, 0.2, )",
                    soft = R"(], "density0": 1000, "youngsModulus": 1e5, "translation": )";
  const InitialState initial = build_initial_state(load_scene(file(
      R"({"simulation": {"particleRadius": 0.0125}, "systems": [{"name": "solid", "type": "elasticSph", "bodies": [
        {"name": "a", )" +
      box + "0.22" + soft + R"([0, 0, 0]}, {"name": "b", )" + box + "0.24" + soft +
      R"([0, 0, 1]}, {"name": "c", )" + box + "0.22" + soft + R"([0, 0, 2]}, {"name": "d", )" + box + "0.22" +
      soft + "[0, 0, 3]}]}]}")));
  const std::vector<std::string> notes = notes_on_masses(initial);
  ASSERT_EQ(notes.size(), 2u);
  test::expect_says(notes[0], {"systems.solid.bodies.a and 2 more: its particles weigh 40 kg"});
  test::expect_says(notes[1], {"systems.solid.bodies.b: its particles weigh 45 kg"});
}

/// Boxes that overlap are filled once: 960 points of 1e-3 m^3; their volumes add up to 1.024 m^3.
TEST_F(StartNotes, PartsThatOverlapWeighOnce) {
  const TriangleMesh mesh = test::both(test::box_mesh({0, 0, 0}, {0.8, 0.8, 0.8}),
                                       test::box_mesh({0.4, 0.4, 0.4}, {1.2, 1.2, 1.2}));
  file(test::obj_text(mesh), "boxes.obj");
  const InitialState initial = build_initial_state(load_scene(file(
      R"({"simulation": {"particleRadius": 0.05}, "systems": [{"name": "water", "type": "dfsph", "bodies": [
        {"name": "boxes", "shape": "mesh", "geometryFile": "boxes.obj"}]}]})")));
  EXPECT_EQ(initial.systems[0].position.size(), 960u);
  EXPECT_EQ(notes_on_masses(initial), std::vector<std::string>{});
}

/// Square cells of side s: vertices reach s/2, particles of water 0.05 m, and the middle of a cell is
/// s/sqrt(2) away. 1.3 times that takes them up to s = 0.119 m, diagonals up to 0.169 m.
TEST_F(StartNotes, ClothsThatWaterPassesThroughAreNamed) {
  const auto said = [&](const std::string& cloth, const SceneOverrides& changed = {},
                        const std::string& contacts = "mergingAndSplitting",
                        const std::string& fluid = "sph") {
    const bool solid = fluid == "rigid";
    const std::vector<std::string> notes = notes_on_cloths(build_initial_state(load_scene(
        file(
            R"({"simulation": {"particleRadius": 0.05}, "coupling": {"method": ")" + contacts +
            R"("}, "systems": [{"name": "cloth", "type": "massSpring", "bodies": [{"name": "flag", )" +
            cloth + R"(, "arealDensity": 1, "stretchStiffness": 100}]}, {"name": "water", "type": ")" +
            fluid +
            R"(", "bodies": [{"name": "drop", "shape": "box", "start": [0.2, 0.2, 0.3], "end": [0.6, 0.6, 0.7])" +
            (solid ? R"(, "density0": 1000)" : "") + "}]}]}"),
        changed)));
    return notes.empty() ? std::string() : notes.front();
  };
  const auto sheet = [](const std::string& edge, const std::string& spacing) {
    return R"("shape": "sheet", "origin": [0, 0, 0], "edgeU": [)" + edge + R"(, 0, 0], "edgeV": [0, )" +
           edge + R"(, 0], "spacing": )" + spacing;
  };
  EXPECT_EQ(said(sheet("1", "0.1")), "") << "the spacing of particles";
  EXPECT_EQ(said(sheet("1.18", "0.118")), "");
  test::expect_says(said(sheet("1.2", "0.12")),
                    {"systems.cloth.bodies.flag has edges of up to 0.17 m, and above 0.169 m particles of "
                     "'water', radius 0.05 m, can pass",
                     "finer mesh", "particleRadius"});
  EXPECT_EQ(said(sheet("1.2", "0.12"), {}, "none"), "") << "nothing holds water anyway";
  EXPECT_EQ(said(sheet("1.2", "0.12"), {}, "mergingAndSplitting", "rigid"), "")
      << "bodies do not fit through";

  // Equilateral triangles reach as far, and their middles are s/sqrt(3) away: up to s = 0.2 m. A mesh stays
  // as it is at every resolution, a sheet does not.
  file("v 0 0 0\nv 0.19 0 0\nv 0.095 0.16454 0\nf 1 2 3\n", "triangle.obj");
  const std::string mesh = R"("shape": "clothMesh", "geometryFile": "triangle.obj")";
  EXPECT_EQ(said(mesh), "");
  SceneOverrides finer;
  finer.resolution = 1.1;
  test::expect_says(said(mesh, finer), {"edges of up to 0.19 m, and above 0.181 m", "radius 0.0455 m"});
  EXPECT_EQ(said(sheet("1.18", "0.118"), finer), "");

  // With an obtuse angle, two sides of 0.1 m: the farthest point, on the third side, is 0.05 m / cos 20 deg
  // from two corners.
  file("v 0 0 0\nv 0.187939 0 0\nv 0.0939693 0.034202 0\nf 1 2 3\n", "obtuse.obj");
  EXPECT_EQ(said(R"("shape": "clothMesh", "geometryFile": "obtuse.obj")"), "");
}

/// Keys that another key switches, where that is off; the default of one is no wish.
TEST_F(StartNotes, KeysWithoutEffectAreNamed) {
  const auto said = [&](const std::string& keys, const std::string& coupling = "") {
    return notes_on_start(build_initial_state(load_scene(file(
        R"({"simulation": {"particleRadius": 0.05}, "coupling": {)" + coupling +
        R"(}, "systems": [{"name": "water", )" + keys +
        R"(, "bodies": [{"name": "pool", "shape": "box", "start": [0, 0, 0], "end": [0.5, 0.5, 0.5]}]}]})"))));
  };
  const std::string sph = R"("type": "sph", )", dfsph = R"("type": "dfsph", )";
  for (const auto& [keys, note] : std::vector<std::pair<std::string, std::string>>{
           {sph + R"("airVelocity": [1, 0, 0])", "airVelocity has no effect without airDrag"},
           {dfsph + R"("airDensity": 1)", "airDensity has no effect without airDrag"},
           {dfsph + R"("vorticityDiffusion": 1)", "vorticityDiffusion has no effect without vorticity"},
           {sph + R"("topologyFrames": 3)", "topologyFrames has no effect without neighborhood topological"},
           {dfsph + R"("solidsCompress": true)", "solidsCompress has no effect without coupledTo"}})
    test::expect_says(said(keys), {"systems.water." + note + "; set that, or leave this key out"});
  test::expect_says(said(dfsph + R"("viscosity": 1)", R"("method": "impulses", "stiffness": 7)"),
                    {"coupling.stiffness has no effect without method penalty sphForce"});
  for (const std::string keys :
       {R"("airVelocity": [0, 0, 0], "airDensity": 1.2041)", R"("airVelocity": [1, 0, 0], "airDrag": 1)"})
    EXPECT_EQ(said(dfsph + keys, R"("method": "sphForce", "stiffness": 7)"), "");
}

TEST_F(StartNotes, CheckSaysThemToo) {
  const Scene scene = load_scene(file(R"({"simulation": {"particleRadius": 0.05}, "systems": [
    {"name": "water", "type": "dfsph", "emitters": [{"name": "jet", "position": [0, 0, 2], "direction": [0, 0, -1],
     "radius": 0.2, "velocity": 1}]}], "walls": [{"shape": "box", "low": [-1, -1, 0], "high": [1, 1, 1]}]})"));
  const InitialState initial = build_initial_state(scene);
  EXPECT_EQ(nlohmann::json::parse(check_report(scene, initial, true))["start_notes"].size(), 1u);
  test::expect_says(check_report(scene, initial, false),
                    {"warning: systems.water.emitters.jet lies behind walls.0:"});
}

}  // namespace start_notes_test
}  // namespace merganser
