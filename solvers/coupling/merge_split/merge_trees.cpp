#include "solvers/coupling/merge_split/merge_trees.h"

#include "device/block_phases.h"
#include "solvers/coupling/merge_split/split.h"

MERGANSER_BEGIN

namespace {

struct PlaceLeaves {
  static constexpr const char* name = "merge: leaves";
  ParticleConstView particles;
  View<const ContactSystem> systems;
  View<const Vec3> half_kick;
  View<const int> items;
  View<MetaParticle<float>> vertex;
  MERGANSER_METHOD void operator()(int item) const {
    const int i = items[item];
    vertex[item] = {particles.position[i], at_positions(particles.velocity, half_kick, i),
                    particles.inverse_mass[i], systems[particles.system[i]].stores_impacts,
                    systems[particles.system[i]].fluid};
  }
};

/// One round's nodes [first, end); the thread of a star's first node merges the whole star.
struct MergeRound {
  static constexpr const char* name = "merge: round";
  MergeTreeView tree;
  int first, end;
  bool later_stage;
  float alpha;
  Vec3 period;
  View<MetaParticle<float>> vertex;
  View<MergeBond> bond;
  MERGANSER_METHOD void operator()(int k) const {
    int node = first + k;
    if (tree.continues[node]) return;
    do {
      const MetaParticle<float> left = vertex[tree.left[node]], right = vertex[tree.right[node]];
      const Merged<float> merged = merge(left, right, period);
      vertex[tree.item_count + node] = merged.whole;
      const bool returns = gives_back(left, right, merged, later_stage);
      bond[node] = {merged.direction, merged.energy, returns ? alpha * merged.energy : 0.0f, returns};
    } while (++node < end && tree.continues[node]);
  }
};

/// Hands each group's velocity and synchronization energy to the top of its tree.
struct StartSplit {
  static constexpr const char* name = "split: tops";
  View<const int> top;
  int item_count;
  View<const Vec3> group_velocity, half_kick;  ///< of each group
  View<const float> synchronization_energy;
  float beta;
  View<MetaParticle<float>> vertex;
  View<MergeBond> bond;
  MERGANSER_METHOD void operator()(int group) const {
    MergeBond& at_top = bond[top[group] - item_count];
    vertex[top[group]].velocity = at_positions(group_velocity, half_kick, group);
    at_top.restored += beta * synchronization_energy[group];
  }
};

/// One round's nodes [first, end); the thread of a star's first node splits the whole star, last node first.
/// A vertex's velocity is the one before merging until its parent is split, then the one after.
struct SplitRound {
  static constexpr const char* name = "split: round";
  MergeTreeView tree;
  int first, end;
  View<const MergeBond> bond;
  View<MetaParticle<float>> vertex;
  MERGANSER_METHOD void operator()(int k) const {
    if (tree.continues[first + k]) return;
    int last = first + k;
    while (last + 1 < end && tree.continues[last + 1]) ++last;
    for (int node = last; node >= first + k; --node) {
      MetaParticle<float>& left = vertex[tree.left[node]];
      MetaParticle<float>& right = vertex[tree.right[node]];
      const SplitVelocities<float> after =
          split(SplitSide<float>{left.velocity, left.inverse_mass},
                SplitSide<float>{right.velocity, right.inverse_mass}, bond[node].direction,
                vertex[tree.item_count + node].velocity, bond[node].restored);
      left.velocity = after.side1;
      right.velocity = after.side2;
    }
  }
};

struct WriteLeaves {
  static constexpr const char* name = "split: write velocities";
  View<const int> group_of, items;
  View<const Vec3> half_kick;
  View<const MetaParticle<float>> vertex;
  View<Vec3> velocity;
  MERGANSER_METHOD void operator()(int item) const {
    if (group_of[item] < 0) return;
    const int i = items[item];
    velocity[i] = half_kick.empty() ? vertex[item].velocity : vertex[item].velocity - half_kick[i];
  }
};

/// Where the nodes of each round begin, and which rounds are meant.
struct Rounds {
  View<const RoundCount> count;
  int first, end;
};

/// Leaves and rounds one after the other.
struct MergeInOneLaunch {
  static constexpr const char* name = "merge: all rounds";
  PlaceLeaves leaves;
  Rounds rounds;
  MergeRound round;  ///< whose nodes are named here
  template <class Phases>
  MERGANSER_BLOCK_METHOD void operator()(Phases& phases) const {
    if (rounds.first == 0) phases.run(leaves.items.count, leaves);
    MergeRound now = round;
    for (int r = rounds.first; r < rounds.end; ++r) {
      now.first = rounds.count[r].nodes;
      now.end = rounds.count[r + 1].nodes;
      phases.run(now.end - now.first, now);
    }
  }
};

struct SplitInOneLaunch {
  static constexpr const char* name = "split: all rounds";
  StartSplit tops;
  Rounds rounds;
  SplitRound round;  ///< whose nodes are named here
  WriteLeaves leaves;
  template <class Phases>
  MERGANSER_BLOCK_METHOD void operator()(Phases& phases) const {
    phases.run(tops.top.count, tops);
    SplitRound now = round;
    for (int r = rounds.end; r-- > rounds.first;) {
      now.first = rounds.count[r].nodes;
      now.end = rounds.count[r + 1].nodes;
      phases.run(now.end - now.first, now);
    }
    phases.run(leaves.items.count, leaves);
  }
};

}  // namespace

