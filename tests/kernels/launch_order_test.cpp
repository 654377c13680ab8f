/// The order in which launches visit their indices.
#include "device/launch_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "device/atomics.h"
#include "device/errors.h"
#include "device/launch.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace launch_order_test {

std::vector<int> order_of(const std::string& words, int count) {
  set_launch_order(words);
  const IndexOrder order(count);
  std::vector<int> indices;
  for (int k = 0; k < count; ++k) indices.push_back(order(k));
  set_launch_order("ascending");
  return indices;
}
std::vector<int> ascending(int count) {
  std::vector<int> indices(static_cast<size_t>(count));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

TEST(LaunchOrder, IsAPermutation) {
  for (int count : {0, 1, 2, 3, 4, 5, 17, 256, 257, 70001})
    for (const char* words : {"ascending", "reversed", "shuffled:0", "shuffled:1"}) {
      auto indices = order_of(words, count);
      std::sort(indices.begin(), indices.end());
      ASSERT_EQ(indices, ascending(count)) << words;
    }
}
TEST(LaunchOrder, IsTheOneAskedFor) {
  EXPECT_EQ(order_of("ascending", 5), ascending(5));
  EXPECT_EQ(order_of("reversed", 5), (std::vector<int>{4, 3, 2, 1, 0}));
  const auto shuffled = order_of("shuffled:3", 10000);
  int steps = 0;  // of one upwards, as in ascending order
  for (size_t k = 1; k < shuffled.size(); ++k) steps += shuffled[k] == shuffled[k - 1] + 1;
  EXPECT_LT(steps, 20);
  EXPECT_NE(order_of("shuffled:3", 10000), shuffled) << "another launch, another order";
}
TEST(LaunchOrder, OtherWordsAreRefused) {
  for (const char* words : {"", "up", "shuffled", "shuffled:", "shuffled:x", "shuffled:1x", "shuffled:-1"})
    EXPECT_THROW(set_launch_order(words), InputError) << words;
}

#if !MERGANSER_COMPILED_BY_NVCC
struct Enter {
  static constexpr const char* name = "test enter";
  View<int> next;   ///< one number: how many came before
  View<int> place;  ///< written
  MERGANSER_METHOD void operator()(int i) const { place[i] = atomic_add(&next[0], 1); }
};
TEST(LaunchOrder, IsObeyedByLaunches) {
  constexpr int count = 1000;
  const auto places = [&](const char* words) {
    set_launch_order(words);
    Array<int> next(1), place(count);
    const auto found = with_threads(1, [&] {
      launch(count, Enter{next.view(), place.view()});
      return place.to_host();
    });
    set_launch_order("ascending");
    return found;
  };
  auto reversed = ascending(count);
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(places("ascending"), ascending(count));
  EXPECT_EQ(places("reversed"), reversed);
  auto shuffled = places("shuffled:5");
  EXPECT_NE(shuffled, ascending(count));
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, ascending(count));
}
#endif

}  // namespace launch_order_test
MERGANSER_END
