#pragma once
/// Walls as fluid sees them: half spaces filled with more of the same fluid.
///
/// Instead of layers of wall particles, the part of the kernel that reaches behind a wall is integrated once
/// for a plane at distance d and tabulated (the idea of volume maps and semi-analytic walls: Kulasegaram,
/// Bonet, Lewis, Profit 2004; Bender, Kugelstadt, Weiler, Koschier 2019):
///   lambda(d)  = int_{behind} W dV        fraction of the kernel's mass behind the wall,
///   lambda'(d) = -2 pi int_|d|^2h W r dr  so that int_{behind} grad W dV = lambda' n, n the wall's normal.
/// Two more integrals follow from these. For a field that is linear in space, a sum over the fluid's side
/// alone finds only a part of its gradient: 1 - lambda of the components along the wall, and of the component
/// along n the part
///   1 - lambda + d lambda'.
/// Dividing by these parts makes the sums next to a wall exact for linear fields again. At edges and corners
/// the fractions are combined as if the walls were independent, 1 - lambda = prod_k (1 - lambda_k), which is
/// exact where neither reaches.
#include <vector>

#include "device/array.h"
#include "device/vector_math.h"
#include "solvers/geometry/walls/wall.h"

MERGANSER_BEGIN

/// lambda and h lambda' at one distance.
struct WallFillSample {
  float fraction, slope;
};

struct WallFillView {
  View<const WallFillSample> sample;  ///< over |d|/h in [0, 2], equal spacing
  float inverse_h;                    ///< [1/m]
  float offset = 0;                   ///< [m] by which surfaces lie further back than walls say

  /// lambda and lambda' [1/m] at signed distance d [m].
  MERGANSER_METHOD WallFillSample at(float d) const {
    const float s = fabsf(d) * inverse_h;
    const float cells = static_cast<float>(sample.count - 1);
    const float place = 0.5f * s * cells;
    if (!(place < cells)) return {d > 0 ? 0.0f : 1.0f, 0.0f};
    const int k = static_cast<int>(place);
    const float t = place - static_cast<float>(k);
    const WallFillSample a = sample.data[k], b = sample.data[k + 1];
    const float fraction = a.fraction + t * (b.fraction - a.fraction);
    return {d < 0 ? 1 - fraction : fraction, inverse_h * (a.slope + t * (b.slope - a.slope))};
  }
  MERGANSER_METHOD float support() const { return 2 / inverse_h; }
};

/// How one wall cuts a particle's kernel.
struct WallShare {
  Vec3 normal;
  float distance;     ///< [m]
  float open;         ///< 1 - lambda, not below wall_least_open
  float slope;        ///< lambda' [1/m]
  float open_normal;  ///< 1 - lambda + d lambda', not below wall_least_open
};

/// A particle on the surface has 1/2; the bound keeps one that got behind it from dividing by nearly nothing.
inline constexpr float wall_least_open = 0.4f;

/// Calls visit(wall, share) for every wall whose surface lies within the kernel's support of x.
template <class Visit>
MERGANSER_FN void for_each_near_wall(const WallView& walls, const WallFillView& fill, const Vec3& x,
                                     const Visit& visit) {
  const float support = fill.support();
  for (int k = 0; k < walls.count; ++k) {
    const WallDistance at = walls.data[k].at(x);
    const float distance = at.distance + fill.offset;
    if (distance >= support) continue;
    const WallFillSample s = fill.at(distance);
    const float open = 1 - s.fraction, open_normal = open + distance * s.slope;
    visit(walls.data[k], WallShare{at.normal, distance, open > wall_least_open ? open : wall_least_open,
                                   s.slope, open_normal > wall_least_open ? open_normal : wall_least_open});
  }
}

/// Owns the table for a smoothing length; `kernel` is a kernel of double with h = 1, `offset` [m] that of
/// WallFillView.
class WallVolumeMap {
 public:
  WallVolumeMap() = default;
  template <class Kernel>
  WallVolumeMap(const Kernel& kernel, float h, float offset = 0) : inverse_h_(1 / h), offset_(offset) {
    table_.assign(tabulate([&](double q) { return kernel.value(q); }));
  }
  WallFillView view() const { return {table_.const_view(), inverse_h_, offset_}; }

 private:
  /// Simpson's rule from the rim of the support inwards.
  template <class Value>
  static std::vector<WallFillSample> tabulate(const Value& value) {
    constexpr int cells = 256, parts = 16;
    constexpr double pi = 3.14159265358979323846, width = 2.0 / (cells * parts);
    std::vector<WallFillSample> samples(cells + 1);
    double plane = 0, fraction = 0;  // 2 pi int_s^2 W r dr and its integral
    for (int k = cells * parts; k > 0; --k) {
      const double s = k * width, middle = s - width / 2, next = s - width;
      const double upper_half =
          pi * width / 6 *
          (value(s) * s + 4 * value(s - width / 4) * (s - width / 4) + value(middle) * middle);
      const double whole = pi * width / 3 * (value(s) * s + 4 * value(middle) * middle + value(next) * next);
      fraction += width / 6 * (plane + 4 * (plane + upper_half) + (plane + whole));
      plane += whole;
      if ((k - 1) % parts == 0)
        samples[static_cast<size_t>((k - 1) / parts)] = {static_cast<float>(fraction),
                                                         static_cast<float>(-plane)};
    }
    return samples;
  }

  Array<WallFillSample> table_;
  float inverse_h_ = 1, offset_ = 0;
};

MERGANSER_END
