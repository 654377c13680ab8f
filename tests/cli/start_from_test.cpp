/// Runs that start with the particles of another: `merganser run --from`.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "host/files/atomic_file.h"
#include "host/output/run_frames.h"
#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"

namespace merganser {
namespace start_from_test {

namespace fs = std::filesystem;
using test::contains;

const std::string sheet = R"({"name": "cloth", "type": "massSpring", "bodies": [{"name": "sheet",
  "shape": "sheet", "origin": [0, 0, 0], "edgeU": [1, 0, 0], "edgeV": [0, 1, 0], "arealDensity": 2,
  "stretchStiffness": 1000, "pinned": "edges"}]})";
const std::string ball = R"({"name": "stones", "type": "rigid", "bodies": [{"name": "ball", "shape": "box",
  "start": [2, 0, 0], "end": [2.4, 0.4, 0.4], "density0": 2000, "spin": [1, 2, 3]}]})";
const std::string jelly =
    R"({"name": "jelly", "type": "elasticSph", "bodies": [{"name": "cube", "shape": "box",
  "start": [3, 0, 0], "end": [3.4, 0.4, 0.4], "density0": 1000, "youngsModulus": 1e5, "velocity": [0, 0, 1]}]})";

class StartFrom : public testing::Test {
 protected:
  test::Finished merganser(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     fs::read_symlink("/proc/self/exe").replace_filename("merganser").string());
    return test::ChildProcess(folder_.path(), std::move(arguments)).wait();
  }
  test::Finished run(const std::string& scene, const std::string& output, std::vector<std::string> more) {
    more.insert(more.begin(), {"run", scene, "-o", output, "--device", "cpu", "--threads", "1"});
    return merganser(more);
  }
  static std::string water(const std::string& bodies) {
    return R"({"name": "water", "type": "sph", "bodies": [)" + bodies +
           R"(], "emitters": [{"name": "jet", "position": [0.5, 0.5, 3], "direction": [0, 0, -1],
             "radius": 0.11, "velocity": 3, "endTime": 0.1}]})";
  }
  static std::string box(const std::string& name, const std::string& start, const std::string& end) {
    return R"({"name": ")" + name + R"(", "shape": "box", "start": )" + start + R"(, "end": )" + end + "}";
  }
  void scene(const std::string& name, const std::string& systems) {
    test::write_text(folder_ / name,
                     R"({"simulation": {"particleRadius": 0.05, "endTime": 0.1, "frameRate": 40},
      "systems": [)" + systems +
                         R"(], "walls": [{"shape": "plane", "point": [0, 0, -2], "normal": [0, 0, 1]}]})");
  }
  /// With emitted particles, of which the scene does not speak.
  void make_first() {
    scene("first.json",
          water(box("beam", "[0, 0, 0.1]", "[1, 1, 0.4]")) + "," + sheet + "," + ball + "," + jelly);
    const auto done = run("first.json", "a", {"--frames", "3"});
    ASSERT_EQ(done.exit_code, 0) << done.err;
  }
  FrameParticles frame(const std::string& run, int number) {
    return read_frame(folder_ / run / "frames" / ("frame_00000" + std::to_string(number) + ".vtkhdf"));
  }
  /// Checksums of all files of a folder.
  std::map<std::string, std::uint32_t> contents(const std::string& run) {
    std::map<std::string, std::uint32_t> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / run))
      if (entry.is_regular_file()) found[entry.path().string()] = checksum(test::text_of(entry.path()));
    return found;
  }

  test::TemporaryFolder folder_;
};

/// Index of a body in the frames of a run, by the order in its scene.json.
int number_of(const std::string& body, const fs::path& run) {
  const auto scene = nlohmann::json::parse(test::text_of(run / "scene.json"));
  int number = 0;
  for (const auto& system : scene["systems"])
    for (const char* list : {"bodies", "emitters"})
      for (const auto& one : system.value(list, nlohmann::json::array())) {
        if (one["name"] == body) return number;
        ++number;
      }
  return -1;
}

/// Places and velocities of a body's particles, by id.
std::vector<Float3> values(const FrameParticles& frame, int body, const std::vector<Float3>& of) {
  std::vector<Float3> found;
  for (size_t i = 0; i < of.size(); ++i)
    if (frame.body[i] == body) found.push_back(of[i]);
  return found;
}

