#include "device/merge_groups.h"

#include <bit>
#include <cstdint>
#include <utility>

#include "device/merge_block.h"
#include "device/sort.h"

MERGANSER_BEGIN

void MergeGroups::begin(View<const int> id, View<const int> bound, const GroupLimits& limits) {
  item_count_ = id.count;
  limits_ = limits;
  id_ = id;
  round_first_.assign(1, 0);
  group_count_ = 0;
  numbered_ = roots_found_ = false;
  for (Array<int>* array : {&parent_, &left_, &right_, &continues_}) have_room(*array, item_count_);
  have_room(root_, item_count_);
  have_room(best_, item_count_);
  have_room(round_count_, 64);
  have_room(state_, 1);
  bound_ = bound;
  started_ = false;
}

void MergeGroups::start() {
  if (started_) return;
  started_ = true;
  launch(item_count_, StartItems{.id = id_,
                                 .bound = bound_,
                                 .limits = limits_,
                                 .parent = parent_.view(),
                                 .root = root_.view(),
                                 .count = round_count_.view(),
                                 .state = state_.view()});
}

int MergeGroups::merge(View<const ItemPair> pairs, View<const int> wanted) {
  if (pairs.count == 0) return 0;
  if (pairs.count >= (1 << place_bits) - 1)
    throw DeviceError(std::to_string(pairs.count) + " colliding pairs in one step are more than " +
                      std::to_string((1 << place_bits) - 2) + "; use smaller collision radii");
  reserve_pairs(MERGANSER_GPU_HALF ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(pairs.count)))
                                   : pairs.count);
  const int nodes_before = round_first_.back();
  const bool numbered_before = numbered_;
  numbered_ = roots_found_ = false;
  if (in_one_launch(pairs.count))
    merge_in_block(pairs, wanted, true, int(round_first_.size()) - 1, true);
  else
    merge_by_launches(pairs, wanted);
  const int added = round_first_.back() - nodes_before;
  if (added == 0 && numbered_before) numbered_ = true;  // the groups are what they were
  return added;
}

PairCount MergeGroups::merge_counted_on_device(View<const ItemPair> pairs, View<const int> wanted,
                                               View<const PairCount> count) {
  reserve_pairs(static_cast<int>(std::bit_ceil(static_cast<unsigned>(pairs.count))));
  return merge_in_block(pairs, wanted, true, 0, true, count);
}

void MergeGroups::reserve_pairs(int count) {
  have_room(open_, count);
  have_room(still_open_, count);
  have_room(key_, count);
  if (ranks_stars_) have_room(ranked_, count);
  for (Array<int>* array : {&keep_, &star_of_, &star_size_, &accepted_, &candidate_})
    have_room(*array, count);
  for (Array<int>* array : {&keep_offset_, &star_first_, &accepted_first_}) have_room(*array, count + 1);
}

MergeWork MergeGroups::work() {
  return {.most = limits_.most,
          .parent = parent_.view(),
          .root = root_.view(),
          .best = best_.view(),
          .key = key_.view(),
          .keep = keep_.view(),
          .keep_offset = keep_offset_.view(),
          .star_of = star_of_.view(),
          .star_size = star_size_.view(),
          .star_first = star_first_.view(),
          .candidate = candidate_.view(),
          .accepted = accepted_.view(),
          .accepted_first = accepted_first_.view(),
          .ranked = ranked_.view(),
          .left = left_.view(),
          .right = right_.view(),
          .continues = continues_.view(),
          .count = round_count_.view(),
          .state = state_.view()};
}

/// Takes down what a round added. False: it was the last one. Rounds without success proposed nothing and
/// left no trace; forgotten, so that all ways of running rounds draw alike from here on.
bool MergeGroups::note_round(const RoundCount& after) {
  const int added = after.nodes - round_first_.back();
  if (added > 0) round_first_.push_back(after.nodes);
  return added > 0 && after.open > 0;
}

