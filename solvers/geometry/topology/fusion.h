#pragma once
/// Fusion: pairs that begin to touch ([TN] sec. 5.1).
#include "device/launch.h"
#include "solvers/geometry/topology/candidate_list.h"
#include "solvers/geometry/topology/local_field.h"

MERGANSER_BEGIN

/// Place where the cubic through four equidistant samples last falls through C: number of sample
/// intervals from the first one, in [0, 3]. `samples.value[3]` must be below C; -1 where all four are.
/// (Between two samples on one side of C the cubic may graze it; that is an artifact of the fit and is not a
/// surface.)
MERGANSER_FN float last_crossing(const FourValues& samples) {
  const float* v = samples.value;
  int interval = 2;
  while (interval >= 0 && v[interval] < field_iso_value) --interval;
  if (interval < 0) return -1;
  const float d1 = v[1] - v[0], d2 = v[2] - 2 * v[1] + v[0], d3 = v[3] - 3 * v[2] + 3 * v[1] - v[0];
  float inside = static_cast<float>(interval), outside = inside + 1;
  for (int halving = 0; halving < 18; ++halving) {
    const float s = 0.5f * (inside + outside);
    const float value = v[0] + s * (d1 + (s - 1) * (0.5f * d2 + (s - 2) * (1.0f / 6) * d3));
    (value < field_iso_value ? outside : inside) = s;
  }
  return 0.5f * (inside + outside);
}

/// r_ij: how far the surface of g_i is from particle i towards particle j [m], from samples of g_i in
/// [h/4, 3h/4], and where g_i(h/4) is below C in [-h/4, h/4]. None where g_i(3h/4) is above C or g_i is below
/// C in both ranges.
struct SurfaceReach {
  static constexpr const char* name = "topology surface reach";
  /// Less than the sum of any two reaches.
  static constexpr float none = -1e30f;
  CandidateView candidates;  ///< unlinked pairs
  View<const float> distance2;
  LocalField field;
  float h;            ///< [m]
  float tolerance;    ///< beta
  View<float> reach;  ///< [m] per candidate, written

  MERGANSER_METHOD void operator()(int c) const {
    const float d2 = distance2[candidates.entry[c]];
    const float farthest = tolerance * 1.5f * h;  // both reaches are at most 3h/4
    reach[c] = d2 < farthest * farthest ? reach_towards(candidates.row[c], candidates.entry[c]) : none;
  }

 private:
  MERGANSER_METHOD float reach_towards(int i, int e) const {
    const Vec3 d = field.position[field.graph.neighbor[e]] - field.position[i];
    const float distance = sqrtf(distance2[e]);
    if (!(distance > 0)) return none;
    const Vec3 direction = d * (1 / distance);
    const FourValues outer{{h / 4, 5 * h / 12, 7 * h / 12, 3 * h / 4}};
    FourValues samples = field.along(i, {0, 0, 0}, direction, outer);
    if (samples.value[0] >= field_iso_value) {
      if (!(samples.value[3] < field_iso_value)) return none;
      return h / 4 + last_crossing(samples) * (h / 6);
    }
    const FourValues inner{{-h / 4, -h / 12, h / 12, h / 4}};
    samples = field.along(i, {0, 0, 0}, direction, inner);
    const float crossing = last_crossing(samples);
    return crossing < 0 ? none : crossing * (h / 6) - h / 4;
  }
};

/// Fuses a pair where |x_i - x_j| < beta (r_ij + r_ji). Two particles in one place touch.
struct FindTouching {
  static constexpr const char* name = "topology find touching";
  CandidateView candidates;
  View<const int> neighbor;
  View<const float> distance2, reach;
  float tolerance;            ///< beta
  View<unsigned char> found;  ///< per candidate, written
  MERGANSER_METHOD void operator()(int c) const {
    const float d2 = distance2[candidates.entry[c]];
    const float both = reach[c] + reach[candidates.mirror(c, neighbor)];
    found[c] = d2 == 0 || sqrtf(d2) < tolerance * both ? 1 : 0;
  }
};

MERGANSER_END
