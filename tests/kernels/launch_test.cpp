/// launch(), its profile, stage timers and kernel reports.
#include "device/launch_in_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "device/kernel_report.h"
#include "device/timers.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace launch_test {

struct CountVisits {
  static constexpr const char* name = "test count visits";
  View<int> visits;
  MERGANSER_METHOD void operator()(int i) const { atomic_add(&visits[i], 1); }
};
struct Twin {
  static constexpr const char* name = "test count visits";  // another kernel of the same name
  View<int> visits;
  MERGANSER_METHOD void operator()(int i) const { visits[i] = i; }
};
struct RaiseEvery {
  static constexpr const char* name = "test raise";
  ReportView report;
  int first, stride;
  MERGANSER_METHOD void operator()(int i) const {
    if (i >= first && (i - first) % stride == 0) report.raise(Condition::escape, i);
  }
};

TEST(Launch, VisitsEveryIndexOnce) {
  // 64, 8,192 and 128 x 64 are edges of the CPU's chunks.
  for (int count : {0, 1, 63, 64, 65, 127, 128, 129, 2047, 2048, 8191, 8192, 8193, 1048577})
    for (int repeat = 0; repeat < 3; ++repeat) {  // the first launches are those of unknown cost
      Array<int> visits(count + 1);
      launch(count, CountVisits{visits.view()});
      std::vector<int> expected(size_t(count), 1);
      expected.push_back(0);
      ASSERT_EQ(visits.to_host(), expected) << "count " << count;
    }
}
TEST(Launch, PartsVisitEveryIndexOnceAndCanBeStopped) {
  constexpr int count = 100001, stop_at = 20000;
  Array<int> visits(count + 1);
  std::vector<int> once(size_t(count), 1);
  once.push_back(0);
  launch_in_parts(count, CountVisits{visits.view()});  // nobody wants to know
  EXPECT_EQ(visits.to_host(), once);
  visits.assign(std::vector<int>(count + 1));
  std::vector<int> told;
  {
    const BetweenParts outer([](const LaunchedPart&) { FAIL() << "there is an inner one"; });
    const BetweenParts inner([&](const LaunchedPart& part) {
      EXPECT_STREQ(part.name, "test count visits");
      EXPECT_EQ(part.count, count);
      told.push_back(part.done);
    });
    launch_in_parts(count, CountVisits{visits.view()});
  }
  EXPECT_EQ(visits.to_host(), once);
  EXPECT_GT(told.size(), 2u);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), count);
  for (size_t k = 0; k + 1 < told.size(); ++k) EXPECT_EQ(told[k] % 64, 0) << "chunks of other parts";
  visits.assign(std::vector<int>(count + 1));
  {
    const BetweenParts stopping([&](const LaunchedPart& part) {
      if (part.done > stop_at) throw std::runtime_error("stopped");
    });
    EXPECT_THROW(launch_in_parts(count, CountVisits{visits.view()}), std::runtime_error);
  }
  const std::vector<int> some = visits.to_host();
  const auto visited = std::count(some.begin(), some.end(), 1);
  EXPECT_GT(visited, stop_at);
  EXPECT_LT(visited, count);
}
TEST(Launch, ProfileCountsLaunchesByName) {
  Array<int> visits(100);
  reset_kernel_profile();
  EXPECT_TRUE(kernel_profile().empty());
  for (int i = 0; i < 4; ++i) launch(100, CountVisits{visits.view()});
  launch(100, Twin{visits.view()});
  launch(0, CountVisits{visits.view()});  // nothing to do is no launch
  const auto profile = kernel_profile();
  ASSERT_EQ(profile.count("test count visits"), 1u);
  EXPECT_EQ(profile.at("test count visits").launches, 5);
  EXPECT_GE(profile.at("test count visits").milliseconds, 0);
}
TEST(Launch, ProfileMayBeReadAndWrittenFromSeveralThreads) {
  reset_kernel_profile();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      Array<int> visits(10);
      for (int i = 0; i < 500; ++i) launch(10, CountVisits{visits.view()});
    });
  for (int i = 0; i < 100; ++i) (void)kernel_profile();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(kernel_profile().at("test count visits").launches, 2000);
}
TEST(Launch, ProfilingTimesKernels) {
  Array<int> visits(1000000);
  set_kernel_timing(true);
  reset_kernel_profile();
  launch(visits.size(), CountVisits{visits.view()});
  set_kernel_timing(false);
  EXPECT_GT(kernel_profile().at("test count visits").milliseconds, 0);
}
TEST(StageTimer, AddsUpByNameAndStopsOnce) {
  std::map<std::string, double> stages;
  for (int i = 0; i < 2; ++i) {
    StageTimer timer(stages, "wait");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    timer.stop();
    const double stopped = stages["wait"];
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    timer.stop();
    EXPECT_EQ(stages["wait"], stopped);
  }
  EXPECT_EQ(stages.size(), 1u);
  EXPECT_GE(stages["wait"], 10.0);
}
TEST(KernelReport, HoldsTheSmallestParticleUntilCleared) {
  KernelReport report;
  EXPECT_EQ(report.first(Condition::escape), -1);
  for (int threads : {1, 2})
    with_threads(threads, [&] {
      report.clear();
      launch(100000, RaiseEvery{report.view(), 4711, 13});
      launch(100000, RaiseEvery{report.view(), 5000, 1});
      EXPECT_EQ(report.first(Condition::escape), 4711);
      EXPECT_EQ(report.first(Condition::not_a_number), -1);
      EXPECT_EQ(report.first(Condition::overflow), -1);
      return 0;
    });
  report.clear();
  for (int particle : report.read()) EXPECT_EQ(particle, -1);
}

}  // namespace launch_test
MERGANSER_END
