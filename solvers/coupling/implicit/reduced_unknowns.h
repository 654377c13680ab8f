#pragma once
/// Kernels that reduce the unknowns to meta-particles ([MS] sec. 4): the members of a group that belong to
/// this system share one velocity. Every member keeps a row of its own; rows of one group are summed (P^T)
/// and carry the same values (P).
#include "device/atomics.h"
#include "device/group_sums.h"
#include "device/particle_store.h"
#include "device/vector_math.h"
#include "solvers/core/system.h"
#include "solvers/linear/krylov/conjugate_gradient.h"

MERGANSER_BEGIN

/// How many groups kernels are launched for that a launch graph may hold: so many that the graph still serves
/// when there are a few more or less. Those beyond the last one have no members.
inline int groups_to_launch(int groups) {
  if (!MERGANSER_GPU_HALF || groups == 0) return groups;
  int rounded = 64;
  while (rounded < groups) rounded *= 2;
  return rounded;
}

/// Own members of group g: groups.member[begin[g]] to groups.member[end[g]] (exclusive), contiguous because
/// ascending.
struct FindOwnMembers {
  static constexpr const char* name = "own group members";
  MetaParticleView groups;
  Range range;           ///< the system's particles
  View<int> begin, end;  ///< per group, written
  MERGANSER_METHOD void operator()(int g) const {
    const bool exists = g < groups.group_count;
    begin[g] = exists ? lower_bound(g, range.first) : 0;
    end[g] = exists ? lower_bound(g, range.end()) : 0;
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
  View<const int> begin, end;  ///< see FindOwnMembers
  const int* member;       ///< of all groups; no view, for their number changes while a launch graph lives
  int first_particle = 0;  ///< global index of the system's particle 0
  MERGANSER_METHOD int local(int place) const { return member[place] - first_particle; }
  MERGANSER_METHOD int count(int g) const { return end[g] - begin[g]; }
  void add_to_key(LaunchKey& key) const {
    for (const View<const int>& list : {begin, end}) merganser::MERGANSER_BACKEND::add_to_key(key, list);
    key.push_back(member);
    merganser::MERGANSER_BACKEND::add_to_key(key, first_particle);
  }
};

/// A sum over the own members of every group that has several of them (device/group_sums.h); members of other
/// groups are unknowns by themselves.
struct SharedRows {
  OwnMembersView own;
  MERGANSER_METHOD int begin(int g) const { return own.begin[g]; }
  MERGANSER_METHOD int end(int g) const { return own.count(g) < 2 ? own.begin[g] : own.end[g]; }
};

/// Unknowns of a stage, one row a particle. Members of a group have mass_scale times their mass; air drag
/// acts on their own.
struct PrepareRows {
  static constexpr const char* name = "rows of unknowns";
  ParticleConstView particles;
  MetaParticleView groups;
  int first_particle;     ///< global index of local particle 0
  float dt, air_damping;  ///< [s], [1/s]
  bool implicit = true;   ///< false: members keep their own mass
  View<int>
      representative;  ///< -1 = fixed row, else the row itself; of groups see NameRepresentatives; written
  View<float> mass;    ///< [kg], written
  View<float> effective_mass;  ///< [kg] mass + dt air_damping own mass, 0 = fixed row; written
  View<Vec3> start;            ///< [m/s] velocity at the beginning of the step, written
  MERGANSER_METHOD void operator()(int local) const {
    const int i = first_particle + local;
    const int group = groups.group_count > 0 ? groups.group_of[i] : -1;
    const bool moves = group < 0 ? particles.inverse_mass[i] > 0 : groups.inverse_mass[group] > 0;
    const float scaled = particles.mass[i] * (group < 0 || !implicit ? 1.0f : groups.mass_scale[group]);
    start[local] = group < 0 ? particles.velocity[i] : groups.velocity[group];
    representative[local] = moves ? local : -1;
    mass[local] = scaled;
    effective_mass[local] = moves ? scaled + dt * air_damping * particles.mass[i] : 0.0f;
  }
};

/// The first own member of a group that moves represents all of them.
struct NameRepresentatives : SharedRows {
  static constexpr const char* name = "group representatives";
  using Value = int;
  View<int> representative;
  MERGANSER_METHOD void add(int& chosen, int g, int m) const {
    if (m == own.begin[g]) chosen = representative[own.local(m)];
  }
  MERGANSER_METHOD static int identity() { return -1; }
  MERGANSER_METHOD static int combine(int a, int b) { return a > b ? a : b; }
  MERGANSER_METHOD int share(int, int chosen) const { return chosen; }
  MERGANSER_METHOD void spread(int, int m, int chosen) const { representative[own.local(m)] = chosen; }
};

/// Rows joined by a spring to one at distance - 1 get this distance unless they have a smaller one.
struct SpreadDistance {
  static constexpr const char* name = "spread distance";
  View<const int> first, neighbor;
  int distance;
  View<int> of_row;
  MERGANSER_METHOD void operator()(int i) const {
    if (of_row[i] != distance - 1) return;
    for (int s = first[i], end = first[i + 1]; s < end; ++s) atomic_min(&of_row[neighbor[s]], distance);
  }
};
/// All own members of a group get the least distance of one of them.
struct EvenDistance : SharedRows {
  static constexpr const char* name = "even distance";
  using Value = int;
  View<int> of_row;
  MERGANSER_METHOD void add(int& least, int, int m) const { least = combine(least, of_row[own.local(m)]); }
  MERGANSER_METHOD static int identity() { return ActiveRows::far_away; }
  MERGANSER_METHOD static int combine(int a, int b) { return a < b ? a : b; }
  MERGANSER_METHOD int share(int, int least) const { return least; }
  MERGANSER_METHOD void spread(int, int m, int least) const { of_row[own.local(m)] = least; }
};

/// P P^T: every own member of a group gets the sum over all of them, in double.
struct SumGroupRows {
  static constexpr const char* name = "sum group rows";
  using Value = Vec3d;
  OwnMembersView own;
  ActiveRows reach;  ///< only groups within
  View<Vec3> rows;
  MERGANSER_METHOD int begin(int g) const { return own.begin[g]; }
  MERGANSER_METHOD int end(int g) const {
    return own.count(g) < 2 || !reach.contains(own.local(own.begin[g])) ? own.begin[g] : own.end[g];
  }
  MERGANSER_METHOD void add(Vec3d& sum, int, int m) const { sum += to_double(rows[own.local(m)]); }
  MERGANSER_METHOD static Vec3d identity() { return {0, 0, 0}; }
  MERGANSER_METHOD static Vec3d combine(const Vec3d& a, const Vec3d& b) { return a + b; }
  MERGANSER_METHOD Vec3 share(int, const Vec3d& sum) const { return to_float(sum); }
  MERGANSER_METHOD void spread(int, int m, const Vec3& sum) const { rows[own.local(m)] = sum; }
};

/// Own members of a group take their average, weighted by effective mass; fixed rows stay as they are.
struct AverageGroupRows {
  static constexpr const char* name = "average group rows";
  struct Value {
    Vec3d sum{0, 0, 0};
    double weight = 0;
  };
  OwnMembersView own;
  View<const float> effective_mass;  ///< [kg], 0 = fixed row
  View<Vec3> rows;
  MERGANSER_METHOD int begin(int g) const { return own.begin[g]; }
  MERGANSER_METHOD int end(int g) const {
    return own.count(g) < 2 || !(effective_mass[own.local(own.begin[g])] > 0) ? own.begin[g] : own.end[g];
  }
  MERGANSER_METHOD void add(Value& total, int, int m) const {
    total.sum += double(effective_mass[own.local(m)]) * to_double(rows[own.local(m)]);
    total.weight += effective_mass[own.local(m)];
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {a.sum + b.sum, a.weight + b.weight};
  }
  MERGANSER_METHOD Vec3 share(int, const Value& total) const { return to_float(total.sum / total.weight); }
  MERGANSER_METHOD void spread(int, int m, const Vec3& average) const { rows[own.local(m)] = average; }
};

/// Unknowns of a stage; see PrepareRows.
struct RowsView {
  View<const int> representative;
  View<const float> mass;
  View<const Vec3> start;
};

/// Gives the own members of groups that are not what they were in the first stage distance 0 and a guess: the
/// change of velocity u with which the bonds give the group the impulses that they gave its members in the
/// first stage,
///   u = dt g + sum_i m_i (u_i - dt g) / M,   m_i, u_i: row mass and solution of the first stage, M: sum of
///   the row masses now.
/// Groups only grow between the stages, so other rows have not changed.
struct GuessChangedGroups {
  static constexpr const char* name = "second stage: changed groups";
  struct Value {
    Vec3d impulse{0, 0, 0};
    double mass = 0;
    int changed = 0, unused = 0;
  };
  struct Share {
    bool changed;
    Vec3 guess;
  };
  OwnMembersView own;
  RowsView before, now;
  Vec3 gravity;        ///< [m/s^2]
  float dt;            ///< [s]
  View<Vec3> change;   ///< [m/s] u, solution of the first stage, updated
  View<int> distance;  ///< ActiveRows::far_away before; empty where nobody asks
  MERGANSER_METHOD int begin(int g) const { return own.begin[g]; }
  MERGANSER_METHOD int end(int g) const { return own.end[g]; }
  MERGANSER_METHOD void add(Value& sum, int, int m) const {
    const int i = own.local(m);
    const bool same = before.representative[i] == now.representative[i] && before.mass[i] == now.mass[i] &&
                      before.start[i] == now.start[i];
    sum.changed |= same ? 0 : 1;
    const Vec3 free_change = dt * gravity;
    sum.impulse += double(before.mass[i]) * to_double(change[i] - free_change);
    sum.mass += now.mass[i];
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {a.impulse + b.impulse, a.mass + b.mass, a.changed | b.changed, 0};
  }
  MERGANSER_METHOD Share share(int g, const Value& sum) const {
    const Vec3 free_change = dt * gravity;
    const bool moves = now.representative[own.local(own.begin[g])] >= 0;
    return {sum.changed != 0, moves ? free_change + to_float(sum.impulse / sum.mass) : Vec3{0, 0, 0}};
  }
  MERGANSER_METHOD void spread(int, int m, const Share& group) const {
    if (!group.changed) return;
    if (!distance.empty()) distance[own.local(m)] = 0;
    change[own.local(m)] = group.guess;
  }
};

/// What the system returns: v = start + change of unmerged particles, v_hat = V* + mass_scale (v - V*) of
/// members, V* = V + dt g (see MetaParticleView).
struct WriteEndVelocity {
  static constexpr const char* name = "end velocity of rows";
  MetaParticleView groups;
  int first_particle;
  Vec3 gravity;  ///< [m/s^2]
  float dt;      ///< [s]
  View<const int> representative;
  View<const Vec3> start, change;  ///< [m/s]
  View<Vec3> end_velocity;         ///< [m/s] indexed like the store, written
  MERGANSER_METHOD void operator()(int local) const {
    const int i = first_particle + local;
    const int group = groups.group_count > 0 ? groups.group_of[i] : -1;
    const Vec3 free_change = dt * gravity;
    end_velocity[i] =
        group < 0 || representative[local] < 0
            ? start[local] + change[local]
            : start[local] + free_change + groups.mass_scale[group] * (change[local] - free_change);
  }
};

/// z_i = D_i^-1 r_i (block Jacobi), D the 3 x 3 diagonal blocks of P^T A P.
struct BlockJacobi {
  View<const SymmetricMatrix3> inverse_diagonal;
  MERGANSER_METHOD Vec3 operator()(int i, const Vec3& r) const { return inverse_diagonal[i] * r; }
  void add_to_key(LaunchKey& key) const { merganser::MERGANSER_BACKEND::add_to_key(key, inverse_diagonal); }
};

MERGANSER_END
