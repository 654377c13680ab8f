#include "solvers/merge_split/merge_split.h"

#include <algorithm>

#include "device/compact.h"
#include "device/launch.h"
#include "solvers/merge_split/second_stage.h"
#include "solvers/merge_split/synchronize.h"

MERGANSER_BEGIN

namespace {

struct FillInt {
  static constexpr const char* name = "merge: no groups";
  int value;
  View<int> out;
  MERGANSER_METHOD void operator()(int i) const { out[i] = value; }
};

struct LeaveGroups {
  static constexpr const char* name = "merge: leave groups";
  View<const int> items;
  View<int> group_of;
  MERGANSER_METHOD void operator()(int item) const { group_of[items[item]] = -1; }
};

struct GatherItems {
  static constexpr const char* name = "merge: gather items";
  ParticleConstView particles;
  View<const int> items;
  View<int> id, anchored;
  MERGANSER_METHOD void operator()(int item) const {
    id[item] = particles.id[items[item]];
    anchored[item] = particles.inverse_mass[items[item]] > 0 ? 0 : 1;
  }
};

/// From items to particles: group of each particle and members of each group.
struct PublishGroups {
  static constexpr const char* name = "merge: publish groups";
  View<const int> items;
  ItemGroupsView groups;
  View<int> group_of, member;
  MERGANSER_METHOD void operator()(int item) const {
    group_of[items[item]] = groups.group_of[item];
    member[item] = items[groups.member[item]];  // both lists are as long as there are items
  }
};

/// Velocity, inverse mass and mass scale of each group (see MetaParticleView).
struct SummarizeGroups {
  static constexpr const char* name = "merge: summarize groups";
  ParticleConstView particles;
  View<const ContactSystem> systems;
  View<const int> first, member, top;
  View<const MetaParticle<float>> vertex;
  View<Vec3> velocity;
  View<float> inverse_mass, mass_scale;
  MERGANSER_METHOD void operator()(int group) const {
    double mass = 0, implicit_mass = 0;
    for (int k = first[group]; k < first[group + 1]; ++k) {
      const int i = member[k];
      mass += particles.mass[i];
      if (systems[particles.system[i]].implicit) implicit_mass += particles.mass[i];
    }
    velocity[group] = vertex[top[group]].velocity;
    inverse_mass[group] = vertex[top[group]].inverse_mass;
    mass_scale[group] =
        implicit_mass > 0 && inverse_mass[group] > 0 ? static_cast<float>(mass / implicit_mass) : 1.0f;
  }
};

}  // namespace

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
  end_groups(particles);
  contacts_.clear();
}

void MergeSplit::detect(const ParticleStore& particles, const std::vector<SystemContacts>& systems,
                        long long step) {
  end_groups(particles);
  limits_.step = step;
  contacts_.detect(particles, systems);
}

void MergeSplit::select_pairs(View<const int> flags) {
  selected_.resize(flags.count);
  selected_count_.resize(1);
  compact_indices(flags, selected_.view(), selected_count_.view(), selected_offset_, scratch_);
  selected_.resize(read_back(selected_count_.const_view(), 0));
}

void MergeSplit::merge(const ParticleStore& particles) {
  if (parameters_.method != ContactMethod::merging_and_splitting || contacts_.pair_count() == 0) return;
  const View<const int> items = contacts_.contact_particles();
  item_id_.resize(items.count);
  item_anchored_.resize(items.count);
  launch(items.count, GatherItems{.particles = particles.const_view(),
                                  .items = items,
                                  .id = item_id_.view(),
                                  .anchored = item_anchored_.view()});
  pair_merges_.assign(contacts_.approaching());
  select_pairs(pair_merges_.const_view());
  groups_.begin(item_id_.const_view(), item_anchored_.const_view(), limits_);
  trees_.begin(particles.const_view(), items);
  merged_ = true;
  groups_.merge(contacts_.pairs(), selected_.const_view());
  gather_groups(particles, 0);
}

