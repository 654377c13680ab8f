#pragma once
/// Between particles and the items and groups of MergeGroups; see MergeSplit.
#include "device/group_sums.h"
#include "device/merge_groups.h"
#include "device/particle_store.h"
#include "solvers/coupling/merge_split/contact_detection.h"
#include "solvers/coupling/merge_split/merge.h"

MERGANSER_BEGIN

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

/// What MergeGroups wants to know of contact particles. Particles of a rigid body that turns move unlike each
/// other, so no two of them may be one meta-particle.
struct GatherItems {
  static constexpr const char* name = "merge: gather items";
  ParticleConstView particles;
  View<const int> items;
  View<const PairCount> count;  ///< empty, or how many items there are in the view's room
  View<const ContactSystem> systems;
  View<int> id, bound;  ///< bound: 1 = immobile, 2 + b = of the rigid body b, else 0
  MERGANSER_METHOD void operator()(int item) const {
    if (!count.empty() && item >= count[0].items) return;
    const int i = items[item];
    id[item] = particles.id[i];
    bound[item] = !(particles.inverse_mass[i] > 0)            ? 1
                  : systems[particles.system[i]].rigid_bodies ? 2 + particles.body[i]
                                                              : 0;
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
  struct Value {
    double mass = 0, implicit_mass = 0;  ///< [kg]
  };
  ParticleConstView particles;
  View<const ContactSystem> systems;
  View<const int> first, member, top;
  View<const MetaParticle<float>> vertex;
  View<Vec3> velocity;
  View<float> inverse_mass, mass_scale;
  View<float> synchronization_energy;  ///< none yet
  MERGANSER_METHOD int begin(int group) const { return first[group]; }
  MERGANSER_METHOD int end(int group) const { return first[group + 1]; }
  MERGANSER_METHOD void add(Value& sum, int, int k) const {
    const int i = member[k];
    sum.mass += particles.mass[i];
    if (systems[particles.system[i]].implicit) sum.implicit_mass += particles.mass[i];
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {a.mass + b.mass, a.implicit_mass + b.implicit_mass};
  }
  MERGANSER_METHOD void finish(int group, const Value& sum) const {
    const MetaParticle<float> whole = vertex[top[group]];
    velocity[group] = whole.velocity;
    inverse_mass[group] = whole.inverse_mass;
    mass_scale[group] = sum.implicit_mass > 0 && whole.inverse_mass > 0
                            ? static_cast<float>(sum.mass / sum.implicit_mass)
                            : 1.0f;
    synchronization_energy[group] = 0;
  }
};

/// H = sum m h / M of each group; none where it is immobile.
struct GroupHalfKicks {
  static constexpr const char* name = "merge: half kicks of groups";
  struct Value {
    double mass = 0;      ///< [kg]
    Vec3d kick{0, 0, 0};  ///< [N s] sum m h
  };
  View<const float> mass;          ///< [kg] per particle
  View<const float> inverse_mass;  ///< [1/kg] per group
  View<const int> first, member;
  View<const Vec3> half_kick;  ///< [m/s] per particle
  View<Vec3> of_group;         ///< [m/s] written
  View<Vec3> velocity;         ///< [m/s] V + H, less H afterwards; or empty
  MERGANSER_METHOD int begin(int group) const { return first[group]; }
  MERGANSER_METHOD int end(int group) const { return first[group + 1]; }
  MERGANSER_METHOD void add(Value& sum, int, int k) const {
    const int i = member[k];
    sum.mass += mass[i];
    sum.kick += double(mass[i]) * to_double(half_kick[i]);
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {a.mass + b.mass, a.kick + b.kick};
  }
  MERGANSER_METHOD void finish(int group, const Value& sum) const {
    const Vec3 kick = inverse_mass[group] > 0 ? to_float(sum.kick / sum.mass) : Vec3{0, 0, 0};
    of_group[group] = kick;
    if (!velocity.empty()) velocity[group] -= kick;
  }
};

MERGANSER_END
