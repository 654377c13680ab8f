#pragma once
/// The parts of a kernel in spheres and cylinders, tabulated once for a radius.
#include "solvers/coupling/boundary/wall_part.h"

MERGANSER_BEGIN

/// A part that is round about an axis: its gradient has a component away from the axis (or the centre) and
/// one along it.
struct RoundSample {
  float fraction, outward, along, moment;
};

/// Of a sphere or an endless cylinder, over the distance from its surface in [-2, 2], equal spacing, positive
/// outside; of the end of a cylinder that begins far below, over that distance (slowly) and the height over
/// its end in [-2, 2].
inline constexpr int round_part_nodes = 257, end_part_nodes = 65;

/// Radius in units of h.
std::vector<RoundSample> tabulate_sphere(UnitKernel kernel, double radius);
std::vector<RoundSample> tabulate_cylinder(UnitKernel kernel, double radius);
std::vector<RoundSample> tabulate_cylinder_end(UnitKernel kernel, double radius);

MERGANSER_FN RoundSample blend(const RoundSample& a, const RoundSample& b, float t) {
  return {a.fraction + t * (b.fraction - a.fraction), a.outward + t * (b.outward - a.outward),
          a.along + t * (b.along - a.along), a.moment + t * (b.moment - a.moment)};
}
/// Cell of a coordinate in [-2, 2] and the share of the way through it; coordinates beyond count as the ends.
MERGANSER_FN int round_place(float at, int nodes, float& share) {
  const float cells = static_cast<float>(nodes - 1);
  const float place = least_of(most_of(0.25f * at + 0.5f, 0.0f), 1.0f) * cells;
  const int k = place < cells - 1 ? static_cast<int>(place) : nodes - 2;
  share = place - static_cast<float>(k);
  return k;
}

/// Of a table over the distance, in units of h.
MERGANSER_FN RoundSample round_part(const RoundSample* table, float distance) {
  float t;
  const int k = round_place(distance, round_part_nodes, t);
  return blend(table[k], table[k + 1], t);
}
/// Of a table of an end, bilinear; `height` over the end.
MERGANSER_FN RoundSample end_part(const RoundSample* table, float distance, float height) {
  float s, t;
  const RoundSample* row = table + round_place(distance, end_part_nodes, s) * end_part_nodes;
  const int k = round_place(height, end_part_nodes, t);
  return blend(blend(row[k], row[k + 1], t), blend(row[k + end_part_nodes], row[k + end_part_nodes + 1], t),
               s);
}

MERGANSER_END
