/// Times of stages, which are the device's own.
#include "device/stage_clock.h"

#include <gtest/gtest.h>

#include "device/launch.h"
#include "device/results.h"
#include "device/timers.h"

MERGANSER_BEGIN
namespace stage_clock_test {

/// Some milliseconds of work in one thread.
struct Spend {
  static constexpr const char* name = "test spend";
  int rounds;
  View<float> out;
  MERGANSER_METHOD void operator()(int i) const {
    float x = 1;
    for (int k = 0; k < rounds; ++k) x = x * 0.9999f + 0.1f;
    out[i] = x;
  }
};

TEST(StageClock, TellsStagesApart) {
  Array<float> out(1);
  StageClock clock;
  for (int step = 0; step < 2; ++step) {
    clock.start(true);
    clock.end_of("empty");
    launch(1, Spend{2000000, out.view()});
    clock.end_of("long");
    clock.end_of("empty");
    launch(1, Spend{2000000, out.view()});
    clock.end_of("long");
    fetch_results();
    EXPECT_GT(clock.milliseconds("long"), 1);
    EXPECT_LT(clock.milliseconds("empty"), 0.2 * clock.milliseconds("long"));
    EXPECT_EQ(clock.milliseconds("another"), 0);
  }
}

TEST(StageClock, IsOffWhereNobodyAsks) {
  Array<float> out(1);
  StageClock clock;
  clock.start(true);
  clock.end_of("stage");
  clock.start(false);
  launch(1, Spend{1000, out.view()});
  clock.end_of("stage");
  EXPECT_EQ(clock.milliseconds("stage"), 0);
}

/// The clock itself does not wait: no read is counted, and before one the times are not there.
TEST(StageClock, DoesNotWait) {
  Array<float> out(1);
  StageClock clock;
  const DeviceTraffic before = device_traffic();
  clock.start(true);
  launch(1, Spend{1000, out.view()});
  clock.end_of("stage");
  EXPECT_EQ(device_traffic().reads, before.reads);
#if MERGANSER_GPU_HALF && !MERGANSER_COMPILED_BY_NVCC
  EXPECT_THROW(clock.milliseconds("stage"), DeviceError);
#endif
  synchronize();
  EXPECT_GE(clock.milliseconds("stage"), 0);
}

}  // namespace stage_clock_test
MERGANSER_END
