/// merganser surface from outside: sequences, files left alone, messages and exit codes. The surfaces are
/// tetrahedra (tests/support/fake_surfaces.h).
#include <sys/stat.h>

#include "host/output/frame_writer.h"
#include "tests/support/mesh_commands.h"

namespace merganser {
namespace surface_command_test {

using test::contains;

class SurfaceCommand : public test::MeshCommands {
 protected:
  /// A run's folder with two fluids and a cloth, three particles each; `links`: the fluids kept
  /// neighborhoods.
  void run_folder(const std::string& name, int frames, bool links = false) {
    std::filesystem::create_directories(folder_ / name);
    test::write_text(folder_ / (name + "/scene.json"), R"({
      "simulation": {"particleRadius": 0.05, "resolution": 0.5},
      "systems": [
        {"name": "sea", "type": "sph", "density0": 1000, "smoothingLengthFactor": 1.2,
         "bodies": [{"name": "pool"}, {"name": "drop"}], "emitters": []},
        {"name": "cloth", "type": "massSpring", "bodies": [{"name": "sheet"}]},
        {"name": "rain", "type": "flip", "density0": 1000, "bodies": [{"name": "cloud"}]}]})");
    FrameWriter writer(folder_ / name, {});
    for (int k = 0; k < frames; ++k) {
      FrameData frame;
      frame.time = 0.02 * k;
      for (int i = 0; i < 9; ++i) {
        frame.position.push_back({float(i), 0.1f * float(k), 0});
        frame.velocity.push_back({0, 5, 0});
        frame.id.push_back(i);
        frame.system.push_back(i / 3);
        frame.body.push_back(i < 2 ? 0 : i < 3 ? 1 : i < 6 ? 2 : 3);
      }
      if (links)
        for (const char* system : {"sea", "rain"})
          frame.links.push_back({system, std::vector<std::int32_t>(10, 0), {}, {}});
      writer.write(frame.time, [frame] { return frame; });
    }
  }
};

TEST_F(SurfaceCommand, ASequenceOfFrames) {
  run_folder("a", 3);
  const auto run = merganser({"surface", "a"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.err, "3 surfaces in 'a/surface'")) << run.err;
  EXPECT_TRUE(contains(run.err, "(sum)")) << run.err;
  EXPECT_FALSE(contains(run.err, "\r"));  // no progress line where stderr is no terminal
  EXPECT_EQ(names("a/surface"), (std::vector<std::string>{"surface.json", "surface_000000.ply",
                                                          "surface_000001.ply", "surface_000002.ply"}));
  EXPECT_EQ(vertices_of("a/surface/surface_000002.ply"), 6 * 4);  // both fluids, not the cloth
}

TEST_F(SurfaceCommand, FilesThatAreThereAreLeftAlone) {
  run_folder("a", 4);
  const std::vector<std::string> command{"surface", "a", "--method", "topological"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), command.begin(), command.end());
    return merganser(more);
  };
  EXPECT_TRUE(contains(with({"--frames", "1:2"}).err, "followed from frame to frame"));
  EXPECT_EQ(names("a/surface").size(), 3u);
  test::write_text(folder_ / "a/surface/surface_000001.ply", "mine");
  test::write_text(folder_ / "a/surface/surface_000002.ply.tmp_of_a_killed_run", "");
  const auto again = merganser(command);
  EXPECT_EQ(again.exit_code, 0) << again.err;  // the tracker saw every frame
  EXPECT_TRUE(contains(again.err, "2 surfaces") && contains(again.err, "2 were there already")) << again.err;
  EXPECT_EQ(test::text_of(folder_ / "a/surface/surface_000001.ply"), "mine");
  EXPECT_TRUE(contains(merganser(command).err, "0 surfaces"));
  EXPECT_EQ(with({"--overwrite"}).exit_code, 0);
  EXPECT_EQ(vertices_of("a/surface/surface_000001.ply"), 24);
}

