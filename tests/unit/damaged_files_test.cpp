/// Damaged frames, surfaces and checkpoints: an error that names the file, or the very same data.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstring>
#include <fstream>
#include <functional>

#include "host/files/child_trial.h"
#include "host/files/hdf5_image.h"
#include "host/output/frame_writer.h"
#include "host/output/run_frames.h"
#include "host/run/checkpoint.h"
#include "host/surface/surface_run.h"
#include "tests/support/fake_simulation.h"
#include "tests/support/file_damage.h"
#include "tests/support/temporary_folder.h"

namespace merganser {
namespace damaged_files_test {

using test::FileDamage;
using test::TemporaryFolder;
using test::text_of;
using test::write_text;

FrameData example(int particles) {
  FrameData frame;
  frame.time = 1.5;
  for (int i = 0; i < particles; ++i) {
    frame.position.push_back({float(i), 0.5f, -1});
    frame.velocity.push_back({0, float(i), 0});
    frame.id.push_back(i);
    frame.system.push_back(i % 2);
    frame.body.push_back(i / 3);
  }
  frame.fields = {{"density", std::vector<float>(size_t(particles), 1000.0f)}};
  frame.links.push_back({"rain", {0}, {}, {}});
  for (int i = 0; i < particles; ++i) {
    const int other = i % 2 == 0 ? i + 1 : i - 1;
    if (other < particles) frame.links[0].neighbor.push_back(other), frame.links[0].age.push_back(0.5f);
    frame.links[0].first.push_back(int(frame.links[0].neighbor.size()));
  }
  return frame;
}
std::string frame_bytes(int particles) {
  const std::vector<char> bytes = encode_frame(example(particles));
  return {bytes.data(), bytes.size()};
}
std::string surface_bytes() {
  SurfaceFrame frame;
  frame.time = 0.25;
  SurfaceMesh mesh;
  mesh.position = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1.25f}};
  mesh.normal = mesh.velocity = mesh.position;
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  frame.add(mesh, "sea", 0, 4);
  const std::vector<char> bytes = find_exporter(mesh_exporters(), "vtkhdf")->encode(frame);
  return {bytes.data(), bytes.size()};
}
std::string checkpoint_bytes() {
  const TemporaryFolder folder;
  Checkpoint checkpoint;
  checkpoint.version = "1.2.3";
  checkpoint.step = 7;
  for (const char* name : {"particles/position", "particles/velocity", "systems/water/density"})
    checkpoint.simulation.put(name, std::vector<float>{1.5f, -0.0f, 3e-40f});
  checkpoint.simulation.put("systems/water/nothing", std::vector<double>{});
  checkpoint.run.put("frames", std::vector<std::int64_t>{1ll << 40});
  return text_of(write_checkpoint(folder.path(), checkpoint));
}

/// Everything that the readers give, as text that can be compared.
template <class T>
void append(std::string& text, const std::vector<T>& values) {
  text += std::to_string(values.size()) + ':';
  if (!values.empty()) text.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}
std::string frame_content(const std::filesystem::path& file) {
  const FrameParticles frame = read_frame(file);
  std::string text = std::to_string(frame.time);
  append(text, frame.position), append(text, frame.velocity);
  append(text, frame.id), append(text, frame.body), append(text, frame.system);
  for (const char* system : {"rain", "sea"}) {
    const TopologyLinks links = read_links(file, system);
    append(text, links.first), append(text, links.neighbor), append(text, links.age);
  }
  return text;
}
std::string surface_content(const std::filesystem::path& file) {
  return std::to_string(read_surface_time(file));
}
std::string checkpoint_content(const std::filesystem::path& file) {
  const Checkpoint checkpoint = read_checkpoint(file);
  std::string text = checkpoint.version + std::to_string(checkpoint.scene_hash) +
                     std::to_string(checkpoint.step) + std::to_string(checkpoint.time);
  for (const StateArchive* archive : {&checkpoint.simulation, &checkpoint.run})
    for (const NamedArray& array : archive->arrays()) text += array.name, append(text, array.bytes);
  return text;
}

/// The mesh that `merganser surface` makes of a run with this one frame.
std::string mesh_of_run(const std::filesystem::path& file) {
  SurfaceOptions options;
  options.run = file.parent_path().parent_path();
  options.method = "topological";  // reads more of a frame than sum
  options.device = "cpu";
  options.quiet = options.overwrite = true;
  make_surfaces(options, fake::services());
  return text_of(options.run / "surface/surface_000000.ply");
}

