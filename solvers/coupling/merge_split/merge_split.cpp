#include "solvers/coupling/merge_split/merge_split.h"

#include <algorithm>

#include "device/launch.h"
#include "solvers/coupling/merge_split/group_kernels.h"
#include "solvers/coupling/merge_split/second_stage.h"
#include "solvers/coupling/merge_split/synchronize_by_system.h"

MERGANSER_BEGIN

MergeSplit::MergeSplit(const MergeSplitParameters& parameters, std::uint32_t seed, Vec3 periodic_origin,
                       Vec3 periodic_length)
    : parameters_(parameters), period_(periodic_length), contacts_(periodic_origin, periodic_length) {
  limits_.seed = seed;
  if (!parameters.unlimited) {
    limits_.least = parameters.group_min;
    limits_.most = parameters.group_max;
  }
}

void MergeSplit::end_groups(const ParticleStore& particles) {
  const View<const int> items = contacts_.contact_particles();
  if (group_of_.size() != particles.count()) {
    group_of_.resize(particles.count());
    launch(particles.count(), FillInt{.value = -1, .out = group_of_.view()});
  } else if (merged_) {
    launch(items.count, LeaveGroups{.items = items, .group_of = group_of_.view()});
  }
  merged_ = false;
}

void MergeSplit::detect_none(const ParticleStore& particles) {
  half_kick_ = {};
  end_groups(particles);
  contacts_.clear();
}

void MergeSplit::detect(const ParticleStore& particles, const std::vector<ContactRules>& systems,
                        long long step, View<const Vec3> half_kick) {
  end_groups(particles);
  half_kick_ = half_kick;
  limits_.step = step;
  const bool merges = parameters_.method == ContactMethod::merging_and_splitting;
  contacts_.detect(particles, systems, merges ? groups_.most_in_one_launch() : PairCount{}, half_kick);
}

void MergeSplit::begin_groups(const ParticleStore& particles, View<const int> items,
                              View<const PairCount> count) {
  have_room(item_id_, items.count);
  have_room(item_bound_, items.count);
  launch(items.count, GatherItems{.particles = particles.const_view(),
                                  .items = items,
                                  .count = count,
                                  .systems = contacts_.systems(),
                                  .id = item_id_.view(),
                                  .bound = item_bound_.view()});
  groups_.begin(item_id_.const_view().subview(0, items.count), item_bound_.const_view(), limits_);
}

bool MergeSplit::merge_pending(const ParticleStore& particles) {
  const auto pending = contacts_.pending();
  if (!pending) return false;
  const PairCount few = groups_.most_in_one_launch();
  const int pairs = std::min(pending->pairs.count, few.pairs),
            items = std::min(pending->particles.count, few.items);
  begin_groups(particles, pending->particles.subview(0, items), pending->count);
  const PairCount found = groups_.merge_counted_on_device(
      pending->pairs.subview(0, pairs), pending->approaching.subview(0, pairs), pending->count);
  contacts_.set_counts(found);
  return found.pairs <= pairs && found.items <= items;
}

HalfKicks MergeSplit::half_kicks() const {
  if (half_kick_.empty()) return {};
  return {half_kick_, group_half_kick_.const_view()};
}

void MergeSplit::merge(const ParticleStore& particles) {
  if (parameters_.method != ContactMethod::merging_and_splitting) return;
  const bool done = merge_pending(particles);
  if (contacts_.pair_count() == 0) return;
  merged_ = true;
  merges_ = contacts_.approaching();
  if (!done) {
    begin_groups(particles, contacts_.contact_particles(), {});
    groups_.merge(contacts_.pairs(), merges_);
  }
  gather_groups(particles, {});
}

