/// Arrays and views: growth, zero fill, sizes, memory counted, checked views.
#include "device/array.h"

#include <gtest/gtest.h>

#include <numeric>

MERGANSER_BEGIN
namespace array_test {

std::vector<int> counting(int count) {
  std::vector<int> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST(Array, GrowthKeepsTheContentAndFillsWithZero) {
  Array<int> array(counting(3));
  for (int size : {4, 5, 100, 7000}) {
    array.resize(size);
    const auto host = array.to_host();
    ASSERT_EQ(host.size(), static_cast<size_t>(size));
    for (int i = 0; i < size; ++i) ASSERT_EQ(host[size_t(i)], i < 3 ? i + 1 : 0) << "element " << i;
  }
}
TEST(Array, ElementsThatComeBackAreZero) {
  Array<int> array(counting(50));
  array.resize(10);
  array.resize(50);
  const auto host = array.to_host();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(host[size_t(i)], i < 10 ? i + 1 : 0);
  array.clear();
  array.resize(5);
  EXPECT_EQ(array.to_host(), std::vector<int>(5, 0));
}
TEST(Array, MemoryIsCountedAndGivenBack) {
  const size_t before = allocated_bytes();
  {
    Array<double> array(1000);
    EXPECT_EQ(allocated_bytes() - before, 8000u);
    array.resize(1001);  // grows by half
    EXPECT_EQ(allocated_bytes() - before, 12000u);
    Array<double> moved(std::move(array));
    EXPECT_EQ(allocated_bytes() - before, 12000u);
    moved.release();
    EXPECT_EQ(allocated_bytes(), before);
    EXPECT_EQ(moved.size(), 0);
    moved.resize(2);
    EXPECT_EQ(moved.to_host(), std::vector<double>(2, 0.0));
  }
  EXPECT_EQ(allocated_bytes(), before);
}
TEST(Array, AssignReplacesSizeAndContent) {
  Array<int> array(counting(9));
  array.assign(counting(4));
  EXPECT_EQ(array.to_host(), counting(4));
  Array<int> other;
  other.assign(array.const_view().subview(1, 2));
  EXPECT_EQ(other.to_host(), (std::vector<int>{2, 3}));
  other.assign(std::vector<int>{});
  EXPECT_TRUE(other.empty());
  EXPECT_TRUE(other.to_host().empty());
}
TEST(Array, ScratchMemoryMayExceedTheRangeOfInt) {
  // Address space only: nothing is written, so no memory is taken where the system commits on use.
  const size_t bytes = (size_t(1) << 31) + 12345;
  Array<unsigned char> scratch;
  try {
    scratch.reserve(bytes);
  } catch (const DeviceError&) {
    GTEST_SKIP() << "this machine has not " << bytes << " bytes";
  }
  EXPECT_GE(scratch.capacity(), bytes);
  EXPECT_EQ(scratch.size(), 0);
}
TEST(Array, ANegativeSizeIsAnErrorAndNotAHugeAllocation) {
  Array<int> array;
  EXPECT_THROW(array.resize(-1), DeviceError);
  EXPECT_EQ(array.size(), 0);
}
TEST(Array, TooMuchMemoryIsADeviceErrorThatTellsTheRemedy) {
  Array<double> array(counting(3).empty() ? 0 : 3);
  const size_t before = allocated_bytes();
  try {
    array.reserve(size_t(1) << 55);
    FAIL() << "no machine has 256 PiB";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("--resolution"), std::string::npos);
  }
  EXPECT_EQ(allocated_bytes(), before);
  EXPECT_EQ(array.size(), 3);  // still there
}
TEST(View, SubviewAndReadBack) {
  Array<int> array(counting(10));
  EXPECT_EQ(read_back(array.const_view(), 7), 8);
  EXPECT_EQ(to_host(array.const_view().subview(3, 4)), (std::vector<int>{4, 5, 6, 7}));
  EXPECT_TRUE(to_host(View<const int>()).empty());
}
#if defined(MERGANSER_CHECKED_VIEWS) && !MERGANSER_COMPILED_BY_NVCC
TEST(ViewDeathTest, CheckedViewsStopAtTheFirstWrongIndex) {
  Array<int> array(counting(10));
  const View<int> view = array.view();
  EXPECT_DEATH(view[10] = 0, "index 10 outside a view of 10");
  EXPECT_DEATH(view[-1] = 0, "index -1 outside");
  EXPECT_DEATH((void)view.subview(5, 6), "index 11 outside");
}
#endif

}  // namespace array_test
MERGANSER_END
