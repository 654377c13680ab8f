/// Devices, threads, durations, frame times, progress texts.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "device/errors.h"
#include "device/gpu_devices.h"
#include "host/cli/cli.h"
#include "host/device_selection.h"
#include "host/run/progress.h"
#include "host/run/run_start.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/zero_row.h"

namespace merganser {
namespace host_device_test {

using test::TemporaryFolder;
using test::write_text;

TEST(HostDevice, QuotaOfEveryGroupAboveHolds) {
  const TemporaryFolder root;
  std::filesystem::create_directories(root / "slurm/job/task");
  write_text(root / "slurm/job/cpu.max", "150000 100000\n");
  write_text(root / "slurm/cpu.max", "400000 100000\n");
  write_text(root / "slurm/job/task/cpu.max", "max 100000\n");
  EXPECT_EQ(quota_cores(root.path(), "0::/slurm/job/task\n"), 2);
  EXPECT_EQ(quota_cores(root.path(), "0::/slurm\n"), 4);
  EXPECT_EQ(quota_cores(root.path(), "0::/\n"), 0);
  EXPECT_EQ(quota_cores(root.path(), ""), 0);
}

TEST(HostDevice, QuotaOfTheOlderControlGroups) {
  const TemporaryFolder root;
  std::filesystem::create_directories(root / "cpu/box");
  write_text(root / "cpu/box/cpu.cfs_quota_us", "300000\n");
  write_text(root / "cpu/box/cpu.cfs_period_us", "100000\n");
  write_text(root / "cpu/cpu.cfs_quota_us", "-1\n");
  write_text(root / "cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota_cores(root.path(), "11:cpuset:/x\n4:cpu,cpuacct:/box\n"), 3);
}

TEST(HostDevice, ThreadsAsAskedElseByOpenMpsVariable) {
  EXPECT_EQ(thread_count(3), 3);
  const char* before = std::getenv("OMP_NUM_THREADS");
  const std::string saved = before ? before : "";
  setenv("OMP_NUM_THREADS", "5,2", 1);
  EXPECT_EQ(thread_count(0), 5);
  unsetenv("OMP_NUM_THREADS");
  EXPECT_GE(thread_count(0), 1);
  if (before) setenv("OMP_NUM_THREADS", saved.c_str(), 1);
}

TEST(HostDevice, WordsOfTheCommandLine) {
  EXPECT_EQ(select_device("cpu", 2).threads, 2);
  for (const char* word : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", ""})
    EXPECT_THROW(select_device(word, 0), InputError) << word;
  EXPECT_THROW(select_device("cuda:99", 0), DeviceError);
  if (gpu::list_devices().empty() || gpu::emulated()) {
    if (gpu::emulated())
      EXPECT_NE(select_device("cuda", 0).description.find("emulated"), std::string::npos);
    else
      EXPECT_THROW(select_device("cuda", 0), DeviceError);
    EXPECT_EQ(select_device("auto", 0).backend, Backend::cpu);
    EXPECT_NE(select_device("auto", 0).note, "");
  } else {
    EXPECT_EQ(select_device("auto", 0).backend, Backend::cuda);
  }
}

TEST(HostCommandLine, Durations) {
  EXPECT_EQ(parse_duration("90"), 90);
  EXPECT_EQ(parse_duration("0.5"), 0.5);
  EXPECT_EQ(parse_duration("1:30"), 90);
  EXPECT_EQ(parse_duration("2:00:01"), 7201);
  EXPECT_EQ(parse_duration("1-12:00:00"), 129600);
  EXPECT_EQ(parse_duration("0-23:59:59.5"), 86399.5);
  EXPECT_EQ(parse_duration("100:59:59"), 363599);
  EXPECT_EQ(parse_duration("90:00"), 5400);
  for (const char* wrong : {"", "x", "-5", "1:", "1:2:3:4", "1-2", "0-2", "5 s", "nan", "1e3", "1:99:00",
                            "1:60", "1:00:60", "1-24:00:00", "1-00:60:00"})
    EXPECT_THROW(parse_duration(wrong), InputError) << wrong;
}

TEST(HostRun, FramesLieAtExactTimes) {
  const FrameClock clock{30};
  for (int k = 0; k < 10000; ++k) {
    const double time = k / 30.0;
    EXPECT_EQ(clock.time_of(k), time);
    EXPECT_EQ(clock.last_before(time), k);
    if (k > 0) {
      EXPECT_EQ(clock.last_before(std::nextafter(time, 0.0)), k - 1);
    }
  }
  EXPECT_EQ(clock.snap(0.1 + 1e-15), 3 / 30.0);
  EXPECT_EQ(clock.snap(0.11), 0.11);
  EXPECT_EQ(FrameClock{1e-12}.snap(0.5), 0.5);  // an end before the first frame is no frame
  EXPECT_EQ(clock.snap(0), 0);
}

TEST(HostProgress, Texts) {
  EXPECT_EQ(duration_text(12.4), "12 s");
  EXPECT_EQ(duration_text(123), "2:03");
  EXPECT_EQ(duration_text(3723), "1:02:03");
  EXPECT_EQ(duration_text(-1), "unknown");
  const Progress progress(Progress::Mode::quiet, 2, -1);
  StepStatistics row = test::zero_row();
  row.step = 7;
  row.time = 0.5;
  row.dt = 1e-3;
  row.set("contacts", 12);
  EXPECT_EQ(
      progress.line(row, 20000, 1.5e6, 61),
      " 25.0 %  1:01 left  t 0.5 s  step 7  dt 0.001 s  1.5 M/s particle-steps  12 contacts  20 k particles");
}

}  // namespace host_device_test
}  // namespace merganser
