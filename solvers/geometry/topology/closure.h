#pragma once
/// Local transitive closure ([TN] eq. 5, sec. 5.3).
///
/// A sweep links every candidate pair that has a mediator: a particle k, linked to both and within alpha h of
/// both. Links only appear, and more links never take a mediator away: the rule is monotone over a finite
/// set. Sweeps in any order, of some or all candidates, therefore end at the same set, the least one that
/// holds the links at the beginning and obeys the rule; which thread looked first does not matter.
#include "device/launch.h"
#include "solvers/geometry/topology/candidate_list.h"
#include "solvers/geometry/topology/neighbor_graph.h"

MERGANSER_BEGIN

/// Neighbors within alpha h, linked or not, by rows in the order of ids.
struct CloseNeighbors {
  View<const int> first;  ///< per particle, one more at the end
  View<const int> id;     ///< of the neighbor
  View<const int> entry;  ///< of the pair in the graph

  /// True where some k is linked to, and within alpha h of, both i and j.
  MERGANSER_METHOD bool mediate(int i, int j, View<const unsigned char> linked) const {
    int a = first[i], b = first[j];
    const int a_end = first[i + 1], b_end = first[j + 1];
    while (a < a_end && b < b_end) {
      const int of_a = id[a], of_b = id[b];
      if (of_a == of_b && linked[entry[a]] && linked[entry[b]]) return true;
      a += of_a <= of_b;
      b += of_b <= of_a;
    }
    return false;
  }
};

struct CountClose {
  static constexpr const char* name = "topology count close";
  View<const int> first;
  View<const float> distance2;
  float limit2;     ///< [m^2] (alpha h)^2
  View<int> count;  ///< written
  MERGANSER_METHOD void operator()(int i) const {
    int close = 0;
    for (int e = first[i]; e < first[i + 1]; ++e) close += distance2[e] <= limit2;
    count[i] = close;
  }
};

struct ListClose {
  static constexpr const char* name = "topology list close";
  View<const int> first, neighbor, id;
  View<const float> distance2;
  float limit2;  ///< [m^2] (alpha h)^2
  View<const int> close_first;
  View<int> close_id, close_entry;  ///< row i written
  MERGANSER_METHOD void operator()(int i) const {
    int at = close_first[i];
    for (int e = first[i]; e < first[i + 1]; ++e)
      if (distance2[e] <= limit2) {
        close_id[at] = id[neighbor[e]];
        close_entry[at++] = e;
      }
  }
};

/// One sweep over the candidates that are not linked yet.
struct FindMediated {
  static constexpr const char* name = "topology closure sweep";
  CandidateView candidates;
  View<const int> neighbor;
  View<const unsigned char> linked;
  CloseNeighbors close;
  View<unsigned char> found;  ///< per candidate, written
  MERGANSER_METHOD void operator()(int c) const {
    const int e = candidates.entry[c];
    found[c] = !linked[e] && close.mediate(candidates.row[c], neighbor[e], linked) ? 1 : 0;
  }
};

/// Marks pairs without a link.
struct MarkUnlinked {
  static constexpr const char* name = "topology mark unlinked";
  View<const unsigned char> linked;
  View<unsigned char> mark;
  MERGANSER_METHOD void operator()(int e) const { mark[e] = linked[e] ? 0 : 1; }
};

/// New links of what a stage has found, both directions.
struct LinkFound {
  static constexpr const char* name = "topology link";
  CandidateView candidates;
  View<const unsigned char> found;
  float age;  ///< of new links
  View<unsigned char> linked;
  View<float> link_age;
  MERGANSER_METHOD void operator()(int c) const {
    if (!found[c]) return;
    linked[candidates.entry[c]] = 1;
    link_age[candidates.entry[c]] = age;
  }
};

MERGANSER_END
