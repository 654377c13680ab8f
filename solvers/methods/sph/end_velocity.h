#pragma once
/// End-of-step velocities of a fluid's particles, alone or in merge groups ([MS] sec. 4; the contract of
/// MetaParticleView).
#include "device/launch.h"
#include "solvers/core/group_members.h"

MERGANSER_BEGIN

/// Velocity of every group as this system sees it: V + dt g + dt sum_own m_i a_i/sum_own m_i over the members
/// that the system owns, and V where the group is immobile. All particles of a fluid weigh the same, so the
/// ratio is a mean.
struct GroupEndVelocity {
  static constexpr const char* name = "sph group velocity";
  using Value = MemberSum;
  OwnGroupMembers members;
  View<const Vec3> acceleration;  ///< [m/s^2] of own particles
  Vec3 gravity;                   ///< [m/s^2]
  float dt;                       ///< [s]
  View<Vec3> group_velocity;      ///< [m/s], written

  MERGANSER_METHOD int begin(int g) const { return members.begin(g); }
  MERGANSER_METHOD int end(int g) const { return members.end(g); }
  MERGANSER_METHOD void add(MemberSum& sum, int, int k) const { sum.add(acceleration[members.own_index(k)]); }
  MERGANSER_METHOD static MemberSum identity() { return {}; }
  MERGANSER_METHOD static MemberSum combine(const MemberSum& a, const MemberSum& b) { return a + b; }
  MERGANSER_METHOD void finish(int g, const MemberSum& sum) const {
    group_velocity[g] = members.groups.velocity[g];
    if (sum.members > 0) group_velocity[g] += dt * (gravity + sum.mean());
  }
};

/// v + dt (a + g) plus the XSPH correction for a particle alone, its group's velocity for a member, and v for
/// a particle that is immobile itself.
struct SphEndVelocity {
  static constexpr const char* name = "sph end velocity";
  View<const int> group_of;         ///< over the whole store; empty where there are no groups
  View<const Vec3> group_velocity;  ///< [m/s]
  Range own;
  View<const Vec3> velocity;       ///< [m/s] over the whole store
  View<const float> inverse_mass;  ///< [1/kg] over the whole store
  View<const Vec3> acceleration;   ///< [m/s^2] of own particles
  View<const Vec3> xsph;           ///< [m/s] of own particles; empty where switched off
  Vec3 gravity;                    ///< [m/s^2]
  float dt;                        ///< [s]
  View<Vec3> end_velocity;         ///< [m/s] over the whole store, written

  MERGANSER_METHOD void operator()(int k) const {
    const int i = own.first + k;
    const int group = group_of.empty() ? -1 : group_of[i];
    if (group >= 0) {
      end_velocity[i] = group_velocity[group];
    } else if (!(inverse_mass[i] > 0)) {
      end_velocity[i] = velocity[i];
    } else {
      Vec3 v = velocity[i] + dt * (acceleration[k] + gravity);
      if (!xsph.empty()) v += xsph[k];
      end_velocity[i] = v;
    }
  }
};

MERGANSER_END
