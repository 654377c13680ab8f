/// Rows sorted by one index each, against std::sort: every length around the limits between the two ways to
/// sort, in the orders in which rows come.
#include "device/small_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "device/launch.h"
#include "device/random.h"

MERGANSER_BEGIN
namespace small_sort_test {

struct SortRows {
  static constexpr const char* name = "test sort rows";
  View<const int> first;
  View<int> value;
  MERGANSER_METHOD void operator()(int row) const {
    sort_ascending(value.data + first[row], first[row + 1] - first[row]);
  }
};

int draw(int i, int below) {
  return static_cast<int>(random_draw(5, RandomPurpose::test, static_cast<unsigned>(i), 0).word[0] %
                          unsigned(below));
}

/// Ascending, descending, ascending but for a few that come late, two ascending rows in turns, arbitrary with
/// values that are equal.
std::vector<int> made_row(int kind, int length) {
  std::vector<int> row(static_cast<size_t>(length));
  std::iota(row.begin(), row.end(), -3);
  if (kind == 1) std::reverse(row.begin(), row.end());
  if (kind == 2)
    for (int i = 0; i + 7 < length; i += 40) std::swap(row[size_t(i)], row[size_t(i + 7)]);
  if (kind == 3)
    for (int i = 0; i < length; ++i) row[size_t(i)] = i / 2 + (i % 2) * length / 2;
  if (kind == 4)
    for (int i = 0; i < length; ++i) row[size_t(i)] = draw(i, length) - length / 2;
  return row;
}

TEST(SmallSort, RowsOfAllLengthsAndOrders) {
  std::vector<int> first{0}, value, expected;
  for (int kind = 0; kind < 5; ++kind)
    for (int length : {0, 1, 2, 3, 16, 47, 48, 49, 50, 100, 1000, 5000}) {
      std::vector<int> row = made_row(kind, length);
      value.insert(value.end(), row.begin(), row.end());
      std::sort(row.begin(), row.end());
      expected.insert(expected.end(), row.begin(), row.end());
      first.push_back(static_cast<int>(value.size()));
    }
  Array<int> starts(first), rows(value);
  launch(starts.size() - 1, SortRows{starts.const_view(), rows.view()});
  EXPECT_EQ(rows.to_host(), expected);
}

}  // namespace small_sort_test
MERGANSER_END
