#include "solvers/coupling/implicit/body_balance.h"

#include <algorithm>
#include <numeric>

#include "device/group_sums.h"

MERGANSER_BEGIN

struct SumBalanceSegment {
  static constexpr const char* name = "balance segments";
  using Value = BodyBalance::Sum;
  BodyBalance::Rows rows;
  View<const int> particle, first;
  View<Value> sum;
  MERGANSER_METHOD int begin(int s) const { return first[s]; }
  MERGANSER_METHOD int end(int s) const { return first[s + 1]; }
  MERGANSER_METHOD void add(Value& total, int, int k) const {
    const int i = particle[k];
    const double h = rows.effective_mass[i];
    if (!(h > 0)) {
      total.fixed = 1;
      return;
    }
    total.missing += (h / double(rows.unknown_effective_mass[i])) * to_double(rows.residual[i]);
    total.effective_mass += h;
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) { return a + b; }
  MERGANSER_METHOD void finish(int s, const Value& total) const { sum[s] = total; }
};
struct SumBalanceBody {
  static constexpr const char* name = "balance bodies";
  using Value = BodyBalance::Sum;
  View<const int> first;
  View<const Value> segment;
  View<Value> sum;
  MERGANSER_METHOD int begin(int body) const { return first[body]; }
  MERGANSER_METHOD int end(int body) const { return first[body + 1]; }
  MERGANSER_METHOD void add(Value& total, int, int s) const { total = total + segment[s]; }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) { return a + b; }
  MERGANSER_METHOD void finish(int body, const Value& total) const { sum[body] = total; }
};
struct BalanceRows {
  static constexpr const char* name = "balance rows";
  View<const int> body_of;
  View<const BodyBalance::Sum> sum;
  View<const Vec3> u;
  View<Vec3> balanced;
  MERGANSER_METHOD void operator()(int i) const {
    const BodyBalance::Sum& body = sum[body_of[i]];
    const bool free = !body.fixed && body.effective_mass > 0;
    balanced[i] = free ? to_float(to_double(u[i]) + body.missing / body.effective_mass) : u[i];
  }
};

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

void BodyBalance::restore(const Rows& rows, View<Vec3> balanced) {
  launch_group_sums(segment_sum_.size(),
                    SumBalanceSegment{rows, particle_.view(), segment_first_.view(), segment_sum_.view()});
  launch_group_sums(body_sum_.size(),
                    SumBalanceBody{body_first_.view(), segment_sum_.view(), body_sum_.view()});
  launch(balanced.count, BalanceRows{body_of_.view(), body_sum_.view(), rows.u, balanced});
}

MERGANSER_END
