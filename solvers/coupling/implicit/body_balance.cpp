#include "solvers/coupling/implicit/body_balance.h"

#include <algorithm>
#include <numeric>

MERGANSER_BEGIN

BodyBalance::BodyBalance(const std::vector<int>& bond_first, const std::vector<int>& bond_neighbor) {
  constexpr int segment_size = 256;
  const size_t count = bond_first.empty() ? 0 : bond_first.size() - 1;
  std::vector<int> root(count);
  std::iota(root.begin(), root.end(), 0);
  auto find = [&](int i) {
    while (root[size_t(i)] != i) i = root[size_t(i)] = root[size_t(root[size_t(i)])];
    return i;
  };
  for (size_t i = 0; i < count; ++i)
    for (int e = bond_first[i]; e < bond_first[i + 1]; ++e) {
      const int a = find(int(i)), b = find(bond_neighbor[size_t(e)]);
      root[size_t(std::max(a, b))] = std::min(a, b);
    }
  std::vector<int> particle(count), body_of(count), segment_first, body_first;
  std::iota(particle.begin(), particle.end(), 0);
  for (size_t i = 0; i < count; ++i) body_of[i] = find(int(i));
  std::stable_sort(particle.begin(), particle.end(),
                   [&](int a, int b) { return body_of[size_t(a)] < body_of[size_t(b)]; });
  std::vector<int> number(count);
  int last_root = -1;
  for (size_t k = 0; k < count; ++k) {
    const size_t i = size_t(particle[k]);
    const bool new_body = body_of[i] != last_root;
    if (new_body || int(k) - segment_first.back() == segment_size) {
      if (new_body) body_first.push_back(static_cast<int>(segment_first.size()));
      segment_first.push_back(static_cast<int>(k));
    }
    last_root = body_of[i];
    number[i] = static_cast<int>(body_first.size()) - 1;
  }
  segment_sum_.resize(static_cast<int>(segment_first.size()));
  body_sum_.resize(static_cast<int>(body_first.size()));
  body_first.push_back(static_cast<int>(segment_first.size()));
  segment_first.push_back(static_cast<int>(count));
  particle_.assign(particle);
  segment_first_.assign(segment_first);
  body_first_.assign(body_first);
  body_of_.assign(number);
}

MERGANSER_END