void MergeTrees::merge(const ParticleConstView& particles, View<const ContactSystem> systems,
                       const HalfKicks& half_kicks, View<const int> items, const MergeGroups& groups,
                       const MergeStage& stage, float alpha, Vec3 period) {
  have_room(vertex_, 2 * items.count);
  have_room(bond_, items.count);
  const PlaceLeaves leaves{.particles = particles,
                           .systems = systems,
                           .half_kick = half_kicks.of_particle,
                           .items = items,
                           .vertex = vertex_.view()};
  MergeRound round{.tree = groups.tree(),
                   .first = 0,
                   .end = 0,
                   .later_stage = stage.later,
                   .alpha = alpha,
                   .period = period,
                   .vertex = vertex_.view(),
                   .bond = bond_.view()};
  const std::vector<int>& first = groups.round_first();
  const int rounds = static_cast<int>(first.size()) - 1;
  if (items.count <= few_items_) {
    launch_block(MergeInOneLaunch{
        .leaves = leaves, .rounds = {groups.round_count(), stage.first_round, rounds}, .round = round});
    return;
  }
  if (stage.first_round == 0) launch(items.count, leaves);
  for (int r = stage.first_round; r < rounds; ++r) {
    round.first = first[size_t(r)];
    round.end = first[size_t(r) + 1];
    launch(round.end - round.first, round);
  }
}

void MergeTrees::split(const MergeGroups& groups, View<const Vec3> group_velocity,
                       const HalfKicks& half_kicks, View<const float> synchronization_energy, float beta,
                       View<const int> items, View<Vec3> velocity) {
  const ItemGroupsView members = groups.groups();
  const StartSplit tops{.top = members.top,
                        .item_count = items.count,
                        .group_velocity = group_velocity,
                        .half_kick = half_kicks.of_group,
                        .synchronization_energy = synchronization_energy,
                        .beta = beta,
                        .vertex = vertex_.view(),
                        .bond = bond_.view()};
  SplitRound round{
      .tree = groups.tree(), .first = 0, .end = 0, .bond = bond_.const_view(), .vertex = vertex_.view()};
  const WriteLeaves leaves{.group_of = members.group_of,
                           .items = items,
                           .half_kick = half_kicks.of_particle,
                           .vertex = vertex_.const_view(),
                           .velocity = velocity};
  const std::vector<int>& first = groups.round_first();
  const int rounds = static_cast<int>(first.size()) - 1;
  if (items.count <= few_items_) {
    launch_block(SplitInOneLaunch{
        .tops = tops, .rounds = {groups.round_count(), 0, rounds}, .round = round, .leaves = leaves});
    return;
  }
  launch(members.group_count, tops);
  for (int r = rounds; r-- > 0;) {
    round.first = first[size_t(r)];
    round.end = first[size_t(r) + 1];
    launch(round.end - round.first, round);
  }
  launch(items.count, leaves);
}

MERGANSER_END
