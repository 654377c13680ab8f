/// Mistakes that the emulated GPU catches: each test makes one mistake that would go unnoticed where launches
/// run at once in the host's memory.
#include "device/backend.h"

#if MERGANSER_GPU_HALF && !MERGANSER_COMPILED_BY_NVCC
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>

#include "device/launch_graph.h"
#include "device/launch_order.h"
#include "device/reduce.h"
#include "device/sort.h"

MERGANSER_BEGIN
namespace emulation_test {

struct SetTo {
  static constexpr const char* name = "test set to";
  float value;
  View<float> out;
  MERGANSER_METHOD void operator()(int i) const { out[i] = value; }
};
/// Reads what its neighbor may have written already.
struct AddNeighborInPlace {
  static constexpr const char* name = "test add neighbor in place";
  View<float> values;
  MERGANSER_METHOD void operator()(int i) const { values[i] += i > 0 ? values[i - 1] : 1.0f; }
};
/// A reduction that reads what another index writes.
struct SumInPlace {
  static constexpr const char* name = "test sum in place";
  using Value = double;
  View<float> values;
  MERGANSER_METHOD double operator()(int i) const {
    values[i] += i > 0 ? values[i - 1] : 1.0f;
    return values[i];
  }
  MERGANSER_METHOD static double identity() { return 0; }
  MERGANSER_METHOD static double combine(double a, double b) { return a + b; }
};

class EmulationDeathTest : public testing::Test {
 protected:
  EmulationDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(EmulationDeathTest, HostReadsWithoutWaiting) {
  Array<float> values(1000);
  launch(values.size(), SetTo{3, values.view()});
  const float* address = values.data();
  EXPECT_DEATH((void)*static_cast<const volatile float*>(address), "the host touched GPU memory");
  EXPECT_EQ(values.to_host()[999], 3);
}
TEST_F(EmulationDeathTest, HostReadsOrWritesThroughAView) {
  Array<float> values(std::vector<float>{1, 2, 3});
  const View<float> view = values.view();
  EXPECT_DEATH(std::printf("%f", double(view[1])), "the host touched GPU memory");
  EXPECT_DEATH(view[1] = 5, "the host touched GPU memory");
  synchronize();  // what has waited may not look either
  EXPECT_DEATH(view[1] = 5, "the host touched GPU memory");
  EXPECT_EQ(values.to_host(), (std::vector<float>{1, 2, 3}));
}
TEST_F(EmulationDeathTest, KernelReadsFreedMemory) {
  Array<float> values(1000);
  const View<float> view = values.view();
  values.release();
  const auto use = [&] {
    launch(1000, SetTo{1, view});
    synchronize();
  };
  EXPECT_DEATH(use(), "'test set to' touched memory that is not allocated");
}
TEST_F(EmulationDeathTest, GraphReplaysFreedAddresses) {
  Array<float> values(1000);
  LaunchGraph graph;
  View<float> view = values.view();
  const LaunchKey key = {view.data};
  const auto work = [&] { launch(1000, SetTo{1, view}); };
  for (int use = 0; use < 2; ++use) graph.run(key, work);  // the first use is plain
  values.release();
  Array<float> others(5000);
  const auto replay = [&] {
    graph.run(key, work);
    synchronize();
  };
  EXPECT_DEATH(replay(), "'test set to' touched memory that is not allocated");
}

TEST(Emulation, NothingRunsBeforeTheHostWaits) {
  Array<float> values(10);
  synchronize();
  static bool ran;
  ran = false;
  enqueue({"test work", [] { ran = true; }});
  launch(values.size(), SetTo{1, values.view()});
  EXPECT_FALSE(ran);
  EXPECT_EQ(read_back(values.const_view(), 3), 1);
  EXPECT_TRUE(ran);
}
TEST(Emulation, FreedMemoryStaysUntilTheStreamHasPassed) {
  Array<float> from(1000), to(1000);
  launch(1000, SetTo{7, from.view()});
  to.assign(from.const_view());
  from.release();  // comes after the copy in the stream
  EXPECT_EQ(to.to_host(), std::vector<float>(1000, 7));
}
TEST(Emulation, NewMemoryIsPoisoned) {
  Array<float> values;
  for (int repeat = 0; repeat < 3; ++repeat) {
    values.reserve(5000);
    std::vector<float> host(5000);
    copy_to_host(host.data(), values.data(), sizeof(float) * host.size());
    for (float x : host) ASSERT_TRUE(std::isnan(x));
    launch(5000, SetTo{1, {values.data(), 5000}});
    values.release();
  }
}
TEST(Emulation, AddressesAreNotUsedAgainAtOnce) {
  std::uintptr_t before = 0;
  for (int repeat = 0; repeat < 100; ++repeat) {
    const Array<float> values(1000);
    synchronize();
    const auto address = reinterpret_cast<std::uintptr_t>(values.data());
    EXPECT_GT(address, before);
    before = address;
  }
}
TEST(Emulation, CopiesNameWhatIsNoArrayOfTheGpu) {
  Array<float> values(10);
  std::vector<float> host(20);
  EXPECT_THROW(copy_to_host(host.data(), values.data(), sizeof(float) * 11), DeviceError);
  EXPECT_THROW(copy_to_device(host.data(), host.data(), sizeof(float)), DeviceError);
  EXPECT_THROW(copy_to_host(values.data(), values.data(), sizeof(float)), DeviceError);
}

/// The message of the DeviceError that work throws, "" where it throws none.
template <class Work>
std::string fault_of(const Work& work) {
  try {
    work();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}
void expect_says(const std::string& text, const std::string& piece) {
  EXPECT_NE(text.find(piece), std::string::npos) << "no '" << piece << "' in: " << text;
}

TEST(EmulatedGraph, LaunchKeyThatMissesAnInput) {
  Array<float> values(100);
  LaunchGraph graph;
  const auto run = [&](float value, int count) {
    const LaunchKey key = {values.data()};  // neither value nor count
    graph.run(key, [&] { launch(count, SetTo{value, values.view()}); });
  };
  for (int use = 0; use < 3; ++use) run(1, 100);
  expect_says(fault_of([&] { run(2, 100); }), "'test set to' with other arguments");
  expect_says(fault_of([&] { run(1, 50); }), "launch key misses");
  EXPECT_EQ(values.to_host(), std::vector<float>(100, 1));
}
TEST(EmulatedGraph, NoAllocationWhileRecording) {
  Array<float> values(100), other;
  LaunchGraph graph;
  graph.run({}, [] {});  // the first use is plain
  const auto fault = fault_of([&] {
    graph.run({}, [&] {
      launch(100, SetTo{1, values.view()});
      other.resize(10);
    });
  });
  expect_says(fault, "memory was requested while a launch graph is recorded, after 'test set to'");
  EXPECT_EQ(values.to_host(), std::vector<float>(100, 0));  // what was recorded is dropped
}
TEST(EmulatedGraph, NoWaitingNoFreeingWhileRecording) {
  Array<float> values(100), other(10);
  LaunchGraph graph;
  graph.run({}, [] {});  // the first use is plain
  expect_says(fault_of([&] { graph.run({}, [&] { (void)values.to_host(); }); }), "a copy to the host while");
  expect_says(fault_of([&] { graph.run({}, [&] { values.assign(std::vector<float>{1}); }); }),
              "a copy from the host while");
  expect_says(fault_of([&] { graph.run({}, [&] { synchronize(); }); }), "the host waited while");
  expect_says(fault_of([&] { graph.run({}, [&] { other.release(); }); }), "memory was freed while");
}
TEST(EmulatedGraph, GraphWithinAGraphIsPartOfIt) {
  Array<float> values(100);
  LaunchGraph outer, inner;
  const auto run = [&](float value) {
    LaunchKey key = {values.data()};
    add_to_key(key, value);
    outer.run(key, [&] { inner.run(key, [&] { launch(100, SetTo{value, values.view()}); }); });
  };
  const DeviceTraffic before = device_traffic();
  for (int use = 0; use < 3; ++use) run(1);
  for (int use = 0; use < 3; ++use) run(2);
  EXPECT_EQ(device_traffic().graphs - before.graphs, 4);
  EXPECT_EQ(device_traffic().recordings - before.recordings, 2);
  EXPECT_EQ(values.to_host(), std::vector<float>(100, 2));
}
TEST(EmulatedGraph, ReplaysFillsAndCopies) {
  Array<float> values(100), copy(100);
  LaunchGraph graph;
  const auto run = [&] {
    graph.run({values.data(), copy.data()}, [&] {
      copy_on_device(copy.data(), values.data(), sizeof(float) * 100);
      values.zero();
    });
  };
  for (float x : {3.0f, 4.0f, 5.0f}) {
    launch(100, SetTo{x, values.view()});
    run();
    EXPECT_EQ(copy.to_host(), std::vector<float>(100, x));
    EXPECT_EQ(values.to_host(), std::vector<float>(100, 0));
  }
}

/// Results of `work()` in three orders of launches.
template <class Work>
auto in_three_orders(const Work& work) {
  std::vector<decltype(work())> results;
  for (const char* order : {"ascending", "reversed", "shuffled:7"}) {
    set_launch_order(order);
    results.push_back(work());
  }
  set_launch_order("ascending");
  return results;
}
TEST(LaunchOrderFinds, KernelThatReadsANeighborsOutput) {
  const auto found = in_three_orders([] {
    Array<float> values(std::vector<float>(1000, 1));
    launch(values.size(), AddNeighborInPlace{values.view()});
    return values.to_host();
  });
  EXPECT_NE(found[0], found[1]);
  EXPECT_NE(found[0], found[2]);
  EXPECT_NE(found[1], found[2]);
}
TEST(LaunchOrderFinds, ReductionThatReadsANeighborsOutput) {
  const auto found = in_three_orders([] {
    Array<float> values(std::vector<float>(1000, 1));
    Reduction<double> sum;
    sum.run(values.size(), SumInPlace{values.view()});
    return sum.read();
  });
  EXPECT_NE(found[0], found[1]);
  EXPECT_NE(found[0], found[2]);
}
TEST(EmulatedSort, LooksAtTheLowestBitsAlone) {
  Array<unsigned> keys(std::vector<unsigned>{0x103, 0x002, 0x201});
  Array<int> values(std::vector<int>{0, 1, 2});
  Scratch scratch;
  stable_sort_by_key(keys.view(), values.view(), scratch, 8);
  EXPECT_EQ(values.to_host(), (std::vector<int>{2, 1, 0}));
}

}  // namespace emulation_test
MERGANSER_END
#endif
