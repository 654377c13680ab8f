#pragma once
/// Counters and energies of one step of merging-and-splitting.
#include "device/merge_groups.h"
#include "device/reduce.h"
#include "solvers/coupling/merge_split/merge_trees.h"

MERGANSER_BEGIN

struct MergeStatistics {
  long long contacts = 0;       ///< overlapping pairs, merging and marked; 0 where nothing treats them
  long long groups = 0;         ///< meta-particles
  long long largest_group = 0;  ///< members
  long long ignored_contacts =
      0;                       ///< pairs to be merged left in two groups: full, or both hold an immobile one
  long long merged_pairs = 0;  ///< pairs to be merged that ended in one group
  double virtual_bond_energy = 0;         ///< [J] dE of all merges, eq. 4: what groups hold during the step
  double synchronization_energy = 0;      ///< [J] dEk of all groups, eq. 19
  double dissipated_merging = 0;          ///< [J] (1 - alpha) dE; dE where gives_back() is false
  double dissipated_synchronization = 0;  ///< [J] (1 - beta) dEk
  int rounds = 0;                         ///< of proposals
};

/// One pass over pairs, groups and nodes alike: index i stands for the i-th of each.
struct SumStatistics {
  static constexpr const char* name = "merge: statistics";
  using Value = MergeStatistics;
  View<const ItemPair> pairs;
  View<const int> merges;
  ItemGroupsView groups;
  int node_count;
  View<const MergeBond> bond;
  double alpha;
  View<const float> synchronization_energy;
  MERGANSER_METHOD MergeStatistics operator()(int i) const {
    MergeStatistics s;
    if (i < pairs.count && merges[i]) {
      const int group = groups.group_of[pairs[i].first];
      const bool merged = group >= 0 && group == groups.group_of[pairs[i].second];
      (merged ? s.merged_pairs : s.ignored_contacts) = 1;
    }
    if (i < groups.group_count) {
      s.largest_group = groups.first[i + 1] - groups.first[i];
      s.synchronization_energy = synchronization_energy[i];
    }
    if (i < node_count) {
      s.virtual_bond_energy = bond[i].energy;
      s.dissipated_merging = (bond[i].gives_back ? 1 - alpha : 1) * s.virtual_bond_energy;
    }
    return s;
  }
  MERGANSER_METHOD static MergeStatistics identity() { return {}; }
  MERGANSER_METHOD static MergeStatistics combine(const MergeStatistics& a, const MergeStatistics& b) {
    MergeStatistics s = a;
    s.merged_pairs += b.merged_pairs;
    s.ignored_contacts += b.ignored_contacts;
    s.virtual_bond_energy += b.virtual_bond_energy;
    s.dissipated_merging += b.dissipated_merging;
    s.synchronization_energy += b.synchronization_energy;
    if (b.largest_group > s.largest_group) s.largest_group = b.largest_group;
    return s;
  }
};

MERGANSER_END
