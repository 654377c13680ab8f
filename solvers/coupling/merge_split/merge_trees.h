#pragma once
/// Masses, velocities and bonds of the merge trees: merging walks the rounds of MergeGroups forward,
/// splitting walks them back.
#include "device/merge_groups.h"
#include "device/particle_store.h"
#include "solvers/coupling/merge_split/contact_detection.h"
#include "solvers/coupling/merge_split/merge.h"

MERGANSER_BEGIN

/// What a node stores for splitting, beside its vertices' velocities and inverse masses.
struct MergeBond {
  Vec3 direction;  ///< unit vector from the left to the right side, [MS] eq. 5
  float energy;    ///< [J] dE, [MS] eq. 4
  float restored;  ///< [J] alpha dE, at the top of a group with beta dEk added: the energy of [MS] eq. 20
  int gives_back;  ///< 0: restored is without alpha dE, see gives_back()
};

/// See System::write_half_kick(); of a group the mean, weighted by mass, and none of one that is immobile.
/// Both empty where no system's velocities are behind.
struct HalfKicks {
  View<const Vec3> of_particle, of_group;  ///< [m/s]
};

/// Which rounds a stage of the step adds.
struct MergeStage {
  int first_round = 0;
  bool later = false;  ///< not the first stage: its pairs approach by the forces of the step
};

class MergeTrees {
 public:
  /// Merges the rounds from round `stage.first_round` on, [MS] eq. 1-5; from round 0 on the leaves are the
  /// particles items[0], items[1], ... as they are now, at the time of their positions. `period` [m], 0 = not
  /// periodic.
  void merge(const ParticleConstView& particles, View<const ContactSystem> systems,
             const HalfKicks& half_kicks, View<const int> items, const MergeGroups& groups,
             const MergeStage& stage, float alpha, Vec3 period);
  /// Splits all groups from their velocities v', [MS] eq. 8-16, in inverse order. velocity[items[k]] of all
  /// members is written. Consumes the trees: once per merge.
  void split(const MergeGroups& groups, View<const Vec3> group_velocity, const HalfKicks& half_kicks,
             View<const float> synchronization_energy, float beta, View<const int> items,
             View<Vec3> velocity);

  /// Items, then nodes; see MergeTreeView.
  View<const MetaParticle<float>> vertices() const { return vertex_.view(); }
  /// Of the nodes alone.
  View<const MergeBond> bonds() const { return bond_.view(); }
  /// Up to this many items all rounds are one launch; 0: never. The same bits either way.
  void set_few_items(int most) { few_items_ = most; }

 private:
  int few_items_ = MERGANSER_GPU_HALF ? 8192 : 0;  ///< see MergeGroups::set_few_pairs
  Array<MetaParticle<float>> vertex_;
  Array<MergeBond> bond_;
};

MERGANSER_END