/// In the second scene there are other bodies, and systems stand in another order.
TEST_F(StartFrom, BodiesBeginWhereTheOtherRunHasThem) {
  make_first();
  const auto before = contents("a");
  scene("second.json", jelly + "," +
                           water(box("drop", "[0, 0, 2]", "[0.3, 0.3, 2.3]") + "," +
                                 box("beam", "[0, 0, 0.1]", "[1, 1, 0.4]")) +
                           "," + sheet + "," + ball);
  const FrameParticles there = frame("a", 2), last = frame("a", 3);
  const auto in = [&](const char* run, const std::string& body) { return number_of(body, folder_ / run); };
  ASSERT_FALSE(values(there, in("a", "jet"), there.position).empty()) << "the jet has emitted";
  for (const auto& [from, is] : {std::pair<std::string, const FrameParticles&>{"a@2", there},
                                 {"a/frames/frame_000002.vtkhdf", there},
                                 {"a", last}}) {
    SCOPED_TRACE(from);
    const auto done = run("second.json", "b", {"--from", from, "--steps", "0", "--overwrite"});
    ASSERT_EQ(done.exit_code, 0) << done.err;
    EXPECT_TRUE(contains(done.err, "are those in 'a/")) << done.err;
    EXPECT_TRUE(contains(done.err, "new: 'drop'")) << done.err;
    const FrameParticles begun = frame("b", 0);
    EXPECT_EQ(begun.time, 0);
    for (const char* body : {"beam", "jet", "sheet", "ball", "cube"}) {
      SCOPED_TRACE(body);
      const int there_is = in("a", body), here_is = in("b", body);
      EXPECT_EQ(values(is, there_is, is.position), values(begun, here_is, begun.position));
      const auto was = values(is, there_is, is.velocity), now = values(begun, here_is, begun.velocity);
      ASSERT_EQ(was.size(), now.size());
      for (size_t i = 0; i < was.size(); ++i)  // those of rigid bodies follow from their momenta
        for (size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(was[i][axis], now[i][axis], 1e-5);
    }
    EXPECT_EQ(values(begun, in("b", "drop"), begun.position).size(), 27u);
  }
  EXPECT_EQ(contents("a"), before);
}

/// A body of fluid that the scene has in another system is there alone, as that makes it.
TEST_F(StartFrom, ABodyInAnotherSystemIsNew) {
  const std::string pool = box("pool", "[0, 0, 0]", "[1, 1, 0.4]"),
                    drop = box("drop", "[0, 0, 2]", "[0.3, 0.3, 2.3]");
  scene("first.json", water(pool + "," + drop));
  ASSERT_EQ(run("first.json", "a", {"--steps", "1"}).exit_code, 0);
  const std::string solid = drop.substr(0, drop.size() - 1) + R"(, "density0": 500})";
  for (const auto& [type, body] : {std::pair<std::string, std::string>{"rigid", solid}, {"sph", drop}}) {
    scene("second.json",
          water(pool) + R"(, {"name": "other", "type": ")" + type + R"(", "bodies": [)" + body + "]}");
    const auto done = run("second.json", "b", {"--from", "a", "--steps", "0", "--overwrite"});
    ASSERT_EQ(done.exit_code, 0) << done.err;
    EXPECT_TRUE(contains(done.err, "new: 'drop'")) << done.err;
    EXPECT_TRUE(contains(done.err, "'drop' of 'a/checkpoint")) << done.err;
    EXPECT_TRUE(contains(done.err, "no such bodies in systems of the same names")) << done.err;
    const FrameParticles begun = frame("b", 0);
    EXPECT_EQ(values(begun, number_of("drop", folder_ / "b"), begun.position).size(), 27u) << type;
  }
}

/// The first layer leaves when the last one of the other run is a spacing ahead, and what that has emitted
/// counts.
TEST_F(StartFrom, AJetGoesOn) {
  const auto jet = [&](const char* type, const char* most) {
    scene("jet.json", std::string(R"({"name": "water", "type": ")") + type +
                          R"(", "emitters": [{"name": "jet",
      "position": [0, 0, 3], "direction": [0, 0, -1], "radius": 0.11, "velocity": 3, "maxParticles": )" +
                          most + "}]}");
  };
  for (const char* type : {"sph", "flip", "dfsph"}) {
    SCOPED_TRACE(type);
    jet(type, "100");
    ASSERT_EQ(run("jet.json", "a", {"--end-time", "0.01", "--overwrite"}).exit_code, 0);
    const auto done = run("jet.json", "b", {"--from", "a", "--frames", "3", "--overwrite"});
    ASSERT_EQ(done.exit_code, 0) << done.err;
    EXPECT_FALSE(contains(done.err, "emits into")) << done.err;
    const std::vector<Float3> places = frame("b", 3).position;
    EXPECT_GT(places.size(), 10u);
    for (size_t i = 0; i < places.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        const Float3 &x = places[i], &y = places[j];
        EXPECT_GT(std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]), 0.08) << "of spacings of 0.1 m";
      }
    jet(type, "8");
    ASSERT_EQ(run("jet.json", "a", {"--end-time", "0.05", "--overwrite"}).exit_code, 0);
    const auto full = run("jet.json", "b", {"--from", "a", "--frames", "3", "--overwrite"});
    ASSERT_EQ(full.exit_code, 0) << full.err;
    EXPECT_TRUE(contains(full.err, "jet emits nothing: 8 of its particles are there")) << full.err;
    EXPECT_EQ(frame("b", 0).position.size(), 8u) << "two layers";
    EXPECT_EQ(frame("b", 3).position.size(), 8u);
  }
}

