#pragma once
/// Kernels that reduce the unknowns to meta-particles ([MS] sec. 4): the members of a group that belong to
/// this system share one velocity. Every member keeps a row of its own; rows of one group are summed (P^T)
/// and carry the same values (P).
#include "device/particle_store.h"
#include "device/vector_math.h"
#include "solvers/system.h"

MERGANSER_BEGIN

/// Own members of group g: groups.member[begin[g]] to groups.member[end[g]] (exclusive), contiguous because
/// ascending.
struct FindOwnMembers {
  static constexpr const char* name = "own group members";
  MetaParticleView groups;
  Range range;           ///< the system's particles
  View<int> begin, end;  ///< per group, written
  MERGANSER_METHOD void operator()(int g) const {
    begin[g] = lower_bound(g, range.first);
    end[g] = lower_bound(g, range.end());
  }
  /// First place in group g whose member is at least `particle`.
  MERGANSER_METHOD int lower_bound(int g, int particle) const {
    int low = groups.first[g], high = groups.first[g + 1];
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (groups.member[middle] < particle)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// The own part of every group, for kernels over groups.
struct OwnMembersView {
  View<const int> begin, end, member;  ///< see FindOwnMembers
  int first_particle = 0;              ///< global index of the system's particle 0
  MERGANSER_METHOD int local(int place) const { return member[place] - first_particle; }
};

/// One row per particle of (M + dt air + dt C + dt^2 K) v = M v0 + dt (f + M g): h and b without the springs'
/// part of the matrix. Members have mass_scale times their mass; drag acts on their own. Fixed rows get h = 0
/// and their velocity as start.
struct PrepareRows {
  static constexpr const char* name = "mass-spring rows";
  ParticleConstView particles;
  MetaParticleView groups;
  int first_particle;        ///< global index of local particle 0
  Vec3 gravitation;          ///< [m/s^2]
  float dt, air_damping;     ///< [s], [1/s]
  View<const Vec3> impulse;  ///< [N s] of the springs, dt f
  View<float> inertia;       ///< [kg] h, written
  View<float> weight;        ///< 1 = the row counts in dot products, written; members: see SumGroupRows
  View<Vec3> right_side;     ///< [N s] b, written
  View<Vec3> start;          ///< [m/s] velocity at the beginning of the step, written
  MERGANSER_METHOD void operator()(int local) const {
    const int i = first_particle + local;
    const int group = groups.group_count > 0 ? groups.group_of[i] : -1;
    const bool moves = group < 0 ? particles.inverse_mass[i] > 0 : groups.inverse_mass[group] > 0;
    const Vec3 velocity = group < 0 ? particles.velocity[i] : groups.velocity[group];
    const float mass = particles.mass[i] * (group < 0 ? 1.0f : groups.mass_scale[group]);
    start[local] = velocity;
    weight[local] = moves ? 1.0f : 0.0f;
    inertia[local] = moves ? mass + dt * air_damping * particles.mass[i] : 0.0f;
    right_side[local] = mass * velocity + impulse[local] + (dt * mass) * gravitation;
  }
};

/// P P^T: every own member of a group gets the sum over all of them, in ascending order (vectors in double).
template <class T, class Sum>
struct SumGroupRows {
  static constexpr const char* name = "sum group rows";
  OwnMembersView own;
  View<T> rows;
  MERGANSER_METHOD void operator()(int g) const {
    if (own.end[g] - own.begin[g] < 2) return;
    Sum sum{};
    for (int m = own.begin[g]; m < own.end[g]; ++m) sum.add(rows[own.local(m)]);
    const T total = sum.total();
    for (int m = own.begin[g]; m < own.end[g]; ++m) rows[own.local(m)] = total;
  }
};
struct SumOfVectors {
  Vec3d sum;
  MERGANSER_METHOD void add(const Vec3& a) { sum += to_double(a); }
  MERGANSER_METHOD Vec3 total() const { return to_float(sum); }
};
struct SumOfMatrices {
  SymmetricMatrix3 sum;
  MERGANSER_METHOD void add(const SymmetricMatrix3& a) { sum += a; }
  MERGANSER_METHOD SymmetricMatrix3 total() const { return sum; }
};
using SumGroupVectors = SumGroupRows<Vec3, SumOfVectors>;
using SumGroupMatrices = SumGroupRows<SymmetricMatrix3, SumOfMatrices>;

/// Weight 0 for all own members of a group but the first.
struct CountGroupsOnce {
  static constexpr const char* name = "count groups once";
  OwnMembersView own;
  View<float> weight;
  MERGANSER_METHOD void operator()(int g) const {
    for (int m = own.begin[g] + 1; m < own.end[g]; ++m) weight[own.local(m)] = 0;
  }
};

/// Guess for a second stage: the impulses of the first act on the masses of the second, v = V* + J/h. Rows
/// whose group has not changed start from their solution, new groups from the momentum that their members
/// had.
struct ApplyFirstImpulse {
  static constexpr const char* name = "first stage's impulses";
  Vec3 gravitation;                ///< [m/s^2]
  float dt;                        ///< [s]
  View<const float> inertia;       ///< [kg] h, 0 = fixed row
  View<const Vec3> first_impulse;  ///< [N s] J, see WriteEndVelocity
  View<Vec3> velocity;             ///< [m/s] at the beginning of the step; the guess, written
  MERGANSER_METHOD void operator()(int i) const {
    if (inertia[i] > 0) velocity[i] += dt * gravitation + first_impulse[i] / inertia[i];
  }
};

/// Own members of a group take their average velocity, weighted by inertia; fixed rows stay as they are.
struct AverageGroupVelocity {
  static constexpr const char* name = "average group velocity";
  OwnMembersView own;
  View<const float> inertia;  ///< [kg], 0 = fixed row
  View<Vec3> velocity;        ///< [m/s]
  MERGANSER_METHOD void operator()(int g) const {
    if (own.end[g] - own.begin[g] < 2 || !(inertia[own.local(own.begin[g])] > 0)) return;
    Vec3d momentum{0, 0, 0};
    double mass = 0;
    for (int m = own.begin[g]; m < own.end[g]; ++m) {
      momentum += double(inertia[own.local(m)]) * to_double(velocity[own.local(m)]);
      mass += inertia[own.local(m)];
    }
    for (int m = own.begin[g]; m < own.end[g]; ++m) velocity[own.local(m)] = to_float(momentum / mass);
  }
};

/// What the system returns: v of unmerged particles, v_hat = V* + mass_scale (v - V*) of members, V* = V + dt
/// g (see MetaParticleView). Keeps the impulse J = h (v - V*) that every row got beside gravity, for the
/// second stage.
struct WriteEndVelocity {
  static constexpr const char* name = "mass-spring end velocity";
  MetaParticleView groups;
  View<const Vec3> velocity;  ///< [m/s] of the store, at the beginning of the step
  int first_particle;
  Vec3 gravitation;  ///< [m/s^2]
  float dt;          ///< [s]
  View<const float> inertia;
  View<const Vec3> solution;
  View<Vec3> impulse;       ///< [N s] per row, written
  View<Vec3> end_velocity;  ///< indexed like the store, written
  MERGANSER_METHOD void operator()(int local) const {
    const int i = first_particle + local;
    const int group = groups.group_count > 0 ? groups.group_of[i] : -1;
    const Vec3 v = solution[local];
    const Vec3 free_velocity = (group < 0 ? velocity[i] : groups.velocity[group]) + dt * gravitation;
    impulse[local] = inertia[local] * (v - free_velocity);
    const bool member_moves = group >= 0 && inertia[local] > 0;
    end_velocity[i] = member_moves ? free_velocity + groups.mass_scale[group] * (v - free_velocity) : v;
  }
};

MERGANSER_END
