#pragma once
/// Pairs that a stage has to look at: a few of the graph's entries, in the order of the graph, both
/// directions.
#include "device/array.h"
#include "device/launch.h"
#include "device/scan.h"

MERGANSER_BEGIN

struct CandidateView {
  View<const int> first;  ///< per particle, one more at the end: its candidates
  View<const int> entry;  ///< index into the graph's entries
  View<const int> row;    ///< the particle whose row that is

  MERGANSER_METHOD int count() const { return entry.count; }
  /// The candidate that is the same pair seen from the other particle, where both directions are listed.
  MERGANSER_METHOD int mirror(int c, View<const int> neighbor) const {
    const int i = row[c], j = neighbor[entry[c]];
    int other = first[j];
    while (other + 1 < first[j + 1] && neighbor[entry[other]] != i) ++other;
    return other;
  }
};

class CandidateList {
 public:
  /// Entries with mark 1. Blocking: the number is read back.
  void build(View<const int> row_first, View<const unsigned char> mark);
  CandidateView view() const { return {first_.view(), entry_.view(), row_.view()}; }
  int count() const { return entry_.size(); }

 private:
  Array<int> first_, entry_, row_;
  Scratch scratch_;
};

MERGANSER_END
