#include "solvers/linear/two_level/parts.h"

#include <algorithm>
#include <numeric>

MERGANSER_BEGIN

namespace {

using Rows = std::vector<int>::iterator;

size_t longest_side(const std::vector<Point3>& positions, Rows begin, Rows end) {
  Point3 low = positions[size_t(*begin)], high = low;
  for (Rows i = begin; i != end; ++i)
    for (size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], positions[size_t(*i)][k]);
      high[k] = std::max(high[k], positions[size_t(*i)][k]);
    }
  size_t longest = 0;
  for (size_t k = 1; k < 3; ++k)
    if (high[k] - low[k] > high[longest] - low[longest]) longest = k;
  return longest;
}

void cut(const std::vector<Point3>& positions, Rows all, Rows begin, Rows end, int parts,
         std::vector<int>& first) {
  if (parts == 1) {
    std::sort(begin, end);
    first.push_back(static_cast<int>(begin - all));
    return;
  }
  const size_t axis = longest_side(positions, begin, end);
  const int low = parts / 2;
  const Rows middle = begin + std::int64_t(end - begin) * low / parts;
  std::nth_element(begin, middle, end, [&](int a, int b) {
    const double x = positions[size_t(a)][axis], y = positions[size_t(b)][axis];
    return x != y ? x < y : a < b;
  });
  cut(positions, all, begin, middle, low, first);
  cut(positions, all, middle, end, parts - low, first);
}

}  // namespace

RowParts cut_into_parts(const std::vector<Point3>& positions, int parts) {
  if (parts < 1 || size_t(parts) > positions.size())
    throw InputError("cannot cut " + std::to_string(positions.size()) + " rows into " +
                     std::to_string(parts) + " parts");
  RowParts made{std::vector<int>(positions.size()), {}};
  std::iota(made.order.begin(), made.order.end(), 0);
  cut(positions, made.order.begin(), made.order.begin(), made.order.end(), parts, made.first);
  return made;
}

MERGANSER_END
