/// VTKHDF frames: layout, equal bytes for equal data, series.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <future>
#include <nlohmann/json.hpp>
#include <set>

#include "host/files/hdf5_image.h"
#include "host/output/frame_writer.h"
#include "tests/support/fake_simulation.h"
#include "tests/support/temporary_folder.h"

namespace merganser {
namespace host_frames_test {

using test::TemporaryFolder;
using test::text_of;

FrameData example(int particles) {
  fake::FakeScene scene;
  scene.particles = particles;
  const auto simulation = fake::make_simulation(scene);
  simulation->step(1e-3);
  return simulation->frame();
}

std::vector<std::int64_t> integers(const std::vector<NamedArray>& arrays, const std::string& name) {
  for (const NamedArray& array : arrays)
    if (array.name == name && array.type == ElementType::int64) {
      std::vector<std::int64_t> values(array.bytes.size() / 8);
      if (!values.empty()) std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
      return values;
    }
  ADD_FAILURE() << name << " is missing";
  return {};
}

TEST(HostFrames, LayoutIsThatOfVtkHdf) {
  const std::vector<char> bytes = encode_frame(example(3));
  const Hdf5Reader file({bytes.data(), bytes.size()});
  const auto arrays = file.datasets("VTKHDF");
  std::set<std::string> names;
  for (const NamedArray& array : arrays) names.insert(array.name);
  for (const char* name : {"Points", "PointData/velocity", "PointData/id", "PointData/body",
                           "PointData/system", "PointData/density", "PointData/group", "FieldData/time"})
    EXPECT_TRUE(names.count(name)) << name;
  EXPECT_EQ(integers(arrays, "NumberOfPoints"), (std::vector<std::int64_t>{3}));
  EXPECT_EQ(integers(arrays, "Vertices/NumberOfCells"), (std::vector<std::int64_t>{3}));
  EXPECT_EQ(integers(arrays, "Vertices/NumberOfConnectivityIds"), (std::vector<std::int64_t>{3}));
  EXPECT_EQ(integers(arrays, "Vertices/Connectivity"), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(integers(arrays, "Vertices/Offsets"), (std::vector<std::int64_t>{0, 1, 2, 3}));
  for (const char* empty : {"Lines", "Polygons", "Strips"}) {
    EXPECT_EQ(integers(arrays, std::string(empty) + "/NumberOfCells"), (std::vector<std::int64_t>{0}));
    EXPECT_TRUE(integers(arrays, std::string(empty) + "/Connectivity").empty());
    EXPECT_EQ(integers(arrays, std::string(empty) + "/Offsets"), (std::vector<std::int64_t>{0}));
  }
}

template <class T>
std::vector<T> values_of(const std::vector<NamedArray>& arrays, const std::string& name) {
  StateArchive archive;
  for (const NamedArray& array : arrays) archive.add(array);
  return archive.get<T>(name);
}

/// Links lie beside the group that VTK reads; a run without them has no such group.
TEST(HostFrames, LinksOfTopologicalNeighborhoods) {
  FrameData frame = example(4);
  frame.links = {{"water", {0, 0, 1, 3, 4}, {2, 1, 3, 2}, {1, 1, 0.5f, 0.5f}}};
  const std::vector<char> bytes = encode_frame(frame), without = encode_frame(example(4));
  const auto links = Hdf5Reader({bytes.data(), bytes.size()}).datasets("Merganser/topology/water");
  EXPECT_EQ(values_of<std::int32_t>(links, "first"), frame.links[0].first);
  EXPECT_EQ(values_of<std::int32_t>(links, "neighbor"), frame.links[0].neighbor);
  EXPECT_EQ(values_of<float>(links, "age"), frame.links[0].age);
  EXPECT_THROW(Hdf5Reader({without.data(), without.size()}).datasets("Merganser"), FileError);
}

/// With all that a picture needs.
FrameData example_for_pictures(int particles) {
  FrameData frame = example(particles);
  frame.steady_fields = {{"radius", std::vector<float>(size_t(particles), 0.5f)},
                         {"mass", std::vector<float>(size_t(particles), 2)}};
  frame.triangles = {{0, 1, 2}, {2, 1, 3}};
  frame.body_names = {"drop", "a longer name of a body, with a comma"};
  frame.system_names = {"water"};
  frame.wall_matrices = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 7, 0, 0, 0, 1}};
  return frame;
}

TEST(HostFrames, WhatAPictureNeeds) {
  const FrameData frame = example_for_pictures(1000);
  const std::vector<char> bytes = encode_frame(frame), without = encode_frame(example(1000));
  const Hdf5Reader file({bytes.data(), bytes.size()});
  const auto points = file.datasets("VTKHDF/PointData"), polygons = file.datasets("VTKHDF/Polygons");
  EXPECT_EQ(values_of<float>(points, "radius"), frame.steady_fields[0].second);
  EXPECT_EQ(values_of<float>(points, "mass"), frame.steady_fields[1].second);
  EXPECT_EQ(integers(polygons, "NumberOfCells"), (std::vector<std::int64_t>{2}));
  EXPECT_EQ(integers(polygons, "Connectivity"), (std::vector<std::int64_t>{0, 1, 2, 2, 1, 3}));
  EXPECT_EQ(integers(polygons, "Offsets"), (std::vector<std::int64_t>{0, 3, 6}));
  const std::vector<char> matrix = file.dataset("VTKHDF/FieldData/wall_matrices", ElementType::float64, 16);
  EXPECT_EQ(std::memcmp(matrix.data(), frame.wall_matrices.data(), matrix.size()), 0);
  // Equal values take no room: HDF5's own tables, and a hundredth of the 8 bytes a particle.
  const size_t own = bytes.size() - without.size();
  EXPECT_LT(encode_frame(example_for_pictures(100'000)).size() - encode_frame(example(100'000)).size(),
            own + 8000);
}

TEST(HostFrames, EqualDataGivesEqualBytes) {
  EXPECT_EQ(encode_frame(example_for_pictures(100)), encode_frame(example_for_pictures(100)));
}

TEST(HostFrames, NoParticlesAreAFrameToo) { EXPECT_NO_THROW(encode_frame(example(0))); }

TEST(HostFrames, AFieldOfAnotherLengthIsAnError) {
  FrameData frame = example(3);
  frame.fields[0].second.pop_back();
  EXPECT_THROW(encode_frame(frame), FileError);
}

TEST(HostFrames, SeriesNamesEveryFrameWithItsTime) {
  const TemporaryFolder folder;
  FrameData frame = example(2);
  FrameWriter writer(folder.path(), {});
  for (const double time : {0.0, 0.1}) {
    frame.time = time;
    writer.write(frame.time, [frame] { return frame; });
  }
  writer.finish();
  EXPECT_EQ(writer.count(), 2);
  EXPECT_EQ(writer.written(), 2);
  const auto series = nlohmann::json::parse(text_of(folder / "frames/frames.vtkhdf.series"));
  ASSERT_EQ(series["files"].size(), 2u);
  for (const auto& entry : series["files"])
    EXPECT_TRUE(std::filesystem::exists(folder / ("frames/" + entry["name"].get<std::string>())));
  EXPECT_EQ(series["files"][1]["time"], 0.1);
}

std::function<FrameData()> always(const FrameData& frame) {
  return [frame] { return frame; };
}

/// A run that makes frames faster than they can be written waits, and no frame is lost.
TEST(FrameWriterThread, WaitsWhereTwoFramesAreNotWritten) {
  const TemporaryFolder folder;
  std::promise<void> go;
  const std::shared_future<void> may_go = go.get_future().share();
  std::atomic<bool> had_room = false;
  {
    FrameWriter writer(folder.path(), {});
    for (const double time : {0.0, 0.1}) {
      writer.wait_for_room();
      writer.write(time, [=] {
        may_go.wait();
        return example(3);
      });
    }
    EXPECT_EQ(writer.count(), 2);
    EXPECT_EQ(writer.written(), 0);
    std::thread run([&] {
      writer.wait_for_room();
      had_room = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_FALSE(had_room);
    go.set_value();
    run.join();
    writer.write(0.2, always(example(3)));
    writer.finish();
    EXPECT_EQ(writer.written(), 3);
    for (const double time : {0.3, 0.4}) writer.write(time, always(example(3)));
  }  // writes what waits
  const auto series = nlohmann::json::parse(text_of(folder / "frames/frames.vtkhdf.series"));
  EXPECT_EQ(series["files"].size(), 5u);
  EXPECT_EQ(series["files"][4]["time"], 0.4);
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

/// After an error nothing is written any more, every call says it, and frames can be had to be kept
/// elsewhere.
TEST(FrameWriterThread, KeepsWhatIsNotWrittenAfterAnError) {
  const TemporaryFolder folder;
  FrameWriter writer(folder.path(), {});
  const FrameData first = example(2), second = example(30), third = example(400);
  std::filesystem::create_directories(folder / "frames/frame_000001.vtkhdf");
  writer.write(0, always(first));
  writer.finish();
  std::promise<void> go;
  writer.write(0.1, [&, may_go = go.get_future().share()] {
    may_go.wait();
    return second;
  });
  writer.write(0.2, always(third));
  go.set_value();
  const std::string error = error_of([&] { writer.finish(); });
  EXPECT_NE(error.find("frame_000001.vtkhdf': it is a folder"), std::string::npos) << error;
  EXPECT_EQ(error_of([&] { writer.wait_for_room(); }), error);
  EXPECT_EQ(error_of([&] { writer.write(0.3, always(third)); }), error);
  EXPECT_TRUE(writer.failed());
  EXPECT_EQ(writer.written(), 1);
  EXPECT_EQ(writer.unwritten(), (std::vector<std::vector<char>>{encode_frame(second), encode_frame(third)}));
  EXPECT_FALSE(std::filesystem::exists(folder / "frames/frame_000002.vtkhdf"));
  // A session that has room writes them first.
  const TemporaryFolder again;
  FrameWriter next(again.path(), {0});
  next.write(0.1, writer.unwritten()[0]);
  next.finish();
  const std::vector<char> bytes = encode_frame(second);
  EXPECT_EQ(text_of(again / "frames/frame_000001.vtkhdf"), std::string(bytes.begin(), bytes.end()));
}

}  // namespace host_frames_test
}  // namespace merganser
