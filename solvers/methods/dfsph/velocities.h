#pragma once
/// Velocities between the solves, of particles alone and of members of groups ([MS] sec. 4; the contract of
/// MetaParticleView).
///
/// To the density solve the own members of a group are one body: they start from the group's velocity, and
/// each evaluation of pressure forces gives them their common acceleration sum m a/sum m. So the solve knows
/// that they move together and finds pressures for which densities hold; averaging once at the end would
/// leave them to fluid that was pushed as if they were free.
#include <algorithm>
#include <bit>

#include "solvers/core/group_members.h"
#include "solvers/methods/dfsph/nozzles.h"
#include "solvers/methods/dfsph/row_pairs.h"

MERGANSER_BEGIN

/// V/m; 0 for particles that are immobile, in a group that is, or on their way out of an emitter.
struct Mobility {
  static constexpr const char* name = "dfsph mobility";
  View<const int> group_of;  ///< over the whole store; empty where there are no groups
  View<const float> group_inverse_mass;
  View<const float> inverse_mass;  ///< [1/kg] over the whole store
  NozzlesView nozzles;
  Range own;
  float volume;          ///< [m^3]
  View<float> mobility;  ///< [m^3/kg], written
  MERGANSER_METHOD void operator()(int k) const {
    const int i = own.first + k, group = group_of.empty() ? -1 : group_of[i];
    const bool held = group >= 0 ? !(group_inverse_mass[group] > 0) : nozzles.hold(i);
    mobility[k] = held ? 0.0f : volume * inverse_mass[i];
  }
};

/// Change of velocity by the divergence solve: dt a; the velocities that follow take the place of a.
struct ApplyDivergence {
  static constexpr const char* name = "dfsph divergence change";
  View<const Vec3> velocity;  ///< [m/s]
  float dt;                   ///< [s]
  View<Quad> acceleration;    ///< [m/s^2], then velocities [m/s]
  View<Vec3> change;          ///< [m/s], written
  MERGANSER_METHOD void operator()(int k) const {
    const Quad& a = acceleration[k];
    const Vec3 by_pressure = dt * Vec3{a.x, a.y, a.z}, free = velocity[k] + by_pressure;
    change[k] = by_pressure;
    acceleration[k] = {free.x, free.y, free.z, 0};
  }
};

/// sum m b and sum m over members.
struct WeightedSum {
  Vec3d sum{0, 0, 0};
  double mass = 0;
  MERGANSER_METHOD void add(float m, const Vec3& b) {
    sum += double(m) * to_double(b);
    mass += m;
  }
  MERGANSER_METHOD friend WeightedSum operator+(const WeightedSum& a, const WeightedSum& b) {
    return {a.sum + b.sum, a.mass + b.mass};
  }
  MERGANSER_METHOD Vec3 mean() const { return mass > 0 ? to_float(sum / mass) : Vec3{0, 0, 0}; }
};

/// V + dt g + the members' mean change; V where the group is immobile.
struct GroupPrediction {
  static constexpr const char* name = "dfsph group velocity";
  using Value = WeightedSum;
  OwnGroupMembers members;
  View<const float> mass;     ///< [kg] of own particles
  View<const Vec3> change;    ///< [m/s]
  Vec3 gravity_change;        ///< [m/s] dt g
  View<Vec3> group_velocity;  ///< [m/s], written
  MERGANSER_METHOD int begin(int g) const { return members.begin(g); }
  MERGANSER_METHOD int end(int g) const { return members.end(g); }
  MERGANSER_METHOD void add(WeightedSum& sum, int, int k) const {
    const int i = members.own_index(k);
    sum.add(mass[i], change[i]);
  }
  MERGANSER_METHOD static WeightedSum identity() { return {}; }
  MERGANSER_METHOD static WeightedSum combine(const WeightedSum& a, const WeightedSum& b) { return a + b; }
  MERGANSER_METHOD void finish(int g, const WeightedSum& sum) const {
    group_velocity[g] = members.groups.velocity[g];
    if (sum.mass > 0) group_velocity[g] += gravity_change + sum.mean();
  }
};

/// Rows for so many groups: twice as many whenever there are more than ever, and some hundred from the start.
/// The number of groups changes in most steps, and each number of rows is recorded anew, together with each
/// place of the arrays that change places from step to step.
inline int group_rows(int groups) { return std::max(256, int(std::bit_ceil(unsigned(groups)))); }

/// Where the own members of each group stand in groups.member; nowhere of rows behind the last group.
struct FindGroupRows {
  static constexpr const char* name = "dfsph group rows";
  OwnGroupMembers members;
  View<Range> row;  ///< written
  MERGANSER_METHOD void operator()(int g) const {
    row[g] = {};
    if (g < members.groups.group_count) row[g] = {members.begin(g), members.end(g) - members.begin(g)};
  }
};

/// Members' accelerations become their mean. Nothing here tells how many groups there are, so that launches
/// which were recorded in one step serve the next.
struct GroupAcceleration {
  static constexpr const char* name = "dfsph group acceleration";
  using Value = WeightedSum;
  View<const Range> row;
  const int* member;        ///< of groups, over the whole store
  int first;                ///< of own particles
  View<const float> mass;   ///< [kg] of own particles
  View<Quad> acceleration;  ///< [m/s^2] of own particles
  MERGANSER_METHOD int begin(int g) const { return row[g].first; }
  MERGANSER_METHOD int end(int g) const { return row[g].end(); }
  MERGANSER_METHOD void add(WeightedSum& sum, int, int k) const {
    const int i = member[k] - first;
    const Quad& a = acceleration[i];
    sum.add(mass[i], {a.x, a.y, a.z});
  }
  MERGANSER_METHOD static WeightedSum identity() { return {}; }
  MERGANSER_METHOD static WeightedSum combine(const WeightedSum& a, const WeightedSum& b) { return a + b; }
  MERGANSER_METHOD Vec3 share(int, const WeightedSum& sum) const { return sum.mean(); }
  MERGANSER_METHOD void spread(int, int k, const Vec3& a) const {
    acceleration[member[k] - first] = {a.x, a.y, a.z, 0};
  }
};

/// v* = v + dt g + change of a particle alone, its group's for a member, v where it is held.
struct PredictVelocity {
  static constexpr const char* name = "dfsph prediction";
  View<const int> group_of;         ///< over the whole store; empty where there are no groups
  View<const Vec3> group_velocity;  ///< [m/s]
  Range own;
  View<const Vec3> velocity;   ///< [m/s] over the whole store
  View<const float> mobility;  ///< [m^3/kg] of own particles
  View<const Vec3> change;     ///< [m/s] of own particles
  Vec3 gravity_change;         ///< [m/s] dt g
  View<Vec3> predicted;        ///< [m/s] of own particles, written
  MERGANSER_METHOD void operator()(int k) const {
    const int i = own.first + k, group = group_of.empty() ? -1 : group_of[i];
    if (group >= 0)
      predicted[k] = group_velocity[group];
    else
      predicted[k] = mobility[k] > 0 ? velocity[i] + (gravity_change + change[k]) : velocity[i];
  }
};

/// v* + dt a in the place of v*.
struct DfsphEndVelocity {
  static constexpr const char* name = "dfsph end velocity";
  View<const Quad> acceleration;  ///< [m/s^2] of own particles
  float dt;                       ///< [s]
  View<Vec3> velocity;            ///< [m/s] of own particles
  MERGANSER_METHOD void operator()(int k) const {
    const Quad& a = acceleration[k];
    velocity[k] = velocity[k] + dt * Vec3{a.x, a.y, a.z};
  }
};

MERGANSER_END
