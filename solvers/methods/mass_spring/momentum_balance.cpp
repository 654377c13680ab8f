#include "solvers/methods/mass_spring/momentum_balance.h"

#include <algorithm>
#include <numeric>

#include "device/group_sums.h"

MERGANSER_BEGIN

/// Sums of one segment of up to 256 rows, in their order.
struct SumSegment {
  static constexpr const char* name = "momentum of segments";
  using Value = MomentumBalance::Sum;
  MomentumBalance::Rows rows;
  View<const int> particle, segment_first;
  View<const Vec3> change;
  View<Value> sum;
  MERGANSER_METHOD int begin(int s) const { return segment_first[s]; }
  MERGANSER_METHOD int end(int s) const { return segment_first[s + 1]; }
  MERGANSER_METHOD void add(Value& total, int, int k) const {
    const Vec3d free_change = double(rows.dt) * to_double(rows.gravity);
    const int local = particle[k];
    if (!(rows.effective_mass[local] > 0)) {
      total.fixed = 1;
      return;
    }
    const double mass = rows.mass[local], effective_mass = rows.effective_mass[local];
    total.missing += mass * free_change - (effective_mass - mass) * to_double(rows.start[local]) -
                     effective_mass * to_double(change[local]);
    total.effective_mass += effective_mass;
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) { return a + b; }
  MERGANSER_METHOD void finish(int s, const Value& total) const { sum[s] = total; }
};

/// Sums of a body from its segments, in their order.
struct SumBody {
  static constexpr const char* name = "momentum of bodies";
  using Value = MomentumBalance::Sum;
  View<const int> body_first;
  View<const Value> segment;
  View<Value> sum;
  MERGANSER_METHOD int begin(int body) const { return body_first[body]; }
  MERGANSER_METHOD int end(int body) const { return body_first[body + 1]; }
  MERGANSER_METHOD void add(Value& total, int, int s) const { total = total + segment[s]; }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) { return a + b; }
  MERGANSER_METHOD void finish(int body, const Value& total) const { sum[body] = total; }
};

/// u_i += (missing momentum of the body) / (effective mass of the body), where no row of the body is fixed.
struct CorrectRows {
  static constexpr const char* name = "restore momentum";
  View<const int> body_of;
  View<const MomentumBalance::Sum> sum;
  View<Vec3> change;
  MERGANSER_METHOD void operator()(int i) const {
    const MomentumBalance::Sum& body = sum[body_of[i]];
    if (!body.fixed && body.effective_mass > 0)
      change[i] = to_float(to_double(change[i]) + body.missing / body.effective_mass);
  }
};

MomentumBalance::MomentumBalance(const std::vector<Spring>& springs, int particle_count) {
  constexpr int segment_size = 256;
  std::vector<int> root(static_cast<size_t>(particle_count));
  std::iota(root.begin(), root.end(), 0);
  auto find = [&](int i) {
    while (root[size_t(i)] != i) i = root[size_t(i)] = root[size_t(root[size_t(i)])];
    return i;
  };
  for (const Spring& s : springs) {
    const int a = find(s.a), b = find(s.b);
    root[size_t(std::max(a, b))] = std::min(a, b);
  }
  std::vector<int> particle(root.size()), body_of(root.size()), segment_first, body_first;
  std::iota(particle.begin(), particle.end(), 0);
  for (int i = 0; i < particle_count; ++i) body_of[size_t(i)] = find(i);
  std::stable_sort(particle.begin(), particle.end(),
                   [&](int a, int b) { return body_of[size_t(a)] < body_of[size_t(b)]; });
  std::vector<int> number(root.size());
  int last_root = -1;
  for (int k = 0; k < particle_count; ++k) {
    const int i = particle[size_t(k)], its_root = body_of[size_t(i)];
    const bool new_body = its_root != last_root;
    if (new_body || k - segment_first.back() == segment_size) {
      if (new_body) body_first.push_back(static_cast<int>(segment_first.size()));
      segment_first.push_back(k);
    }
    last_root = its_root;
    number[size_t(i)] = static_cast<int>(body_first.size()) - 1;
  }
  segment_sum_.resize(static_cast<int>(segment_first.size()));
  body_sum_.resize(static_cast<int>(body_first.size()));
  body_first.push_back(static_cast<int>(segment_first.size()));
  segment_first.push_back(particle_count);
  particle_.assign(particle);
  segment_first_.assign(segment_first);
  body_first_.assign(body_first);
  body_of_.assign(number);
}

void MomentumBalance::restore(const Rows& rows, View<Vec3> change) {
  launch_group_sums(segment_sum_.size(), SumSegment{.rows = rows,
                                                    .particle = particle_.view(),
                                                    .segment_first = segment_first_.view(),
                                                    .change = change,
                                                    .sum = segment_sum_.view()});
  launch_group_sums(
      body_sum_.size(),
      SumBody{.body_first = body_first_.view(), .segment = segment_sum_.view(), .sum = body_sum_.view()});
  launch(change.count, CorrectRows{.body_of = body_of_.view(), .sum = body_sum_.view(), .change = change});
}

MERGANSER_END
