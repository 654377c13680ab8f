/// Stable sort against std::stable_sort: duplicates, few key bits, extreme keys.
#include "device/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace sort_test {

template <class Key>
void expect_stable_order(const std::vector<Key>& keys, int key_bits) {
  const int count = static_cast<int>(keys.size());
  std::vector<int> expected(keys.size());
  std::iota(expected.begin(), expected.end(), 0);
  Array<Key> device_keys(keys);
  Array<int> values(expected);
  Scratch scratch;
  stable_sort_by_key(device_keys.view(), values.view(), scratch, key_bits);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](int a, int b) { return keys[size_t(a)] < keys[size_t(b)]; });
  ASSERT_EQ(values.to_host(), expected) << count << " keys of " << key_bits << " bits";
  const auto sorted = device_keys.to_host();
  for (int i = 0; i < count; ++i) ASSERT_EQ(sorted[size_t(i)], keys[size_t(expected[size_t(i)])]);
}

template <class Key>
std::vector<Key> random_keys(int count, int key_bits) {
  std::vector<Key> keys;
  for (int i = 0; i < count; ++i) {
    const RandomBits bits = test_bits(i, key_bits);
    const Word64 key = (Word64(bits.word[0]) << 32) | bits.word[1];
    keys.push_back(static_cast<Key>(key_bits == 64 ? key : key & ((Word64(1) << key_bits) - 1)));
  }
  return keys;
}

TEST(StableSort, RandomKeysOfManyWidths) {
  for (int count : {0, 1, 2, 3, 1000, 70001})
    for (int bits : {1, 4, 17, 32}) {  // 1 and 4 bits: long runs of equal keys
      expect_stable_order(random_keys<unsigned>(count, bits), bits);
      expect_stable_order(random_keys<Word64>(count, bits), bits);
      if (bits == 17) expect_stable_order(random_keys<Word64>(count, 50), 50);
    }
  expect_stable_order(random_keys<Word64>(70001, 64), 64);
}
TEST(StableSort, ExtremeAndEqualKeys) {
  expect_stable_order(std::vector<Word64>(5000, ~Word64(0)), 64);
  expect_stable_order(std::vector<unsigned>{0, ~0u, 0, ~0u, 1u << 31, 0}, 32);
  std::vector<unsigned> descending(30000);
  for (size_t i = 0; i < descending.size(); ++i) descending[i] = static_cast<unsigned>(descending.size() - i);
  expect_stable_order(descending, 32);
}
TEST(StableSort, MoreThanAMillion) { expect_stable_order(random_keys<unsigned>(1200001, 20), 20); }

}  // namespace sort_test
MERGANSER_END
