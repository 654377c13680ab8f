/// Files that are whole or not there, and checkpoints that notice damage.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "host/files/atomic_file.h"
#include "host/files/own_files.h"
#include "host/output/exporters.h"
#include "host/run/checkpoint.h"
#include "tests/support/temporary_folder.h"

namespace merganser {
namespace host_checkpoint_test {

using test::TemporaryFolder;
using test::text_of;
using test::write_text;

Checkpoint example(long long step) {
  Checkpoint checkpoint;
  checkpoint.version = "1.2.3";
  checkpoint.scene_hash = 0xfedcba98u;
  checkpoint.step = step;
  checkpoint.time = 0.1 * static_cast<double>(step);
  checkpoint.simulation.put("particles/position", std::vector<float>{1.5f, -0.0f, 3e-40f});
  checkpoint.simulation.put("particles/id", std::vector<std::int32_t>{7, -8});
  checkpoint.simulation.put("systems/water/flag", std::vector<signed char>{1, 0, -1});
  checkpoint.simulation.put("systems/water/nothing", std::vector<double>{});
  checkpoint.run.put("frames", std::vector<std::int64_t>{1ll << 40});
  return checkpoint;
}

TEST(HostCheckpoint, HoldsEveryBit) {
  const TemporaryFolder folder;
  const Checkpoint read = read_checkpoint(write_checkpoint(folder.path(), example(3)));
  EXPECT_EQ(read.version, "1.2.3");
  EXPECT_EQ(read.scene_hash, 0xfedcba98u);
  EXPECT_EQ(read.step, 3);
  EXPECT_EQ(read.time, 0.1 * 3);
  const Checkpoint written = example(3);
  ASSERT_EQ(read.simulation.arrays().size(), written.simulation.arrays().size());
  for (const NamedArray& array : written.simulation.arrays()) {
    bool found = false;
    for (const NamedArray& other : read.simulation.arrays())
      found |= other.name == array.name && other.type == array.type && other.bytes == array.bytes;
    EXPECT_TRUE(found) << array.name;
  }
  EXPECT_EQ(read.run.get<std::int64_t>("frames"), std::vector<std::int64_t>{1ll << 40});
  EXPECT_THROW(read.simulation.get<float>("particles/id"), FileError);
}

TEST(HostAtomicFile, GoesIntoTheFolderThatWasOpened) {
  const TemporaryFolder folder;
  const std::filesystem::path place = folder / "a", kept = folder / "kept";
  std::filesystem::create_directory(place);
  write_file_atomically(place / "file", {"new"}, [&] {
    std::filesystem::rename(place, kept);
    std::filesystem::create_directory(place);
  });
  EXPECT_TRUE(std::filesystem::is_empty(place));
  EXPECT_EQ(text_of(kept / "file"), "new");
  EXPECT_THROW(write_file_atomically(kept / "file", {"newer"}, [] { throw FileError("another folder"); }),
               FileError);
  EXPECT_EQ(text_of(kept / "file"), "new");
  EXPECT_EQ(entries_of(kept).size(), 1u);
}

TEST(HostCheckpoint, KeepsTheNewestTwo) {
  const TemporaryFolder folder;
  for (const long long step : {8, 9, 10, 1000000000}) write_checkpoint(folder.path(), example(step));
  const auto files = list_checkpoints(folder.path());
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].filename(), "checkpoint_1000000000.h5");
  EXPECT_EQ(files[1].filename(), "checkpoint_000000010.h5");
}

TEST(HostCheckpoint, FallsBackFromATruncatedOne) {
  const TemporaryFolder folder;
  write_checkpoint(folder.path(), example(1));
  const auto newest = write_checkpoint(folder.path(), example(2));
  const auto size = std::filesystem::file_size(newest);
  for (const std::uintmax_t left : {size - 1, size / 2, std::uintmax_t{512}, std::uintmax_t{0}}) {
    std::filesystem::resize_file(newest, left);
    EXPECT_THROW(read_checkpoint(newest), FileError) << left;
  }
  const auto found = read_newest_checkpoint(folder.path());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->checkpoint.step, 1);
  ASSERT_EQ(found->warnings.size(), 1u);
  EXPECT_NE(found->warnings[0].find("checkpoint_000000002.h5"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(newest));  // it would count among the newest two
}

TEST(HostCheckpoint, NoticesAChangeOfAnyByte) {
  const TemporaryFolder folder;
  const auto file = write_checkpoint(folder.path(), example(1));
  const std::string good = text_of(file);
  for (size_t at = 0; at < good.size(); at += 97) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    write_text(file, bad);
    EXPECT_ANY_THROW(read_checkpoint(file)) << "byte " << at;
  }
  write_text(file, good);
  EXPECT_NO_THROW(read_checkpoint(file));
}