namespace {
// On the GPU waiting for the counts costs as much as a round, so it is done for every eighth. Even: the open
// pairs are then where they were at first.
constexpr int rounds_per_reading = MERGANSER_GPU_HALF ? 8 : 1;
}  // namespace

void MergeGroups::merge_by_launches(View<const ItemPair> pairs, View<const int> wanted) {
  int round = int(round_first_.size()) - 1;
  start();
  const View<int> offset = keep_offset_.view().subview(0, pairs.count + 1);
  exclusive_scan(wanted, offset, scratch_);
  launch(pairs.count, OpenPairs{.pairs = pairs,
                                .wanted = wanted,
                                .offset = offset,
                                .id = id_,
                                .limits = limits_,
                                .round = round,
                                .open = open_.view(),
                                .count = round_count_.view(),
                                .state = state_.view()});
  int open = MERGANSER_GPU_HALF ? pairs.count : read_back(View<const int>(offset), pairs.count);
  for (bool more = open > 0; more;) {
    if (in_one_launch(open)) {
      merge_in_block(pairs, wanted, false, round, false);
      return;
    }
    if (round + rounds_per_reading >= round_count_.size()) round_count_.resize(2 * round_count_.size());
    run_batch(round, open);
    round += rounds_per_reading;
    if (MERGANSER_GPU_HALF) {  // so that the number of groups comes with the counts of the rounds
      find_roots();
      launch(1, NoteGroups{group_index_.const_view(), item_count_, round_count_.view(), round});
    }
    RoundCount after[rounds_per_reading];
    copy_to_host(after, round_count_.data() + round - rounds_per_reading + 1, sizeof(after));
    for (int r = 0; r < rounds_per_reading && more; ++r) more = note_round(after[r]);
    const RoundCount& last = after[rounds_per_reading - 1];
    open = last.open;
    roots_found_ = MERGANSER_GPU_HALF && !more;
    if (roots_found_) group_count_ = last.groups;
  }
}

void MergeGroups::run_batch(int round, int open) {
  // Bounds that a graph keeps from step to step.
  const int bound = MERGANSER_GPU_HALF ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(open))) : open;
  const int key_rounds = 1 << round_bits, until_clear = (key_rounds - round % key_rounds) % key_rounds;
  const MergeWork arrays = work();
  const auto rounds = [&] {
    Launches launches{scratch_};
    View<OpenPair> now = open_.view(), next = still_open_.view();
    for (int r = 0; r < rounds_per_reading; ++r) {
      if (r > 0 && r == until_clear) best_.zero();
      run_round(arrays, bound, now, next, launches);
      std::swap(now, next);
    }
  };
  if (until_clear == 0) best_.zero();
  if (!MERGANSER_GPU_HALF || (until_clear > 0 && until_clear < rounds_per_reading))
    rounds();
  else
    graph_.run(batch_key(bound), rounds);
  if (rounds_per_reading % 2 == 1) open_.swap(still_open_);
}

LaunchKey MergeGroups::batch_key(int bound) const {
  const auto number = [](std::intptr_t n) { return reinterpret_cast<const void*>(n); };
  LaunchKey key{number(bound),         number(limits_.most), open_.data(),      still_open_.data(),
                parent_.data(),        root_.data(),         best_.data(),      key_.data(),
                left_.data(),          right_.data(),        continues_.data(), round_count_.data(),
                scratch_.bytes.data(), state_.data()};
  for (const Array<int>* array : {&keep_, &keep_offset_, &star_of_, &star_size_, &star_first_, &candidate_,
                                  &accepted_, &accepted_first_, &ranked_})
    key.push_back(array->data());
  // Arrays of items, of pairs and of rounds grow together.
  for (int size :
       {parent_.size(), root_.size(), open_.size(), key_.size(), keep_.size(), round_count_.size()})
    key.push_back(number(size));
  return key;
}

