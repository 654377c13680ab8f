#include "device/row_sums.h"

#include <vector>

#include <gtest/gtest.h>

#include "device/array.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

namespace row_sums_test {

/// Sum and number of what a row has.
struct RowTotal {
  double sum = 0;
  int entries = 0, pad = 0;
};
struct SumRow {
  static constexpr const char* name = "test row sums";
  using Value = RowTotal;
  View<const int> first;
  View<const float> entry;
  View<double> sum;
  View<int> entries;
  MERGANSER_METHOD int begin(int row) const { return first[row]; }
  MERGANSER_METHOD int end(int row) const { return first[row + 1]; }
  MERGANSER_METHOD RowTotal operator()(int, int k) const { return {double(entry[k]), 1, 0}; }
  MERGANSER_METHOD static RowTotal identity() { return {}; }
  MERGANSER_METHOD static RowTotal combine(const RowTotal& a, const RowTotal& b) {
    return {a.sum + b.sum, a.entries + b.entries, 0};
  }
  MERGANSER_METHOD void finish(int row, const RowTotal& total) const {
    sum[row] = total.sum;
    entries[row] = total.entries;
  }
};

template <int lanes>
void compare_with_plain_sums() {
  std::vector<int> first{0};
  for (int length : {0, 1, 3, 31, 32, 33, 127, 128, 129, 0, 5, 5000, 2, 64})
    first.push_back(first.back() + length);
  std::vector<float> entry;
  for (int k = 0; k < first.back(); ++k) entry.push_back(1.0f / float(k + 1) - 0.01f * float(k % 7));
  const int rows = static_cast<int>(first.size()) - 1;
  const Array<int> device_first(first);
  const Array<float> device_entry(entry);
  Array<double> sum(rows);
  Array<int> entries(rows);
  launch_row_sums<lanes>(
      rows, SumRow{device_first.const_view(), device_entry.const_view(), sum.view(), entries.view()});
  const auto sums = sum.to_host();
  const auto counts = entries.to_host();
  for (int row = 0; row < rows; ++row) {
    const size_t r = static_cast<size_t>(row);
    long double expected = 0;
    for (int k = first[r]; k < first[r + 1]; ++k) expected += entry[size_t(k)];
    EXPECT_NEAR(sums[r], double(expected), 1e-13 * (1 + first[r + 1] - first[r])) << "row " << row;
    EXPECT_EQ(counts[r], first[r + 1] - first[r]) << "row " << row;
  }
}

TEST(RowSums, EveryRowIsTheSumOfItsEntries) {
  compare_with_plain_sums<1>();
  compare_with_plain_sums<4>();
  compare_with_plain_sums<32>();
  compare_with_plain_sums<128>();
}
TEST(RowSums, NoRowsAreNoLaunch) {
  launch_row_sums(0, SumRow{});
  SUCCEED();
}

}  // namespace row_sums_test
MERGANSER_END