/// The summary keeps what stderr says.
TEST_F(StartFrom, BodiesThatTheSceneLacksAreNamed) {
  make_first();
  scene("second.json", sheet + "," + jelly);
  const auto done = run("second.json", "b", {"--from", "a", "--steps", "0"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto summary = nlohmann::json::parse(test::text_of(folder_ / "b/summary.json"));
  for (const std::string& said : {done.err, summary["warnings"].dump()})
    for (const char* text : {"'ball', 'beam', 'jet' of ", "left out: the scene has no such bodies"})
      EXPECT_TRUE(contains(said, text)) << said;
}

/// Springs and elastic solids keep their rest shapes: the energy of what is stretched there is there.
TEST_F(StartFrom, SolidsKeepTheirRestShape) {
  scene("solids.json", sheet + "," + jelly);
  const auto energy = [&](const std::string& run, bool last) {
    std::istringstream lines(test::text_of(folder_ / run / "statistics.csv"));
    std::string header, line, first;
    std::getline(lines, header);
    std::getline(lines, first);
    for (std::string row; last && std::getline(lines, row);) first = row;
    std::istringstream names(header), values(first);
    for (std::string name; std::getline(names, name, ',') && std::getline(values, line, ',');)
      if (name == "elastic_energy") return std::stod(line);
    return -1.0;
  };
  ASSERT_EQ(run("solids.json", "a", {"--frames", "3"}).exit_code, 0);
  ASSERT_EQ(run("solids.json", "b", {"--from", "a", "--steps", "1"}).exit_code, 0);
  ASSERT_EQ(run("solids.json", "new", {"--steps", "1"}).exit_code, 0);
  EXPECT_NEAR(energy("b", false) / energy("a", true), 1, 0.3) << "a step later";
  EXPECT_LT(energy("new", false), 0.1 * energy("a", true));
}

/// Bit for bit, also when the other run is gone.
TEST_F(StartFrom, AResumedRunIsTheSame) {
  make_first();
  const auto start = [&](const std::string& to, const char* steps) {
    return run("first.json", to, {"--from", "a@1", "--steps", steps}).exit_code;
  };
  ASSERT_EQ(start("whole", "12"), 0);
  ASSERT_EQ(start("parts", "5"), 0);
  fs::remove_all(folder_ / "a");
  const auto resumed =
      merganser({"run", "parts", "--resume", "--steps", "12", "--device", "cpu", "--threads", "1"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  for (const char* file : {"start.h5", "scene.json"})
    EXPECT_EQ(test::text_of(folder_ / "whole" / file), test::text_of(folder_ / "parts" / file)) << file;
  const FrameParticles whole = frame("whole", 0), parts = frame("parts", 0);
  EXPECT_EQ(whole.position, parts.position);
  const auto next = [&](const std::string& to) {
    return merganser({"run", to, "--resume", "--frames", "1", "--device", "cpu", "--threads", "1"}).exit_code;
  };
  ASSERT_EQ(next("whole"), 0);
  ASSERT_EQ(next("parts"), 0);
  EXPECT_EQ(test::text_of(folder_ / "whole/frames/frame_000001.vtkhdf"),
            test::text_of(folder_ / "parts/frames/frame_000001.vtkhdf"));
  // The same line in every batch job: the second one asks for nothing new.
  EXPECT_EQ(
      merganser({"run", "first.json", "-o", "parts", "--resume", "--from", "a@1", "--frames", "1"}).exit_code,
      0);
  test::write_text(folder_ / "parts/start.h5", "damaged");
  const auto damaged = merganser({"run", "parts", "--resume", "--steps", "99"});
  EXPECT_EQ(damaged.exit_code, 5);
  EXPECT_TRUE(contains(damaged.err, "start.h5")) << damaged.err;
}

TEST_F(StartFrom, OtherKindsAreRefused) {
  make_first();
  const auto before = contents("a");
  const auto refused = [&](const std::string& systems, const std::string& from,
                           const std::vector<std::string>& more, const std::vector<std::string>& pieces) {
    scene("second.json", systems);
    std::vector<std::string> arguments{"--from", from, "--steps", "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto done = run("second.json", "c", arguments);
    EXPECT_EQ(done.exit_code, 2) << done.err;
    for (const std::string& piece : pieces)
      EXPECT_TRUE(contains(done.err, piece)) << piece << ": " << done.err;
    EXPECT_FALSE(fs::exists(folder_ / "c"));
  };
  const std::string beam = box("beam", "[0, 0, 0.1]", "[1, 1, 0.4]"), fluid = water(beam);
  std::string other = fluid;
  other.replace(other.find("sph"), 3, "dfsph");
  refused(other, "a", {}, {"second.json", "systems.water.type: is \"dfsph\", but \"sph\" in 'a/checkpoint/"});
  refused(fluid, "a", {"--resolution", "2"}, {"systems.water", "radius of 0.025 m, but 0.05 m"});
  std::string larger = jelly;
  larger.replace(larger.find("3.4"), 3, "3.5");
  refused(larger, "a", {}, {"systems.jelly.bodies.cube: has 80 particles, but 64"});
  std::string named = fluid;
  named.replace(named.find("water"), 5, "other");
  refused(named, "a", {}, {"no body of the scene has particles in"});
  refused(fluid, "a@7", {}, {"'a/frames/frame_000007.vtkhdf' is not there"});
  refused(fluid, "nowhere", {}, {"--from: 'nowhere' is not there"});
  refused(fluid, ".", {}, {"is not the folder of a run"});
  refused(fluid, "first.json", {}, {"neither the folder of a run nor a frame"});
  const auto same = run("first.json", "a", {"--from", "a", "--overwrite"});
  EXPECT_EQ(same.exit_code, 2);
  EXPECT_TRUE(contains(same.err, "choose another one with -o")) << same.err;
  EXPECT_EQ(contents("a"), before);
}

/// Broken bonds are in no frame.
TEST_F(StartFrom, BrittleSolidsAreRefused) {
  scene("brittle.json",
        R"({"name": "glass", "type": "peridynamics", "bodies": [{"name": "pane", "shape": "box",
    "start": [0, 0, 0], "end": [0.4, 0.4, 0.4], "density0": 2000, "youngsModulus": 1e6, "criticalStretch": 0.1}]})");
  ASSERT_EQ(run("brittle.json", "a", {"--steps", "1"}).exit_code, 0);
  const auto done = run("brittle.json", "b", {"--from", "a", "--steps", "0"});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_TRUE(contains(done.err, "systems.glass: --from cannot start it")) << done.err;
}

/// A new run in the folder does not start with the particles of the one before.
TEST_F(StartFrom, ANewRunBeginsAsItsSceneSays) {
  make_first();
  ASSERT_EQ(run("first.json", "b", {"--from", "a", "--steps", "0"}).exit_code, 0);
  ASSERT_TRUE(fs::exists(folder_ / "b/start.h5"));
  ASSERT_EQ(run("first.json", "b", {"--overwrite", "--steps", "0"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(folder_ / "b/start.h5"));
  EXPECT_EQ(frame("b", 0).position, frame("a", 0).position);
  // What a kill has left before the scene was there.
  ASSERT_EQ(run("first.json", "c", {"--from", "a", "--steps", "0"}).exit_code, 0);
  fs::create_directories(folder_ / "d");
  fs::copy(folder_ / "c/start.h5", folder_ / "d");
  const auto begun = run("first.json", "d", {"--steps", "0"});
  ASSERT_EQ(begun.exit_code, 0) << begun.err;
  EXPECT_FALSE(fs::exists(folder_ / "d/start.h5"));
}

}  // namespace start_from_test
}  // namespace merganser
