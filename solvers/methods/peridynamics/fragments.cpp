#include "solvers/methods/peridynamics/fragments.h"

#include <algorithm>
#include <numeric>

MERGANSER_BEGIN

std::vector<float> number_fragments(const std::vector<int>& first, const std::vector<int>& neighbor) {
  const int count = first.empty() ? 0 : static_cast<int>(first.size()) - 1;
  std::vector<int> root(static_cast<size_t>(count));
  std::iota(root.begin(), root.end(), 0);
  auto find = [&](int i) {
    while (root[size_t(i)] != i) i = root[size_t(i)] = root[size_t(root[size_t(i)])];
    return i;
  };
  for (int i = 0; i < count; ++i)
    for (int e = first[size_t(i)]; e < first[size_t(i) + 1]; ++e) {
      if (neighbor[size_t(e)] < i) continue;  // broken, or seen from the other end
      const int a = find(i), b = find(neighbor[size_t(e)]);
      root[size_t(std::max(a, b))] = std::min(a, b);
    }
  std::vector<float> fragment(root.size());
  float next = 0;
  for (int i = 0; i < count; ++i) {
    const int of = find(i);
    fragment[size_t(i)] = of == i ? next++ : fragment[size_t(of)];
  }
  return fragment;
}

MERGANSER_END