void MergeSplit::gather_groups(const ParticleStore& particles, const MergeStage& stage) {
  const View<const int> items = contacts_.contact_particles();
  trees_.merge(particles.const_view(), contacts_.systems(), half_kicks(), items, groups_, stage,
               static_cast<float>(parameters_.alpha), period_);
  groups_.number_groups();
  const ItemGroupsView groups = groups_.groups();
  mass_ = particles.mass.const_view();
  system_ = particles.system.const_view();
  have_room(member_, items.count);
  have_room(group_velocity_, groups.group_count);
  have_room(group_inverse_mass_, groups.group_count);
  have_room(mass_scale_, groups.group_count);
  have_room(synchronized_, groups.group_count);
  have_room(synchronization_energy_, groups.group_count);
  launch(items.count,
         PublishGroups{
             .items = items, .groups = groups, .group_of = group_of_.view(), .member = member_.view()});
  launch_group_sums(groups.group_count,
                    SummarizeGroups{.particles = particles.const_view(),
                                    .systems = contacts_.systems(),
                                    .first = groups.first,
                                    .member = member_.const_view(),
                                    .top = groups.top,
                                    .vertex = trees_.vertices(),
                                    .velocity = group_velocity_.view(),
                                    .inverse_mass = group_inverse_mass_.view(),
                                    .mass_scale = mass_scale_.view(),
                                    .synchronization_energy = synchronization_energy_.view()});
  sum_half_kicks(group_velocity_.view());
}

void MergeSplit::sum_half_kicks(View<Vec3> velocity) {
  if (half_kick_.empty()) return;
  const ItemGroupsView groups = groups_.groups();
  have_room(group_half_kick_, groups.group_count);
  launch_group_sums(groups.group_count, GroupHalfKicks{.mass = mass_,
                                                       .inverse_mass = group_inverse_mass_.const_view(),
                                                       .first = groups.first,
                                                       .member = member_.const_view(),
                                                       .half_kick = half_kick_,
                                                       .of_group = group_half_kick_.view(),
                                                       .velocity = velocity});
}

MetaParticleView MergeSplit::groups() const {
  MetaParticleView view;
  view.group_of = group_of_.view();
  if (!has_groups()) return view;
  view.group_count = groups_.groups().group_count;
  view.first = groups_.groups().first;
  view.member = member_.view().subview(0, groups_.groups().group_of.count);
  view.velocity = group_velocity_.view().subview(0, view.group_count);
  view.inverse_mass = group_inverse_mass_.view().subview(0, view.group_count);
  view.half_kick = half_kick_;
  if (!half_kick_.empty()) view.group_half_kick = group_half_kick_.view().subview(0, view.group_count);
  view.mass_scale = mass_scale_.view().subview(0, view.group_count);
  return view;
}

void MergeSplit::synchronize(View<Vec3> end_velocity, const Vec3& free_change) {
  if (!has_groups()) return;
  if (by_system_)
    synchronize_by_system(end_velocity, free_change);
  else
    synchronize_by_group(end_velocity, free_change);
}

void MergeSplit::synchronize_by_group(View<Vec3> end_velocity, const Vec3& free_change) {
  const ItemGroupsView groups = groups_.groups();
  launch(groups.group_count, SynchronizeGroup{.mass = mass_,
                                              .system = system_,
                                              .systems = contacts_.systems(),
                                              .first = groups.first,
                                              .member = member_.const_view(),
                                              .start_velocity = group_velocity_.const_view(),
                                              .inverse_mass = group_inverse_mass_.const_view(),
                                              .free_change = free_change,
                                              .end_velocity = end_velocity,
                                              .synchronized = synchronized_.view(),
                                              .energy = synchronization_energy_.view()});
  const View<const int> items = contacts_.contact_particles();
  launch(items.count, WriteSynchronized{.items = items,
                                        .group_of = groups.group_of,
                                        .synchronized = synchronized_.const_view(),
                                        .velocity = end_velocity});
}

void MergeSplit::synchronize_by_system(View<Vec3> end_velocity, const Vec3& free_change) {
  const ItemGroupsView groups = groups_.groups();
  const View<const int> items = contacts_.contact_particles();
  const int rows = groups.group_count * contacts_.systems().count;
  have_room(system_sum_, rows);
  have_room(reference_, groups.group_count);
  launch_group_sums(rows, SumBySystem{.mass = mass_,
                                      .systems = contacts_.systems(),
                                      .first = groups.first,
                                      .member = member_.const_view(),
                                      .start_velocity = group_velocity_.const_view(),
                                      .inverse_mass = group_inverse_mass_.const_view(),
                                      .free_change = free_change,
                                      .end_velocity = end_velocity,
                                      .sum = system_sum_.view(),
                                      .reference = reference_.view()});
  launch(items.count, SynchronizeMembers{.items = items,
                                         .group_of = groups.group_of,
                                         .systems = contacts_.systems(),
                                         .first = groups.first,
                                         .member = member_.const_view(),
                                         .start_velocity = group_velocity_.const_view(),
                                         .inverse_mass = group_inverse_mass_.const_view(),
                                         .sum = system_sum_.const_view(),
                                         .reference = reference_.const_view(),
                                         .synchronized = synchronized_.view(),
                                         .energy = synchronization_energy_.view(),
                                         .velocity = end_velocity});
}

