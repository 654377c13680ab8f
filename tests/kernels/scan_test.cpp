/// Exclusive scan and compaction against a loop.
#include "device/scan.h"

#include <gtest/gtest.h>

#include "device/compact.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace scan_test {

std::vector<int> prefix_sums(const std::vector<int>& in) {
  std::vector<int> sums{0};
  for (int value : in) sums.push_back(sums.back() + value);
  return sums;
}

// 16,384 and 32,768 are the edges of the CPU's chunks; more than two chunks run in parallel.
const std::vector<int> sizes = {0, 1, 2, 3, 255, 16383, 16384, 16385, 32769, 49153, 1234567};

TEST(ExclusiveScan, EqualsTheLoopAndEndsInTheTotal) {
  Scratch scratch;
  for (int size : sizes) {
    const auto values = random_ints(size, -50, 100);
    Array<int> in(values), out(size + 1);
    exclusive_scan(in.const_view(), out.view(), scratch);
    ASSERT_EQ(out.to_host(), prefix_sums(values)) << "size " << size;
  }
}
TEST(ExclusiveScan, WithoutRoomForTheTotal) {
  Scratch scratch;
  for (int size : sizes) {
    const auto values = random_ints(size, 0, 9);
    Array<int> in(values), out(size);
    exclusive_scan(in.const_view(), out.view(), scratch);
    auto expected = prefix_sums(values);
    expected.pop_back();
    ASSERT_EQ(out.to_host(), expected) << "size " << size;
  }
}
TEST(ExclusiveScan, InPlace) {
  Scratch scratch;
  for (int size : sizes) {
    const auto values = random_ints(size, 0, 9);
    Array<int> array(values);
    array.resize(size + 1);
    exclusive_scan(array.const_view().subview(0, size), array.view(), scratch);
    ASSERT_EQ(array.to_host(), prefix_sums(values)) << "size " << size;
  }
}
TEST(CompactIndices, KeepsTheOrderAndCounts) {
  Scratch scratch;
  Array<int> offsets;
  for (int size : sizes)
    for (int share : {0, 1, 3, 1000}) {  // of 1000
      auto flags = random_ints(size, 0, 999, share);
      std::vector<int> expected;
      for (int i = 0; i < size; ++i) {
        flags[size_t(i)] = flags[size_t(i)] < share ? 1 : 0;
        if (flags[size_t(i)]) expected.push_back(i);
      }
      Array<int> on_device(flags), selected(size), count(std::vector<int>{-7});
      compact_indices(on_device.const_view(), selected.view(), count.view(), offsets, scratch);
      const int found = read_back(count.const_view(), 0);
      ASSERT_EQ(found, static_cast<int>(expected.size())) << "size " << size << ", share " << share;
      ASSERT_EQ(to_host(selected.const_view().subview(0, found)), expected);
    }
}

}  // namespace scan_test
MERGANSER_END
