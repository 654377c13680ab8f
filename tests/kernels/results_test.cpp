/// Results that the host gets all at once.
#include "device/results.h"

#include <gtest/gtest.h>

#include "device/reduce.h"
#include "device/timers.h"

MERGANSER_BEGIN
namespace results_test {

struct SumIndices {
  static constexpr const char* name = "test sum of indices";
  using Value = long long;
  long long factor;
  MERGANSER_METHOD long long operator()(int i) const { return factor * i; }
  MERGANSER_METHOD static long long identity() { return 0; }
  MERGANSER_METHOD static long long combine(long long a, long long b) { return a + b; }
};
struct WriteNumber {
  static constexpr const char* name = "test write";
  int number;
  View<int> to;
  MERGANSER_METHOD void operator()(int) const { to[0] = number; }
};
struct Large {
  long long numbers[100];
};

TEST(Results, AllComeWithOneRead) {
  std::vector<Reduction<long long>> sums(40);  // grown, so they have moved
  sums.resize(50);
  DeviceResult<int> number;
  for (int k = 0; k < 50; ++k) sums[size_t(k)].run(3000, SumIndices{k});
  launch(1, WriteNumber{4711, number.view()});
  number.written();
  const DeviceTraffic before = device_traffic();
  fetch_results();
  for (int k = 0; k < 50; ++k) EXPECT_EQ(sums[size_t(k)].fetched(), k * 2999ll * 1500);
  EXPECT_EQ(number.fetched(), 4711);
  const DeviceTraffic after = device_traffic();
  EXPECT_EQ(after.reads - before.reads, MERGANSER_GPU_HALF);
  EXPECT_EQ(number.read(), 4711);
}

/// One launch a sum, also where there is nothing to sum.
TEST(Results, AReductionIsOneKernel) {
  Reduction<long long> sum;
  sum.run(100000, SumIndices{1});
  const DeviceTraffic before = device_traffic();
  sum.run(100000, SumIndices{1});
  sum.run(0, SumIndices{1});
  const DeviceTraffic after = device_traffic();
  EXPECT_EQ(after.kernels - before.kernels, 2 * MERGANSER_GPU_HALF);
  EXPECT_EQ(after.copies - before.copies, 0);
  EXPECT_EQ(sum.read(), 0);
}

TEST(Results, AreZeroAtFirstAndWhereAPlaceIsUsedAgain) {
  for (int round = 0; round < 3; ++round) {
    DeviceResult<int> number;
    EXPECT_EQ(number.fetched(), 0);
    EXPECT_EQ(number.read(), 0);
    launch(1, WriteNumber{round + 1, number.view()});
    number.written();
    fetch_results();
    EXPECT_EQ(number.fetched(), round + 1);
  }
}

/// More than one block of memory holds: earlier ones stay where they are.
TEST(Results, ThereMayBeAnyNumber) {
  DeviceResult<int> first;
  launch(1, WriteNumber{7, first.view()});
  first.written();
  const int* const address = first.view().data;
  std::vector<DeviceResult<Large>> many(500);
  fetch_results();
  EXPECT_EQ(first.view().data, address);
  EXPECT_EQ(first.fetched(), 7);
  for (const auto& large : many) EXPECT_EQ(large.fetched().numbers[99], 0);
}

#if MERGANSER_GPU_HALF
TEST(Results, OneOfALaterKernelIsNotTakenForFetched) {
  Reduction<long long> sum, other;
  sum.run(10, SumIndices{1});
  EXPECT_THROW(sum.fetched(), DeviceError) << "never fetched";
  fetch_results();
  EXPECT_EQ(sum.fetched(), 45);
  sum.run(11, SumIndices{1});
  EXPECT_THROW(sum.fetched(), DeviceError) << "run again";
  EXPECT_EQ(sum.read(), 55);
  EXPECT_EQ(other.fetched(), 0);
  fetch_results();
  EXPECT_EQ(sum.fetched(), 55);
}
#endif

}  // namespace results_test
MERGANSER_END
