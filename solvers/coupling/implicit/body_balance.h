#pragma once
/// Exact momentum of free bodies after a solve that ended at its tolerance: every body as a whole gets the
/// one velocity that restores its momentum. Rigid motions strain no spring and no bond, so the other
/// equations stay solved. (RestoreMomentum gives each row its own residual over its effective mass, which a
/// stiff row would feel as a kick of dt^2 k/m times that of the solver.)
#include "device/array.h"
#include "device/group_sums.h"
#include "device/launch.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

/// Sums of a body's rows, or of some of them.
struct BalanceSum {
  Vec3d missing{0, 0, 0};     ///< [N s]
  double effective_mass = 0;  ///< [kg]
  int fixed = 0, unused = 0;  ///< fixed: 1 = a row is
  MERGANSER_METHOD friend BalanceSum operator+(const BalanceSum& a, const BalanceSum& b) {
    return {a.missing + b.missing, a.effective_mass + b.effective_mass, a.fixed | b.fixed, 0};
  }
};

/// What a row misses, its share of its unknown's residual r: h/h_unknown r.
struct ResidualShares {
  View<const float> effective_mass;          ///< [kg] h of the row, 0 = fixed
  View<const float> unknown_effective_mass;  ///< [kg] of all rows of its unknown
  View<const Vec3> residual;                 ///< [N s] of the row's unknown
  MERGANSER_METHOD Vec3d missing(int i) const {
    return (double(effective_mass[i]) / double(unknown_effective_mass[i])) * to_double(residual[i]);
  }
};

/// Sums of a segment of up to 256 rows, in their order.
template <class Rows>
struct SumBalanceSegment {
  static constexpr const char* name = "balance segments";
  using Value = BalanceSum;
  Rows rows;
  View<const int> particle, first;
  View<Value> sum;
  MERGANSER_METHOD int begin(int s) const { return first[s]; }
  MERGANSER_METHOD int end(int s) const { return first[s + 1]; }
  MERGANSER_METHOD void add(Value& total, int, int k) const {
    const int i = particle[k];
    if (!(rows.effective_mass[i] > 0)) {
      total.fixed = 1;
      return;
    }
    total.missing += rows.missing(i);
    total.effective_mass += rows.effective_mass[i];
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) { return a + b; }
  MERGANSER_METHOD void finish(int s, const Value& total) const { sum[s] = total; }
};

/// Sums of a body from its segments, in their order.
struct SumBalanceBody {
  static constexpr const char* name = "balance bodies";
  using Value = BalanceSum;
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

/// balanced = u + (missing momentum of the body) / (effective mass of the body), where no row of it is fixed.
struct BalanceRows {
  static constexpr const char* name = "balance rows";
  View<const int> body_of;
  View<const BalanceSum> sum;
  View<const Vec3> u;
  View<Vec3> balanced;
  MERGANSER_METHOD void operator()(int i) const {
    const BalanceSum& body = sum[body_of[i]];
    const bool free = !body.fixed && body.effective_mass > 0;
    balanced[i] = free ? to_float(to_double(u[i]) + body.missing / body.effective_mass) : u[i];
  }
};

class BodyBalance {
 public:
  /// Bodies are the connected parts of the bonds, a CSR list over local indices.
  BodyBalance(const std::vector<int>& bond_first, const std::vector<int>& bond_neighbor);
  /// balanced = u + (sum of rows.missing(i) [N s]) / (sum of rows.effective_mass [kg]) over the body of each
  /// row, where no row of it is fixed; u [m/s] may be `balanced`. Members of a group that joins two bodies
  /// need averaging afterwards.
  template <class Rows>
  void restore(const Rows& rows, View<const Vec3> u, View<Vec3> balanced) {
    launch_group_sums(
        segment_sum_.size(),
        SumBalanceSegment<Rows>{rows, particle_.view(), segment_first_.view(), segment_sum_.view()});
    launch_group_sums(body_sum_.size(),
                      SumBalanceBody{body_first_.view(), segment_sum_.view(), body_sum_.view()});
    launch(balanced.count, BalanceRows{body_of_.view(), body_sum_.view(), u, balanced});
  }

 private:
  Array<int> particle_;       ///< all local indices, body by body
  Array<int> segment_first_;  ///< starts of segments in particle_, one more at the end; none reaches over two
                              ///< bodies
  Array<int> body_first_;     ///< starts of bodies in segments, one more at the end
  Array<int> body_of_;        ///< per particle
  Array<BalanceSum> segment_sum_, body_sum_;
};

MERGANSER_END