void MergeSplit::gather_groups(const ParticleStore& particles, int first_round) {
  const View<const int> items = contacts_.contact_particles();
  trees_.merge(groups_, first_round, static_cast<float>(parameters_.alpha), period_);
  groups_.number_groups();
  const ItemGroupsView groups = groups_.groups();
  mass_ = particles.mass.const_view();
  system_ = particles.system.const_view();
  member_.resize(items.count);
  group_velocity_.resize(groups.group_count);
  group_inverse_mass_.resize(groups.group_count);
  mass_scale_.resize(groups.group_count);
  synchronized_.resize(groups.group_count);
  synchronization_energy_.resize(groups.group_count);
  synchronization_energy_.zero();
  launch(items.count,
         PublishGroups{
             .items = items, .groups = groups, .group_of = group_of_.view(), .member = member_.view()});
  launch(groups.group_count, SummarizeGroups{.particles = particles.const_view(),
                                             .systems = contacts_.systems(),
                                             .first = groups.first,
                                             .member = member_.const_view(),
                                             .top = groups.top,
                                             .vertex = trees_.vertices(),
                                             .velocity = group_velocity_.view(),
                                             .inverse_mass = group_inverse_mass_.view(),
                                             .mass_scale = mass_scale_.view()});
}

MetaParticleView MergeSplit::groups() const {
  MetaParticleView view;
  view.group_of = group_of_.view();
  if (!has_groups()) return view;
  view.group_count = groups_.groups().group_count;
  view.first = groups_.groups().first;
  view.member = member_.view();
  view.velocity = group_velocity_.view();
  view.inverse_mass = group_inverse_mass_.view();
  view.mass_scale = mass_scale_.view();
  return view;
}

void MergeSplit::synchronize(View<Vec3> end_velocity, const Vec3& free_change) {
  if (!has_groups()) return;
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

bool MergeSplit::second_stage(const ParticleStore& particles, View<const Vec3> end_velocity) {
  if (!merged_ || !parameters_.second_stage) return false;
  const View<const ItemPair> pairs = contacts_.pairs();
  turned_.resize(pairs.count);
  launch(pairs.count, FindTurned{.pairs = pairs,
                                 .items = contacts_.contact_particles(),
                                 .position = particles.position.const_view(),
                                 .end_velocity = end_velocity,
                                 .period = period_,
                                 .merges = pair_merges_.const_view(),
                                 .turned = turned_.view()});
  select_pairs(turned_.const_view());
  if (selected_.empty()) return false;
  launch(pairs.count, AddTurned{.turned = turned_.const_view(), .merges = pair_merges_.view()});
  // Pairs left out before ask again: the larger group may have drawn a higher limit.
  select_pairs(pair_merges_.const_view());
  const int first_round = static_cast<int>(groups_.round_first().size()) - 1;
  if (groups_.merge(pairs, selected_.const_view()) == 0) return false;
  gather_groups(particles, first_round);
  return true;
}

void MergeSplit::split(View<Vec3> velocity) {
  if (!has_groups()) return;
  trees_.split(groups_, synchronized_.const_view(), synchronization_energy_.const_view(),
               static_cast<float>(parameters_.alpha), static_cast<float>(parameters_.beta),
               contacts_.contact_particles(), velocity);
}

void MergeSplit::measure() {
  if (!merged_) return;
  const ItemGroupsView groups = groups_.groups();
  const int nodes = groups_.tree().node_count, pairs = contacts_.pair_count();
  statistics_.run(std::max(pairs, nodes),
                  SumStatistics{.pairs = contacts_.pairs(),
                                .merges = pair_merges_.const_view(),
                                .groups = groups,
                                .node_count = nodes,
                                .bond = trees_.bonds(),
                                .synchronization_energy = synchronization_energy_.const_view()});
}

MergeStatistics MergeSplit::measured() const {
  if (!merged_) return {.contacts = parameters_.method == ContactMethod::none ? 0 : contacts_.pair_count()};
  MergeStatistics result = statistics_.fetched();
  result.dissipated_merging = (1 - parameters_.alpha) * result.virtual_bond_energy;
  result.dissipated_synchronization = (1 - parameters_.beta) * result.synchronization_energy;
  result.contacts = contacts_.pair_count();
  result.groups = groups_.groups().group_count;
  result.rounds = static_cast<int>(groups_.round_first().size()) - 1;
  return result;
}

MERGANSER_END
