#pragma once
/// Kernels that number the groups and list their members; MergeGroups::number_groups() runs them as launches,
/// number_in_block() in the phases of one block.
#include "device/merge_rounds.h"

MERGANSER_BEGIN

struct FindRoots {
  static constexpr const char* name = "merge groups: find roots";
  View<const int> parent;
  View<const GroupRoot> root;
  View<int> flag;     ///< 1 at the root item of a group of two or more
  View<int> root_of;  ///< per item: its root item, or -1 where it is alone
  MERGANSER_METHOD void operator()(int item) const {
    const int at = find_root(parent, item);
    const bool grouped = root[at].size > 1;
    flag[item] = grouped && at == item ? 1 : 0;
    root_of[item] = grouped ? at : -1;
  }
};

/// Hands on the number of groups with the counts of the last round.
struct NoteGroups {
  static constexpr const char* name = "merge groups: note groups";
  View<const int> index;  ///< see NumberGroups
  int items;
  View<RoundCount> count;
  int round;
  MERGANSER_METHOD void operator()(int) const { count[round].groups = index[items]; }
};

struct NumberGroups {
  static constexpr const char* name = "merge groups: number groups";
  View<const int> index;  ///< per item: groups whose root item is before it; one more at the end
  View<const GroupRoot> root;
  View<const int> root_of;  ///< see FindRoots; may be group_of
  View<int> group_of;       ///< group or -1
  View<int> size, top;
  View<unsigned> sort_key;  ///< sorts members by group, items that are alone to the end; empty: not wanted
  View<int> member;         ///< with the sort keys: the items as they are
  MERGANSER_METHOD void operator()(int item) const {
    const int at = root_of[item];
    const int group = at < 0 ? -1 : index[at];
    if (at == item) {
      size[group] = root[item].size;
      top[group] = root[item].top;
    }
    group_of[item] = group;
    if (sort_key.empty()) return;
    sort_key[item] = static_cast<unsigned>(group < 0 ? index[index.count - 1] : group);
    member[item] = item;
  }
};

struct FindAlone {
  static constexpr const char* name = "merge groups: find alone";
  View<const int> group_of;
  View<int> flag;
  MERGANSER_METHOD void operator()(int item) const { flag[item] = group_of[item] < 0 ? 1 : 0; }
};

/// Members of each group in any order, and behind them the items that are alone.
struct ScatterMembers {
  static constexpr const char* name = "merge groups: scatter members";
  View<const int> group_of, first;
  View<const int> alone_before;  ///< per item
  int group_count;
  View<int> size;  ///< counted down
  View<int> scattered, member;
  MERGANSER_METHOD void operator()(int item) const {
    const int group = group_of[item];
    if (group < 0)
      member[first[group_count] + alone_before[item]] = item;
    else
      scattered[first[group] + atomic_add(&size[group], -1) - 1] = item;
  }
};

/// A member's place is the number of lesser ones in its group: restores the order that the atomics lost.
struct RankMembers {
  static constexpr const char* name = "merge groups: rank members";
  View<const int> group_of, first, scattered;
  View<int> member;
  MERGANSER_METHOD void operator()(int item) const {
    const int group = group_of[item];
    if (group < 0) return;
    int place = first[group];
    for (int k = first[group], end = first[group + 1]; k < end; ++k) place += scattered[k] < item ? 1 : 0;
    member[place] = item;
  }
};

/// Views per item and per group; of groups there is room for as many as there can be.
struct NumberingWork {
  View<int> flag, index;  ///< index: one more than items
  View<int> group_of, member, scattered;
  View<int> size, top, first;
  /// For the first so many items.
  MERGANSER_METHOD NumberingWork of(int items) const {
    NumberingWork part = *this;
    part.flag = flag.subview(0, items);
    part.index = index.subview(0, items + 1);
    return part;
  }
};

/// Every group and its members, in one block. A group of n members takes n comparisons a member: no more than
/// some thousand items. count[round].groups is written.
template <class Phases>
MERGANSER_BLOCK_METHOD void number_in_block(const MergeWork& merge, const NumberingWork& work, int round,
                                            Phases& phases) {
  const int items = work.flag.count;
  phases.run(items, FindRoots{merge.parent, merge.root, work.flag, work.group_of});
  phases.scan(work.flag, work.index);
  const int groups = work.index[items];
  phases.run(1, NoteGroups{work.index, items, merge.count, round});
  phases.run(items,
             NumberGroups{work.index, merge.root, work.group_of, work.group_of, work.size, work.top, {}, {}});
  phases.scan(work.size.subview(0, groups), work.first.subview(0, groups + 1));
  phases.run(items, FindAlone{work.group_of, work.flag});
  phases.scan(work.flag, work.index);
  phases.run(items, ScatterMembers{work.group_of, work.first, work.index, groups, work.size, work.scattered,
                                   work.member});
  phases.run(items, RankMembers{work.group_of, work.first, work.scattered, work.member});
}

MERGANSER_END
