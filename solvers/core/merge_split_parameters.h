#pragma once
/// Parameters of the contact treatment between unlike bodies and systems.

namespace merganser {

struct ParameterTable;

/// The middle three are the baselines of solvers/coupling/pairwise_contact.
enum class ContactMethod { merging_and_splitting, penalty, sph_force, impulses, none };

struct MergeSplitParameters {
  /// Keys of scenes and what they are bound to.
  static const ParameterTable& table();
  static const ParameterTable& limit_table();  ///< of the groups' members
  ContactMethod method = ContactMethod::merging_and_splitting;
  double alpha = 1;          ///< restitution of merging energy, [MS] eq. 9, in [0, 1]
  double beta = 0;           ///< restitution of synchronization energy, [MS] eq. 20, in [0, 1]
  int group_min = 8;         ///< least and
  int group_max = 64;        ///< greatest limit of a group's members, drawn per group, [MS] sec. 5.2
  bool unlimited = false;    ///< groups of any size (Fig. 11); overrides both limits
  bool second_stage = true;  ///< merge marked pairs that turn to approach and integrate again, [MS] sec. 5.1
};

}  // namespace merganser