TEST(HostCheckpoint, DamagedOnesAloneAreAnErrorAndStay) {
  const TemporaryFolder folder;
  const std::vector<std::filesystem::path> files{write_checkpoint(folder.path(), example(1)),
                                                 write_checkpoint(folder.path(), example(2))};
  for (const auto& file : files) write_text(file, "nonsense");
  try {
    read_newest_checkpoint(folder.path());
    FAIL();
  } catch (const FileError& error) {
    const std::string message = error.what();
    for (const auto& file : files) EXPECT_NE(message.find(file.string()), std::string::npos) << message;
    EXPECT_EQ(message.find("renamed"), std::string::npos) << message;
  }
  for (const auto& file : files) EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_FALSE(read_newest_checkpoint(folder / "none"));
}

TEST(HostCheckpoint, WhatCannotBeReadIsNotTakenForDamaged) {
  const TemporaryFolder folder;
  write_checkpoint(folder.path(), example(1));
  std::filesystem::create_directory(folder / "checkpoint_000000002.h5");
  EXPECT_THROW(read_newest_checkpoint(folder.path()), FileError);
  EXPECT_TRUE(std::filesystem::exists(folder / "checkpoint_000000002.h5"));
}

TEST(HostOwnFiles, OnlyExactNamesAreOwn) {
  EXPECT_TRUE(is_frame_file(frame_name(7)) && is_frame_file(frame_name(1234567)));
  EXPECT_TRUE(is_frame_file("frames.vtkhdf.series"));
  for (const char* name :
       {"frame_7.vtkhdf", "frame_0000007.vtkhdf", "frame_-00007.vtkhdf", "frame_00000x.vtkhdf",
        "frame_000007.vtkhdf.bak", "frame_000007.png", "xframe_000007.vtkhdf", "frame_.vtkhdf",
        "frame_000007.vtkhdf ", "frame_99999999999999999999.vtkhdf", ""})
    EXPECT_FALSE(is_frame_file(name)) << name;
  EXPECT_TRUE(is_checkpoint_file(checkpoint_name(7)) && is_checkpoint_file(checkpoint_name(7) + ".damaged"));
  EXPECT_EQ(checkpoint_step(checkpoint_name(12345678901)), 12345678901);
  for (const char* name :
       {"checkpoint_7.h5", "checkpoint_000000007.h5.old", "checkpoint_best.h5", ".damaged"})
    EXPECT_FALSE(is_checkpoint_file(name)) << name;
  for (const char* name :
       {"surface_000001.ply", "surface_000001.obj", "surface_000001.vtkhdf", "surface_000001.vdb",
        "surface_000001_sea.vdb", "surface.json", "surface.vtkhdf.series"})
    EXPECT_TRUE(is_surface_file(name)) << name;
  for (const char* name : {"surface_1.ply", "surface_000001.stl", "surface_000001_sea.ply", "surface_000001"})
    EXPECT_FALSE(is_surface_file(name)) << name;
  EXPECT_TRUE(is_temporary_of(frame_name(7) + ".tmp", is_frame_file));
  EXPECT_FALSE(is_temporary_of("thesis.tmp", is_frame_file) || is_temporary_of(".tmp", is_frame_file));
}

TEST(HostAtomicFile, AFailedWriteLeavesTheOldFile) {
  const TemporaryFolder folder;
  const auto file = folder / "file.bin";
  write_file_atomically(file, {"old"});
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  std::string message;
  try {
    write_file_atomically(file, {std::string(900, 'a'), std::string(900, 'b')});
  } catch (const FileError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_NE(message.find("file.bin"), std::string::npos) << message;
  EXPECT_NE(message.find("ulimit -f"), std::string::npos) << message;
  EXPECT_EQ(text_of(file), "old");
  EXPECT_FALSE(std::filesystem::exists(temporary_name(file)));
}

TEST(HostAtomicFile, NamesFileAndRemedyWhereTheFolderIsMissing) {
  const TemporaryFolder folder;
  try {
    write_file_atomically(folder / "none/file.bin", {"x"});
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(error.exit_code(), 5);
    EXPECT_NE(std::string(error.what()).find("none/file.bin"), std::string::npos);
  }
}

TEST(HostAtomicFile, ChecksumIsCrc32) {
  EXPECT_EQ(checksum("123456789"), 0xcbf43926u);  // the check value of CRC-32/ISO-HDLC
}

}  // namespace host_checkpoint_test
}  // namespace merganser
