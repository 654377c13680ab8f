#pragma once
/// Splitting: pairs that come apart ([TN] sec. 5.2).
#include "device/launch.h"
#include "solvers/geometry/topology/closure.h"
#include "solvers/geometry/topology/local_field.h"

MERGANSER_BEGIN

/// Marks the linked pairs that may come apart, in the row of the smaller id: further than alpha h from each
/// other and without a mediator.
/// (The paper's first shortcut keeps pairs closer than alpha h, its closure rule counts those of alpha h as
/// well; here both do. Then no pair that can mediate is ever split, so every pair keeps its mediators, and
/// those split have none: the closure after the split, line 7 of Algorithm 1, has nothing to link.)
struct MarkSplittable {
  static constexpr const char* name = "topology mark splittable";
  View<const int> first, neighbor, id;
  View<const unsigned char> linked;
  View<const float> distance2;
  float limit2;  ///< [m^2] (alpha h)^2
  CloseNeighbors close;
  View<unsigned char> mark;  ///< row i written
  MERGANSER_METHOD void operator()(int i) const {
    for (int e = first[i]; e < first[i + 1]; ++e) {
      const int j = neighbor[e];
      mark[e] = id[i] < id[j] && linked[e] && distance2[e] > limit2 && !close.mediate(i, j, linked) ? 1 : 0;
    }
  }
};

/// Least value on the whole segment of the quadratic that fits four equidistant samples best (least squares).
/// With u = -3, -1, 1, 3 at the samples: q(u) = mean + u sum(u v)/20 + (u^2 - 5) sum((u^2 - 5) v)/64.
MERGANSER_FN float least_of_quadratic_fit(const FourValues& samples) {
  const float* v = samples.value;
  const float mean = 0.25f * ((v[0] + v[3]) + (v[1] + v[2]));
  const float slope = (3 * (v[3] - v[0]) + (v[2] - v[1])) / 20;
  const float curvature = ((v[0] + v[3]) - (v[1] + v[2])) / 16;
  const float at_start = mean - 3 * slope + 4 * curvature, at_end = mean + 3 * slope + 4 * curvature;
  float least = at_start < at_end ? at_start : at_end;
  if (fabsf(slope) < 6 * curvature) {  // the vertex -slope/(2 curvature) lies on the segment
    const float vertex = mean - 5 * curvature - slope * slope / (4 * curvature);
    least = vertex < least ? vertex : least;
  }
  return least;
}

/// Splits a pair where the least value of max(g_i, g_j) on the segment between its particles is below C.
struct FindParted {
  static constexpr const char* name = "topology find parted";
  CandidateView candidates;  ///< each pair once
  LocalField field;
  View<unsigned char> found;  ///< per candidate, written
  MERGANSER_METHOD void operator()(int c) const {
    const int i = candidates.row[c], j = field.graph.neighbor[candidates.entry[c]];
    const Vec3 d = field.position[j] - field.position[i];
    const FourValues t{{0, 1.0f / 3, 2.0f / 3, 1}};
    FourValues samples = field.along(i, {0, 0, 0}, d, t);
    const FourValues of_j = field.along(j, -d, d, t);
    for (int k = 0; k < 4; ++k)
      samples.value[k] = samples.value[k] > of_j.value[k] ? samples.value[k] : of_j.value[k];
    found[c] = least_of_quadratic_fit(samples) < field_iso_value ? 1 : 0;
  }
};

/// Takes the links of the found pairs away. A pair is one candidate, which owns both its entries.
struct UnlinkFound {
  static constexpr const char* name = "topology unlink";
  CandidateView candidates;  ///< each pair once
  View<const int> first, neighbor;
  View<const unsigned char> found;
  View<unsigned char> linked;
  View<float> link_age;
  MERGANSER_METHOD void operator()(int c) const {
    if (!found[c]) return;
    const int i = candidates.row[c], e = candidates.entry[c], j = neighbor[e];
    int other = first[j];
    while (neighbor[other] != i) ++other;
    linked[e] = linked[other] = 0;
    link_age[e] = link_age[other] = 0;
  }
};

MERGANSER_END