/// A kind of file and its reader.
struct Kind {
  std::string name, good, other;
  std::function<std::string(const std::filesystem::path&)> content;
};
std::vector<Kind> kinds() {
  return {{"frame", frame_bytes(6), frame_bytes(40), frame_content},
          {"frame", frame_bytes(6), frame_bytes(40), mesh_of_run},
          {"surface", surface_bytes(), frame_bytes(6), surface_content},
          {"checkpoint", checkpoint_bytes(), frame_bytes(6), checkpoint_content}};
}

/// Reads files of one name with at most 1 GiB of memory more than now. A reader that believes a damaged
/// length ends the test with bad_alloc.
class Readings {
 public:
  Readings() {
    std::filesystem::create_directories(folder_ / "run/frames");
    write_text(folder_ / "run/scene.json",
               R"({"simulation": {"particleRadius": 0.05, "resolution": 1}, "systems": [
      {"name": "sea", "type": "flip", "density0": 1000, "bodies": []},
      {"name": "rain", "type": "flip", "density0": 1000, "bodies": []}]})");
    getrlimit(RLIMIT_AS, &before_);
#if !defined(__SANITIZE_ADDRESS__)
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit limit{(pages << 12) + (size_t{1} << 30), before_.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
#endif
  }
  ~Readings() { setrlimit(RLIMIT_AS, &before_); }
  /// What the file holds; empty where the reader refuses it.
  std::string read(const Kind& kind, const std::string& bytes, const std::string& which) {
    const std::filesystem::path file = folder_ / "run/frames/frame_000000.vtkhdf";
    write_text(file, bytes);
    try {
      return kind.content(file);
    } catch (const Error& error) {
      EXPECT_TRUE(error.exit_code() == 2 || error.exit_code() == 5) << which << error.what();
      EXPECT_NE(std::string(error.what()).find("frame_000000.vtkhdf"), std::string::npos)
          << which << error.what();
      return "";
    } catch (const std::exception& error) {
      ADD_FAILURE() << which << error.what();
      return "";
    }
  }

 private:
  TemporaryFolder folder_;
  rlimit before_;
};

/// `count` damaged files of each kind are refused or read as what was written.
void damage_sealed(unsigned first_seed, int count) {
  for (const Kind& kind : kinds()) {
    Readings readings;
    const std::string expected = readings.read(kind, kind.good, "the whole one: ");
    ASSERT_FALSE(expected.empty());
    int refused = 0;
    for (unsigned seed = first_seed; seed < first_seed + unsigned(count); ++seed) {
      const std::string which = kind.name + ", seed " + std::to_string(seed) + ": ";
      const std::string bad = FileDamage(seed).damage(kind.good, kind.other);
      const std::string read = readings.read(kind, bad, which);
      EXPECT_TRUE(read.empty() || read == expected) << which << "other data";
      EXPECT_TRUE(read.empty() == (bad != kind.good)) << which;
      refused += read.empty();
    }
    EXPECT_GT(refused, count * 9 / 10) << kind.name;
  }
}

/// The same without a checksum: what HDF5 and the readers behind it make of it. Checkpoints always have one.
void damage_image(unsigned first_seed, int count) {
  for (const Kind& kind : kinds()) {
    if (kind.name == "checkpoint") continue;
    Readings readings;
    const std::string image = kind.good.substr(512);
    for (unsigned seed = first_seed; seed < first_seed + unsigned(count); ++seed) {
      const std::string which = kind.name + ", seed " + std::to_string(seed) + ": ";
      const std::string bad = FileDamage(seed).damage(image, kind.other.substr(512));
      readings.read(kind, bad, which);
    }
  }
}

TEST(ChildTrial, ToldByHowTheChildEnds) {
  EXPECT_TRUE(survives_in_child([] {}));
  EXPECT_TRUE(survives_in_child([] { throw FileError("refused"); }));
  EXPECT_FALSE(survives_in_child([] { raise(SIGFPE); }));
}

TEST(DamagedFiles, AreRefusedOrReadAsWritten) { damage_sealed(1, 1000); }
TEST(DamagedFilesSlow, AreRefusedOrReadAsWritten) { damage_sealed(1000000, 200000); }
/// Seed 1003401 is a frame on which HDF5 1.10.8 crashes.
TEST(DamagedFiles, WithoutAChecksumDoNotBreakTheReaders) { damage_image(1003001, 500); }
TEST(DamagedFilesSlow, WithoutAChecksumDoNotBreakTheReaders) { damage_image(1000000, 10000); }

}  // namespace damaged_files_test
}  // namespace merganser
