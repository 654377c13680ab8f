#include "device/merge_groups.h"

#include <algorithm>
#include <bit>

#include "device/launch.h"
#include "device/merge_rounds.h"
#include "device/sort.h"

MERGANSER_BEGIN

namespace {

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

struct NumberGroups {
  static constexpr const char* name = "merge groups: number groups";
  View<const int> index;  ///< per item: groups whose root item is before it; one more at the end
  View<const GroupRoot> root;
  View<int> group_of;  ///< in: root item or -1; out: group or -1
  View<int> size, top;
  View<unsigned> sort_key;
  View<int> member;
  MERGANSER_METHOD void operator()(int item) const {
    const int at = group_of[item];
    const int group = at < 0 ? -1 : index[at];
    if (at == item) {
      size[group] = root[item].size;
      top[group] = root[item].top;
    }
    group_of[item] = group;
    sort_key[item] = static_cast<unsigned>(group < 0 ? index[index.count - 1] : group);
    member[item] = item;
  }
};

}  // namespace

void MergeGroups::begin(View<const int> id, View<const int> anchored, const GroupLimits& limits) {
  item_count_ = id.count;
  limits_ = limits;
  id_ = id;
  round_ = 0;
  round_first_.assign(1, 0);
  group_count_ = 0;
  parent_.resize(item_count_);
  root_.resize(item_count_);
  best_.resize(item_count_);
  left_.resize(item_count_);
  right_.resize(item_count_);
  continues_.resize(item_count_);
  if (round_count_.size() < 64) round_count_.resize(64);
  fill_zero(round_count_.data(), sizeof(RoundCount));
  launch(
      item_count_,
      StartItems{
          .id = id, .anchored = anchored, .limits = limits, .parent = parent_.view(), .root = root_.view()});
}

int MergeGroups::merge(View<const ItemPair> pairs, View<const int> selected) {
  if (selected.count == 0) return 0;
  if (selected.count >= (1 << place_bits) - 1)
    throw DeviceError(std::to_string(selected.count) + " colliding pairs in one step are more than " +
                      std::to_string((1 << place_bits) - 2) + "; use smaller collision radii");
  const int bound = selected.count;
  open_.resize(bound);
  still_open_.resize(bound);
  key_.resize(bound);
  for (Array<int>* array : {&keep_, &star_of_, &star_size_, &accepted_, &candidate_}) array->resize(bound);
  for (Array<int>* array : {&keep_offset_, &star_first_, &accepted_first_}) array->resize(bound + 1);
  launch(bound, OpenPairs{.pairs = pairs,
                          .selected = selected,
                          .id = id_,
                          .limits = limits_,
                          .round = round_,
                          .open = open_.view(),
                          .count = round_count_.view()});

  // On the GPU waiting for the counts costs as much as a round, so it is done for every fourth.
  constexpr int rounds_per_reading = MERGANSER_GPU_HALF ? 4 : 1;
  const int nodes_before = round_first_.back();
  for (int open = bound, added = 1; open > 0 && added > 0;) {
    if (round_ + rounds_per_reading >= round_count_.size()) round_count_.resize(2 * round_count_.size());
    for (int r = 0; r < rounds_per_reading; ++r) run_round(open);
    RoundCount after[rounds_per_reading];
    copy_to_host(after, round_count_.data() + round_ - rounds_per_reading + 1, sizeof(after));
    for (const RoundCount& count : after) {
      added = count.nodes - round_first_.back();
      if (added > 0) round_first_.push_back(count.nodes);
      open = count.open;
    }
  }
  // Rounds without success proposed nothing and left no trace; forgotten, so that both backends draw alike
  // from here on.
  round_ = static_cast<int>(round_first_.size()) - 1;
  return round_first_.back() - nodes_before;
}