TEST_F(SurfaceCommand, NoSequenceIsMixedFromTwoMethods) {
  run_folder("a", 2);
  ASSERT_EQ(merganser({"surface", "a", "--method", "sum", "--frames", "0"}).exit_code, 0);
  const auto other = merganser({"surface", "a", "--method", "sum", "--cell-size", "0.5"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_TRUE(contains(other.err, "surface.json") && contains(other.err, "--overwrite")) << other.err;
  EXPECT_EQ(names("a/surface").size(), 2u);
  EXPECT_EQ(merganser({"surface", "a", "--method", "sum", "--cell-size", "0.5", "-o", "b"}).exit_code, 0);
  EXPECT_EQ(names("b").size(), 3u);
}

TEST_F(SurfaceCommand, NeighborhoodsOfTheRunAreUsed) {
  run_folder("a", 6, true);
  const auto run = merganser({"surface", "a", "--method", "topological", "--frames", "2:4"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_FALSE(contains(run.err, "followed"));
  EXPECT_EQ(names("a/surface").size(), 4u);
}

TEST_F(SurfaceCommand, SystemsBodiesAndFormats) {
  run_folder("a", 1);
  ASSERT_EQ(merganser({"surface", "a", "--system", "rain", "-o", "one"}).exit_code, 0);
  EXPECT_EQ(vertices_of("one/surface_000000.ply"), 12);
  ASSERT_EQ(merganser({"surface", "a", "--per-body", "--format", "obj", "-o", "obj"}).exit_code, 0);
  const std::string obj = test::text_of(folder_ / "obj/surface_000000.obj");
  for (const char* group : {"g pool\n", "g drop\n", "g cloud\n"}) EXPECT_TRUE(contains(obj, group)) << group;
  ASSERT_EQ(merganser({"surface", "a", "--format", "vtkhdf", "--method", "levelSet", "-o", "vdb"}).exit_code,
            0);
  EXPECT_EQ(names("vdb"),
            (std::vector<std::string>{"surface.json", "surface.vtkhdf.series", "surface_000000.vtkhdf",
                                      "surface_000000_rain.vdb", "surface_000000_sea.vdb"}));
  const auto series = nlohmann::json::parse(test::text_of(folder_ / "vdb/surface.vtkhdf.series"));
  EXPECT_EQ(series["files"][0]["name"], "surface_000000.vtkhdf");
}

TEST_F(SurfaceCommand, ErrorsNameFileAndRemedy) {
  expect_error({"surface"}, 2, "DIR");
  expect_error({"surface", "nowhere"}, 2, "'nowhere' holds no run");
  run_folder("a", 2);
  expect_error({"surface", "a", "--frames", "7:9"}, 2, "frames 0 to 1");
  expect_error({"surface", "a", "--frames", "x"}, 2, "A:B");
  expect_error({"surface", "a", "--system", "cloth"}, 2, "there are: sea, rain");
  expect_error({"surface", "a", "--method", "magic"}, 2, "--method");
  expect_error({"surface", "a", "--device", "cuda:99"}, 3, "cuda:99");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a/surface"));
  test::write_text(folder_ / "file", "in the way");
  expect_error({"surface", "a", "-o", "file/b", "-q"}, 5, "file/b");
  std::filesystem::remove(folder_ / "a/frames/frame_000000.vtkhdf");
  expect_error({"surface", "a", "--method", "topological"}, 2, "lacks frame 0");
  EXPECT_EQ(merganser({"surface", "a", "--method", "sum", "-q"}).exit_code, 0);
  test::write_text(folder_ / "a/frames/frame_000001.vtkhdf", "cut off");
  expect_error({"surface", "a", "--method", "sum", "--overwrite", "-q"}, 2,
               "frame_000001.vtkhdf' is not a whole frame");
  std::filesystem::remove(folder_ / "a/frames/frame_000001.vtkhdf");
  expect_error({"surface", "a"}, 2, "no frames in 'a/frames'");
  test::write_text(folder_ / "a/scene.json",
                   R"({"simulation": {"particleRadius": 1, "resolution": 1}, "systems": []})");
  expect_error({"surface", "a"}, 2, "has no fluid");
  test::write_text(folder_ / "a/scene.json", "{");
  expect_error({"surface", "a"}, 2, "scene.json' is not a resolved scene");
}

/// A disk that fills up leaves what was written before and no broken file.
TEST_F(SurfaceCommand, AFullDiskIsFive) {
  run_folder("a", 2);
  const auto run = merganser({"surface", "a", "--method", "sum"}, 700);
  EXPECT_EQ(run.exit_code, 5) << run.err;
  EXPECT_EQ(names("a/surface"), (std::vector<std::string>{"surface.json"}));
  EXPECT_EQ(merganser({"surface", "a", "--method", "sum"}).exit_code, 0);
  EXPECT_EQ(names("a/surface").size(), 3u);
}

/// What lies in the folder of a run or of surfaces is named where it is damaged or no regular file; nothing
/// hangs.
TEST_F(SurfaceCommand, DamageIsNamed) {
  run_folder("a", 2, true);
  const std::string frame = "a/frames/frame_000001.vtkhdf", good = test::text_of(folder_ / frame);
  const std::vector<std::string> command{"surface", "a", "--method", "sum", "-q", "--overwrite"};
  EXPECT_EQ(merganser(command).exit_code, 0);
  for (const size_t at : {size_t{3}, size_t{30}, size_t{700}, good.size() / 2, good.size() - 1}) {
    std::string bad = good;
    bad[at] = char(bad[at] ^ 4);
    test::write_text(folder_ / frame, bad);
    expect_error(command, 2, frame + "' is not a whole frame");
    test::write_text(folder_ / frame, good.substr(0, at));
    expect_error(command, 2, frame + "' is not a whole frame");
  }
  // Without a checksum only what HDF5 itself notices.
  test::write_text(folder_ / frame, good.substr(512));
  EXPECT_EQ(merganser(command).exit_code, 0);
  test::write_text(folder_ / frame, good.substr(512, good.size() / 2));
  expect_error(command, 2, frame + "' is not a whole frame");
  const auto put_fifo = [&](const std::string& name) {
    std::filesystem::remove_all(folder_ / name);
    ASSERT_EQ(mkfifo((folder_ / name).c_str(), 0600), 0);
  };
  put_fifo(frame);
  expect_error(command, 5, frame + "': it is a FIFO");
  std::filesystem::remove(folder_ / frame);
  std::filesystem::create_directory_symlink("/dev", folder_ / frame);
  expect_error(command, 5, frame + "': it is a folder");
  std::filesystem::remove(folder_ / frame);
  std::filesystem::create_symlink("/dev/zero", folder_ / frame);
  expect_error(command, 5, frame + "': it is a device");
  std::filesystem::remove(folder_ / frame);
  test::write_text(folder_ / frame, good);

  const std::string surface = "a/surface/surface_000001.ply";
  put_fifo(surface);
  expect_error({"surface", "a", "--method", "sum", "-q"}, 5, surface + "' is in the way");
  put_fifo("a/surface/surface.json");
  expect_error({"surface", "a", "--method", "sum", "-q"}, 5, "a/surface/surface.json");
  const std::vector<std::string> vtkhdf{"surface",  "a",      "--method", "sum", "-q",
                                        "--format", "vtkhdf", "-o",       "v"};
  EXPECT_EQ(merganser(vtkhdf).exit_code, 0);
  std::filesystem::resize_file(folder_ / "v/surface_000000.vtkhdf", 900);
  expect_error(vtkhdf, 2, "v/surface_000000.vtkhdf' is not a whole surface");
  std::filesystem::copy_file(folder_ / frame, folder_ / "v/surface_000000.vtkhdf",
                             std::filesystem::copy_options::overwrite_existing);
  expect_error(vtkhdf, 2, "it is a frame");

  const std::string scene = test::text_of(folder_ / "a/scene.json");
  for (const auto& [what, by] :
       std::vector<std::pair<std::string, std::string>>{{"\"sea\"", "\"../sea\""},
                                                        {"\"sea\"", "7"},
                                                        {"\"resolution\": 0.5", "\"resolution\": 0"},
                                                        {"1000", "-1"},
                                                        {"\"sph\"", "\"\xff\""},
                                                        {"{", "["}}) {
    std::string other = scene;
    other.replace(other.find(what), what.size(), by);
    test::write_text(folder_ / "a/scene.json", other);
    expect_error(command, 2, "a/scene.json' is not a resolved scene");
  }
  put_fifo("a/scene.json");
  expect_error(command, 5, "a/scene.json': it is a FIFO");
  std::filesystem::remove(folder_ / "a/scene.json");
  test::write_text(folder_ / "a/scene.json", scene);
  put_fifo("a/frames");
  expect_error(command, 2, "no frames in 'a/frames'");
}

/// The run's name is kept in surface.json, whatever its bytes are.
TEST_F(SurfaceCommand, AFolderWhoseNameIsNoText) {
  run_folder("a\xff", 1);
  const auto run = merganser({"surface", "a\xff", "--method", "sum"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

}  // namespace surface_command_test
}  // namespace merganser
