#pragma once
/// Bonds that are broken from the beginning: those whose reference segment crosses a parallelogram.
#include <vector>

#include "solvers/core/initial_state.h"
#include "solvers/methods/peridynamics/bond_sum.h"

MERGANSER_BEGIN

/// A parallelogram corner + a u + b v, 0 <= a, b <= 1 [m].
struct Parallelogram {
  int body;
  Vec3d corner, u, v;

  /// True where the segment from p to q crosses it. A point on its plane counts as above.
  MERGANSER_METHOD bool crosses(const Vec3d& p, const Vec3d& q) const {
    const Vec3d normal = cross(u, v);
    const double at_p = dot(normal, p - corner), at_q = dot(normal, q - corner);
    if ((at_p >= 0) == (at_q >= 0)) return false;
    const Vec3d hit = p + (at_p / (at_p - at_q)) * (q - p) - corner;
    const double area_squared = norm_squared(normal);
    const double a = dot(cross(hit, v), normal) / area_squared, b = dot(cross(u, hit), normal) / area_squared;
    return a >= 0 && a <= 1 && b >= 0 && b <= 1;
  }
};

/// Those of a system's parameters. Throws InputError where one spans no area or its body is not there.
std::vector<Parallelogram> pre_cracks(const SystemState& state);

struct BreakCrossingBonds {
  static constexpr const char* name = "peridynamics pre-cracks";
  View<const Parallelogram> cracks;
  View<const int> first, body;
  ComponentsView reference;
  View<int> neighbor, broken;  ///< updated
  MERGANSER_METHOD void operator()(int i) const {
    int count = 0;
    for (int e = first[i]; e < first[i + 1]; ++e) {
      const int j = neighbor[e];
      if (j < 0 || !crossed(i < j ? i : j, i < j ? j : i)) continue;
      neighbor[e] = ~j;
      ++count;
    }
    broken[i] += count;
  }

 private:
  MERGANSER_METHOD Vec3d at(int i) const {
    return {double(reference.x[i]), double(reference.y[i]), double(reference.z[i])};
  }
  /// Always asked with the smaller index first, so that both ends get the same answer.
  MERGANSER_METHOD bool crossed(int low, int high) const {
    for (int c = 0; c < cracks.count; ++c)
      if (cracks[c].body == body[low] && cracks[c].crosses(at(low), at(high))) return true;
    return false;
  }
};

MERGANSER_END