PairCount MergeGroups::merge_in_block(View<const ItemPair> pairs, View<const int> wanted, bool opens,
                                      int round, bool numbers, View<const PairCount> count) {
  PairCount all{pairs.count, item_count_};
  constexpr int most_rounds = 32;  // even, so that the open pairs are where they were at first
  if (numbers) reserve_groups();
  for (bool more = true; more; opens = false, round += most_rounds) {
    if (round + most_rounds >= round_count_.size()) round_count_.resize(2 * (round + most_rounds));
    launch_block(MergeInBlock{.starts = !started_,
                              .opens = opens,
                              .pairs = pairs,
                              .wanted = wanted,
                              .id = id_,
                              .bound = bound_,
                              .counted = count,
                              .limits = limits_,
                              .round = round,
                              .end_round = round + most_rounds,
                              .open = open_.view(),
                              .still_open = still_open_.view(),
                              .work = work(),
                              .numbers = numbers,
                              .numbering = numbers ? numbering() : NumberingWork{}});
    started_ = true;
    RoundCount after[most_rounds + 1];
    copy_to_host(after, round_count_.data() + round, sizeof(after));
    if (!count.empty()) {
      all = after[0].all;
      started_ = all.pairs > 0 && all.pairs <= pairs.count && all.items <= item_count_;
      if (!started_) return all;
      item_count_ = all.items;
      id_ = id_.subview(0, item_count_);
      count = {};
    }
    more = after[0].open > 0;
    int last = 0;
    while (more && last < most_rounds) more = note_round(after[++last]);
    if (numbers) group_count_ = after[last].groups;
  }
  numbered_ = numbers;
  return all;
}

void MergeGroups::reserve_groups() {
  const int n = item_count_, most_groups = n / 2;
  for (Array<int>* array : {&group_flag_, &group_of_, &member_, &scattered_}) have_room(*array, n);
  for (Array<int>* array : {&group_size_, &top_}) have_room(*array, most_groups);
  have_room(group_index_, n + 1);
  have_room(first_, most_groups + 1);
}

NumberingWork MergeGroups::numbering() {
  return {.flag = group_flag_.view().subview(0, item_count_),
          .index = group_index_.view().subview(0, item_count_ + 1),
          .group_of = group_of_.view(),
          .member = member_.view(),
          .scattered = scattered_.view(),
          .size = group_size_.view(),
          .top = top_.view(),
          .first = first_.view()};
}

void MergeGroups::find_roots() {
  reserve_groups();
  const int n = item_count_;
  have_room(root_of_, n);
  launch(n, FindRoots{.parent = parent_.const_view(),
                      .root = root_.const_view(),
                      .flag = group_flag_.view(),
                      .root_of = root_of_.view()});
  exclusive_scan(group_flag_.const_view().subview(0, n), group_index_.view().subview(0, n + 1), scratch_);
}

void MergeGroups::number_groups() {
  if (numbered_) return;
  const int n = item_count_;
  if (!roots_found_) {
    start();
    find_roots();
    group_count_ = read_back(group_index_.const_view(), n);
  }
  have_room(sort_key_, n);
  launch(n, NumberGroups{.index = group_index_.const_view().subview(0, n + 1),
                         .root = root_.const_view(),
                         .root_of = root_of_.const_view(),
                         .group_of = group_of_.view(),
                         .size = group_size_.view(),
                         .top = top_.view(),
                         .sort_key = sort_key_.view(),
                         .member = member_.view()});
  exclusive_scan(group_size_.const_view().subview(0, group_count_),
                 first_.view().subview(0, group_count_ + 1), scratch_);
  stable_sort_by_key(sort_key_.view().subview(0, n), member_.view().subview(0, n), scratch_,
                     std::bit_width(static_cast<unsigned>(group_count_) | 1u));
  numbered_ = true, roots_found_ = false;
}

MergeTreeView MergeGroups::tree() const {
  return {item_count_, round_first_.back(), left_.view(), right_.view(), continues_.view()};
}

ItemGroupsView MergeGroups::groups() const {
  if (!numbered_) return {};
  return {group_of_.view().subview(0, item_count_), first_.view().subview(0, group_count_ + 1),
          member_.view().subview(0, item_count_), top_.view().subview(0, group_count_), group_count_};
}

MERGANSER_END
