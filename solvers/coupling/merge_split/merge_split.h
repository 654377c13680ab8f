#pragma once
/// Particle merging-and-splitting, [MS] sec. 3-5: contacts, groups, synchronization and splitting of one
/// step.
///
/// One step: detect, merge, (systems integrate), synchronize, where second_stage() returns true again
/// (systems integrate) and synchronize, (positions advance), split.
#include "solvers/core/merge_split_parameters.h"
#include "solvers/core/system.h"
#include "solvers/coupling/merge_split/contact_detection.h"
#include "solvers/coupling/merge_split/merge_statistics.h"
#include "solvers/coupling/merge_split/merge_trees.h"
#include "solvers/coupling/merge_split/synchronize_by_system.h"

MERGANSER_BEGIN

class MergeSplit {
 public:
  using ContactRules = MERGANSER_BACKEND::ContactRules;

  MergeSplit(const MergeSplitParameters& parameters, std::uint32_t seed, Vec3 periodic_origin,
             Vec3 periodic_length);

  /// Contacts at the beginning of the step; pairs that do not approach are marked. The last step's groups
  /// end. Where pairs are few and the last step had some, merge() brings their number: contacts() are known
  /// after it. `half_kick` [m/s] per particle, or empty: see System::write_half_kick(). It is read again by
  /// split() and after it, with what systems have written by then.
  void detect(const ParticleStore& particles, const std::vector<ContactRules>& systems, long long step,
              View<const Vec3> half_kick = {});
  /// A step in which nobody wants to know of contacts.
  void detect_none(const ParticleStore& particles);
  /// At the end of a step: what the next detect() wants to know, see ContactDetection::measure_bounds.
  void measure_bounds(const ParticleStore& particles, const std::vector<ContactRules>& systems) {
    contacts_.measure_bounds(particles, systems);
  }
  /// The particles are others than before: of a checkpoint.
  void forget() { contacts_.forget(); }
  /// Of the last detect(), whatever the method.
  const ContactDetection& contacts() const { return contacts_; }
  /// Stage 0: groups from the approaching pairs; none with another contact method.
  void merge(const ParticleStore& particles);
  MetaParticleView groups() const;
  /// v' of every group from its members' v_hat, [MS] eq. 17-19 for any number of systems, written to all its
  /// members. free_change [m/s]: dt g, what a free particle gains in the step.
  void synchronize(View<Vec3> end_velocity, const Vec3& free_change);
  /// Marked pairs whose end velocities approach along n are merged as well, from the beginning of the step.
  /// False, and nothing changed, where there is none that can be; then no second integration is due.
  /// `particles` must still hold the state that merge() saw.
  bool second_stage(const ParticleStore& particles, View<const Vec3> end_velocity);
  /// After the stages: pairs of groups of two that these hold together, by what they gave to the particles
  /// (impulse [N s], indexed like the store), are no longer merged, from the beginning of the step. `again`:
  /// not the first call of the step; a pair is let go once. False, and nothing changed, where there is none.
  bool release_pulled(const ParticleStore& particles, View<const Vec3> impulse, bool again);
  /// velocity [m/s]: in: v' of all particles; out: members have split.
  void split(View<Vec3> velocity);
  /// Steps of up to this many pairs merge and split in single launches; 0: never. The same bits either way.
  void set_few_pairs(int most) {
    groups_.set_few_pairs(most);
    trees_.set_few_items(2 * most);
  }
  /// How synchronize() sums: one thread a group, or many (the GPU's way). They agree to rounding.
  void set_synchronize_by_system(bool on) { by_system_ = on; }
  /// Launches the sums of this step.
  void measure();
  /// As of the last fetch_results().
  MergeStatistics measured() const;
  /// Both at once. Blocking.
  MergeStatistics statistics() {
    measure();
    fetch_results();
    return measured();
  }
  /// Per particle: its group, or -1.
  View<const int> group_of() const { return group_of_.view(); }

 private:
  /// Nobody is in a group.
  void end_groups(const ParticleStore& particles);
  bool has_groups() const { return groups_.groups().group_count > 0 && merged_; }
  void synchronize_by_group(View<Vec3> end_velocity, const Vec3& free_change);
  void synchronize_by_system(View<Vec3> end_velocity, const Vec3& free_change);
  /// Every item alone; `count`: as in merge_counted_on_device(), or empty.
  void begin_groups(const ParticleStore& particles, View<const int> items, View<const PairCount> count);
  /// Merges pairs that only the device has counted so far. False: there are none of that kind, or too many.
  bool merge_pending(const ParticleStore& particles);
  void gather_groups(const ParticleStore& particles, const MergeStage& stage);
  HalfKicks half_kicks() const;
  /// Those of groups from those of particles; `velocity` of groups: loses them; or empty.
  void sum_half_kicks(View<Vec3> velocity);

  MergeSplitParameters parameters_;
  GroupLimits limits_;
  Vec3 period_;
  ContactDetection contacts_;
  MergeGroups groups_;
  MergeTrees trees_;
  bool merged_ = false;
  bool by_system_ = MERGANSER_GPU_HALF;

  Array<int> item_id_, item_bound_;  // per contact particle
  View<const int> merges_;           // per pair: 1 = to be merged, in this stage or an earlier one
  Array<int> pair_merges_;           // the same as of the second stage
  Array<int> turned_;
  Array<int> released_;                                          // per pair: 1 = let go in this step
  Array<int> group_of_;                                          // per particle
  Array<int> member_;                                            // per member
  Array<Vec3> group_velocity_, group_half_kick_, synchronized_;  // per group
  View<const Vec3> half_kick_;                                   // per particle, or empty
  Array<float> group_inverse_mass_, mass_scale_, synchronization_energy_;
  Array<SystemSum> system_sum_;  // per group and system
  Array<Vec3> reference_;        // per group
  View<const float> mass_;       // of the particles that merge() saw
  View<const int> system_;       // likewise
  Reduction<MergeStatistics> statistics_;
};

MERGANSER_END