void MergeGroups::run_round(int open_bound) {
  if (round_ % (1 << round_bits) == 0) best_.zero();
  const int n = open_bound;
  View<int> keep = keep_.view().subview(0, n), star_of = star_of_.view().subview(0, n);
  View<int> star_size = star_size_.view().subview(0, n), accepted = accepted_.view().subview(0, n);
  View<int> star_first = star_first_.view().subview(0, n + 1),
            accepted_first = accepted_first_.view().subview(0, n + 1);
  View<int> keep_offset = keep_offset_.view().subview(0, n + 1);
  launch(n, Propose{.count = round_count_.const_view(),
                    .round = round_,
                    .parent = parent_.const_view(),
                    .root = root_.const_view(),
                    .most = limits_.most,
                    .open = open_.view(),
                    .best = best_.view(),
                    .key = key_.view(),
                    .keep = keep,
                    .star_of = star_of,
                    .star_size = star_size,
                    .accepted = accepted});
  launch(n, FormStars{.open = open_.const_view(),
                      .key = key_.const_view(),
                      .best = best_.const_view(),
                      .star_of = star_of,
                      .star_size = star_size});
  exclusive_scan(star_size, star_first, scratch_);
  launch(n, ListStars{.star_of = star_of,
                      .star_first = star_first,
                      .star_size = star_size,
                      .candidate = candidate_.view()});
  launch(n, AcceptStars{.open = open_.const_view(),
                        .key = key_.const_view(),
                        .best = best_.const_view(),
                        .star_of = star_of,
                        .star_first = star_first,
                        .candidate = candidate_.view(),
                        .accepted = accepted,
                        .keep = keep,
                        .parent = parent_.view(),
                        .root = root_.view()});
  exclusive_scan(accepted, accepted_first, scratch_);
  launch(n, AddNodes{.item_count = item_count_,
                     .round = round_,
                     .star_of = star_of,
                     .star_first = star_first,
                     .candidate = candidate_.const_view(),
                     .accepted_first = accepted_first,
                     .open = open_.const_view(),
                     .root = root_.view(),
                     .count = round_count_.view(),
                     .left = left_.view(),
                     .right = right_.view(),
                     .continues = continues_.view()});
  exclusive_scan(keep, keep_offset, scratch_);
  launch(n, KeepOpenPairs{.open = open_.const_view(),
                          .keep = keep,
                          .offset = keep_offset,
                          .still_open = still_open_.view(),
                          .count = round_count_.view(),
                          .round = round_});
  open_.swap(still_open_);
  ++round_;
}

void MergeGroups::number_groups() {
  const int n = item_count_;
  group_flag_.resize(n);
  group_index_.resize(n + 1);
  group_of_.resize(n);
  launch(n, FindRoots{.parent = parent_.const_view(),
                      .root = root_.const_view(),
                      .flag = group_flag_.view(),
                      .root_of = group_of_.view()});
  exclusive_scan(group_flag_.const_view(), group_index_.view(), scratch_);
  group_count_ = read_back(group_index_.const_view(), n);
  group_size_.resize(group_count_);
  top_.resize(group_count_);
  first_.resize(group_count_ + 1);
  member_.resize(n);
  sort_key_.resize(n);
  launch(n, NumberGroups{.index = group_index_.const_view(),
                         .root = root_.const_view(),
                         .group_of = group_of_.view(),
                         .size = group_size_.view(),
                         .top = top_.view(),
                         .sort_key = sort_key_.view(),
                         .member = member_.view()});
  exclusive_scan(group_size_.const_view(), first_.view(), scratch_);
  stable_sort_by_key(sort_key_.view(), member_.view(), scratch_,
                     std::bit_width(static_cast<unsigned>(group_count_) | 1u));
}

MergeTreeView MergeGroups::tree() const {
  return {item_count_, round_first_.back(), left_.view(), right_.view(), continues_.view()};
}

ItemGroupsView MergeGroups::groups() const {
  return {group_of_.view(), first_.view(), member_.view(), top_.view(), group_count_};
}

MERGANSER_END
