#pragma once
/// Several systems with groups in one pressure solve, by plain loops in double
/// precision over the particles of the store.
#include <algorithm>
#include <vector>

#include "device/vector_math.h"
#include "solvers/core/smoothing_kernels.h"
#include "solvers/methods/dfsph/union_kernels.h"

MERGANSER_BEGIN
namespace dfsph_test {

struct UnionReference {
  static constexpr int nowhere = -1;
  std::vector<int> kind;     ///< PressedKind per particle of the store, or nowhere
  std::vector<double> mass;  ///< [kg]
  std::vector<char> immobile;
  std::vector<std::vector<int>> group;  ///< members
  std::vector<char> group_held;         ///< a member is immobile
  std::vector<Vec3d> group_velocity;    ///< [m/s]

  bool is(int i, PressedKind of) const { return kind[size_t(i)] == static_cast<int>(of); }
  /// Moves as its group tells, and its own forces count for the group.
  bool is_led(int i) const { return is(i, PressedKind::fluid) || is(i, PressedKind::elastic); }
  int group_of(int i) const {
    for (size_t g = 0; g < group.size(); ++g)
      if (std::find(group[g].begin(), group[g].end(), i) != group[g].end()) return int(g);
    return nowhere;
  }
  bool is_held(int i) const { return group_of(i) >= 0 && group_held[size_t(group_of(i))]; }
  double group_mass(int g) const {
    double sum = 0;
    for (const int i : group[size_t(g)]) sum += mass[size_t(i)];
    return sum;
  }
  double mobility(int i, double volume) const {
    if (is(i, PressedKind::rigid)) return volume / mass[size_t(i)];
    return is_held(i) || immobile[size_t(i)] ? 0 : volume / mass[size_t(i)];
  }
  /// sum m v/sum m over all members.
  Vec3d mean_velocity(int g, const std::vector<Vec3d>& v) const {
    Vec3d sum{0, 0, 0};
    for (const int i : group[size_t(g)]) sum += mass[size_t(i)] * v[size_t(i)];
    return sum / group_mass(g);
  }
  /// sum m a/M: forces of members that are led, on the mass of all.
  Vec3d acceleration(int g, const std::vector<Vec3d>& a) const {
    Vec3d sum{0, 0, 0};
    for (const int i : group[size_t(g)])
      if (is_led(i)) sum += mass[size_t(i)] * a[size_t(i)];
    return sum / group_mass(g);
  }
};

/// rest_shares() by loops over all pairs.
inline std::vector<double> rest_share(const std::vector<Vec3d>& position, const std::vector<int>& body,
                                      double volume, double h, bool parts) {
  const CubicSpline<double> kernel(h);
  std::vector<double> share;
  for (size_t i = 0; i < position.size(); ++i) {
    double others = 0;
    const double itself = volume * kernel.value(0.0);
    for (size_t j = 0; j < position.size(); ++j) {
      const double r = norm(position[i] - position[j]);
      if (j != i && body[j] == body[i] && r < 2 * h) others += volume * kernel.value(r);
    }
    share.push_back(parts ? std::min(1.0, itself + others) - itself : -std::max(0.0, itself + others - 1));
  }
  return share;
}

}  // namespace dfsph_test
MERGANSER_END