bool MergeSplit::second_stage(const ParticleStore& particles, View<const Vec3> end_velocity) {
  if (!merged_ || !parameters_.second_stage) return false;
  const View<const ItemPair> pairs = contacts_.pairs();
  // Where all rounds are one launch, it finds out by itself that there is nothing new.
  const bool asks = !groups_.in_one_launch(pairs.count);
  have_room(turned_, 1);
  have_room(pair_merges_, pairs.count);
  if (asks) turned_.zero();
  launch(pairs.count, FindTurned{.pairs = pairs,
                                 .items = contacts_.contact_particles(),
                                 .systems = contacts_.systems(),
                                 .system = particles.system.const_view(),
                                 .position = particles.position.const_view(),
                                 .end_velocity = end_velocity,
                                 .period = period_,
                                 .merged = merges_,
                                 .merges = pair_merges_.view(),
                                 .turned = asks ? turned_.view() : View<int>{}});
  if (asks && !read_back(turned_.const_view(), 0)) return false;
  merges_ = pair_merges_.view().subview(0, pairs.count);
  // Pairs left out before ask again: the larger group may have drawn a higher limit.
  const int first_round = static_cast<int>(groups_.round_first().size()) - 1;
  if (groups_.merge(pairs, merges_) == 0) return false;
  gather_groups(particles, {.first_round = first_round, .later = true});
  return true;
}

bool MergeSplit::release_pulled(const ParticleStore& particles, View<const Vec3> impulse, bool again) {
  if (!has_groups() || !parameters_.second_stage) return false;
  const View<const ItemPair> pairs = contacts_.pairs();
  have_room(turned_, 1);
  have_room(pair_merges_, pairs.count);
  have_room(released_, pairs.count);
  turned_.zero();
  if (!again) released_.zero();
  launch(pairs.count, FindPulled{.pairs = pairs,
                                 .items = contacts_.contact_particles(),
                                 .position = particles.position.const_view(),
                                 .impulse = impulse,
                                 .group_of = group_of_.const_view(),
                                 .group_first = groups_.groups().first,
                                 .period = period_,
                                 .merged = merges_,
                                 .merges = pair_merges_.view(),
                                 .released = released_.view(),
                                 .pulled = turned_.view()});
  if (!read_back(turned_.const_view(), 0)) return false;
  merges_ = pair_merges_.view().subview(0, pairs.count);
  launch(contacts_.contact_particles().count,
         LeaveGroups{.items = contacts_.contact_particles(), .group_of = group_of_.view()});
  begin_groups(particles, contacts_.contact_particles(), {});
  groups_.merge(pairs, merges_);
  gather_groups(particles, {});
  return true;
}

void MergeSplit::split(View<Vec3> velocity) {
  if (!has_groups()) return;
  sum_half_kicks({});
  trees_.split(groups_, synchronized_.const_view(), half_kicks(), synchronization_energy_.const_view(),
               static_cast<float>(parameters_.beta), contacts_.contact_particles(), velocity);
}

void MergeSplit::measure() {
  if (!merged_) return;
  const ItemGroupsView groups = groups_.groups();
  const int nodes = groups_.tree().node_count, pairs = contacts_.pair_count();
  statistics_.run(std::max(pairs, nodes),
                  SumStatistics{.pairs = contacts_.pairs(),
                                .merges = merges_,
                                .groups = groups,
                                .node_count = nodes,
                                .bond = trees_.bonds(),
                                .alpha = parameters_.alpha,
                                .synchronization_energy = synchronization_energy_.const_view()});
}

MergeStatistics MergeSplit::measured() const {
  if (!merged_) return {.contacts = parameters_.method == ContactMethod::none ? 0 : contacts_.pair_count()};
  MergeStatistics result = statistics_.fetched();
  result.dissipated_synchronization = (1 - parameters_.beta) * result.synchronization_energy;
  result.contacts = contacts_.pair_count();
  result.groups = groups_.groups().group_count;
  result.rounds = static_cast<int>(groups_.round_first().size()) - 1;
  return result;
}

MERGANSER_END
