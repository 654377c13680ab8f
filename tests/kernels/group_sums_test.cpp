#include "device/group_sums.h"

#include <vector>

#include <gtest/gtest.h>

#include "device/array.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

namespace group_sums_test {

struct Total {
  double sum = 0;
  int entries = 0, unused = 0;
};
/// Sum and count of every row; every entry becomes its row's mean.
struct TakeMean {
  static constexpr const char* name = "test group sums";
  using Value = Total;
  View<const int> first;
  View<float> entry;
  View<double> sum;
  MERGANSER_METHOD int begin(int row) const { return first[row]; }
  MERGANSER_METHOD int end(int row) const { return first[row + 1]; }
  MERGANSER_METHOD void add(Total& total, int, int k) const {
    total.sum += double(entry[k]);
    ++total.entries;
  }
  MERGANSER_METHOD static Total identity() { return {}; }
  MERGANSER_METHOD static Total combine(const Total& a, const Total& b) {
    return {a.sum + b.sum, a.entries + b.entries, 0};
  }
  MERGANSER_METHOD void finish(int row, const Total& total) const { sum[row] = total.sum; }
  MERGANSER_METHOD float share(int, const Total& total) const { return float(total.sum / total.entries); }
  MERGANSER_METHOD void spread(int, int k, float mean) const { entry[k] = mean; }
};

/// Only hands on: the number of a row's entries.
struct CountOnly {
  static constexpr const char* name = "test group counts";
  using Value = int;
  View<const int> first;
  View<int> count;
  MERGANSER_METHOD int begin(int row) const { return first[row]; }
  MERGANSER_METHOD int end(int row) const { return first[row + 1]; }
  MERGANSER_METHOD void add(int& total, int, int) const { ++total; }
  MERGANSER_METHOD static int identity() { return 0; }
  MERGANSER_METHOD static int combine(int a, int b) { return a + b; }
  MERGANSER_METHOD int share(int, int total) const { return total; }
  MERGANSER_METHOD void spread(int, int k, int total) const { count[k] = total; }
};

const std::vector<int> lengths{0,    1,    3, 31, 32,   33,   127, 128, 129,    0, 5,
                               5000, 1024, 2, 64, 1025, 1500, 1,   2,   100000, 7};

std::vector<int> starts() {
  std::vector<int> first{0};
  for (int length : lengths) first.push_back(first.back() + length);
  return first;
}

TEST(GroupSums, RowsOfAnyLengthAreSummedAndSpread) {
  const std::vector<int> first = starts();
  std::vector<float> entry;
  for (int k = 0; k < first.back(); ++k) entry.push_back(1.0f / float(k + 1) - 0.01f * float(k % 7));
  const int rows = static_cast<int>(lengths.size());
  const Array<int> device_first(first);
  Array<float> device_entry(entry);
  Array<double> sum(rows);
  launch_group_sums(rows, TakeMean{device_first.const_view(), device_entry.view(), sum.view()});
  const auto sums = sum.to_host();
  const auto means = device_entry.to_host();
  for (size_t row = 0; row < lengths.size(); ++row) {
    long double expected = 0;
    for (int k = first[row]; k < first[row + 1]; ++k) expected += entry[size_t(k)];
    EXPECT_NEAR(sums[row], double(expected), 1e-13 * (1 + lengths[row])) << "row " << row;
    for (int k = first[row]; k < first[row + 1]; ++k)
      ASSERT_EQ(means[size_t(k)], float(sums[row] / lengths[row])) << "row " << row << ", entry " << k;
  }
}

TEST(GroupSums, ASumMayOnlyBeHandedOn) {
  const std::vector<int> first = starts();
  const Array<int> device_first(first);
  Array<int> count(first.back());
  launch_group_sums(static_cast<int>(lengths.size()), CountOnly{device_first.const_view(), count.view()});
  const auto counts = count.to_host();
  for (size_t row = 0; row < lengths.size(); ++row)
    for (int k = first[row]; k < first[row + 1]; ++k) ASSERT_EQ(counts[size_t(k)], lengths[row]);
}

TEST(GroupSums, NoRowsAreNoLaunch) {
  launch_group_sums(0, CountOnly{});
  SUCCEED();
}

}  // namespace group_sums_test
MERGANSER_END
