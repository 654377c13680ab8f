#pragma once
/// From the particles of several systems to the union that one pressure solve runs over, and back. The union
/// lies side by side, system after system, before it is sorted into the cells of one grid.
#include "device/group_sums.h"
#include "solvers/core/system.h"
#include "solvers/methods/dfsph/row_pairs.h"
#include "solvers/methods/dfsph/velocities.h"

MERGANSER_BEGIN

/// What moves a particle between the solves.
enum class PressedKind : int { fluid, elastic, rigid };

/// A system's place side by side; particles [first, ...) there are `range` of the store.
struct FillUnion {
  static constexpr const char* name = "dfsph union";
  int first;
  Range range;
  int shape_of_body;  ///< 1: pairs within a body are left out
  PressedKind kind;
  View<const int> body;
  View<int> store_index, kinds, part;  ///< side by side, written; part: -1 or the body
  MERGANSER_METHOD void operator()(int k) const {
    store_index[first + k] = range.first + k;
    kinds[first + k] = static_cast<int>(kind);
    part[first + k] = shape_of_body ? body[range.first + k] : -1;
  }
};

template <class T>
struct GatherSorted {
  static constexpr const char* name = "dfsph gather";
  View<const int> order;
  View<const T> side_by_side;
  View<T> sorted;
  MERGANSER_METHOD void operator()(int s) const { sorted[s] = side_by_side[order[s]]; }
};
template <class T>
struct ScatterSorted {
  static constexpr const char* name = "dfsph scatter";
  View<const int> order;
  View<const T> sorted;
  View<T> side_by_side;
  MERGANSER_METHOD void operator()(int s) const { side_by_side[order[s]] = sorted[s]; }
};

/// Of `count` places from `first` on.
struct FillNumber {
  static constexpr const char* name = "dfsph fill";
  int first;
  float number;
  View<float> side_by_side;
  MERGANSER_METHOD void operator()(int k) const { side_by_side[first + k] = number; }
};

struct NoPlace {
  static constexpr const char* name = "dfsph no place";
  View<int> place;
  MERGANSER_METHOD void operator()(int i) const { place[i] = -1; }
};
/// Where the particles of the store are in the union.
struct FindPlaces {
  static constexpr const char* name = "dfsph places";
  View<const int> store_index;
  View<int> place;  ///< over the store, -1 elsewhere
  MERGANSER_METHOD void operator()(int s) const { place[store_index[s]] = s; }
};

/// V/m of every particle, and of those of fluids alone; 0 on the way out of an emitter. Particles of rigid
/// bodies count as if each were free, held ones too: the matrix is then no stiffer along any direction than
/// its diagonal tells, for a body is never moved further than its particles would be. (With the body's own
/// response in the diagonal the first iterations overshoot, and where they meet the tolerance a splash gains
/// energy.)
struct UnionMobility {
  static constexpr const char* name = "dfsph union mobility";
  View<const int> store_index, kind;
  View<const float> mass, inverse_mass;  ///< of the store
  MetaParticleView groups;
  NozzlesView nozzles;
  float volume;                    ///< [m^3]
  View<float> mobility, in_fluid;  ///< [m^3/kg], written
  MERGANSER_METHOD void operator()(int s) const {
    const int i = store_index[s], group = groups.group_count > 0 ? groups.group_of[i] : -1;
    const PressedKind of = static_cast<PressedKind>(kind[s]);
    const bool held = group >= 0 ? !(groups.inverse_mass[group] > 0) : nozzles.hold(i);
    const float own = held ? 0.0f : volume * inverse_mass[i];
    mobility[s] = of == PressedKind::rigid ? volume / mass[i] : own;
    in_fluid[s] = of == PressedKind::fluid ? own : 0.0f;
  }
};

/// Solids reach behind walls where they are held or led there; fluid is put back before walls.
struct UnionApart {
  static constexpr const char* name = "dfsph union apart";
  View<const int> store_index, kind;
  View<const Vec3> position;  ///< [m] of the store
  WallView walls;
  NozzlesView nozzles;
  float depth;      ///< [m] by which a particle that stands on a wall may be behind it
  View<int> apart;  ///< Apart, written
  MERGANSER_METHOD void operator()(int s) const {
    const int i = store_index[s];
    const bool fluid = static_cast<PressedKind>(kind[s]) == PressedKind::fluid;
    Apart found = fluid && nozzles.hold(i) ? Apart::from_images : Apart::no;
    for (int k = 0; k < walls.count && !fluid; ++k)
      if (walls.data[k].at(position[i]).distance < -depth) found = Apart::behind_wall;
    apart[s] = static_cast<int>(found);
  }
};

/// What a part's own particles behind walls add to its densities at rest is taken off the share.
template <class Kernel>
struct TakeOffBehindWalls {
  static constexpr const char* name = "dfsph share behind walls";
  Kernel kernel;
  float volume, support;  ///< [m^3], [m]
  UniformGridView grid;
  View<const int> part;
  ApartView apart;
  View<float> share;  ///< updated
  MERGANSER_METHOD void operator()(int i) const {
    if (part[i] < 0 || apart.behind_wall(i)) return;
    float sum = 0;
    grid.for_each_neighbor(grid.position[i], support, [&](int j, const Vec3&, float r2) {
      if (part[j] == part[i] && apart.behind_wall(j)) sum += kernel.value(fast_square_root(r2));
    });
    share[i] -= volume * sum;
  }
};

/// Velocities that a solve starts from; of members of immobile groups the group's.
struct GatherVelocities {
  static constexpr const char* name = "dfsph gather velocities";
  View<const int> store_index;
  View<const Vec3> of_store;  ///< [m/s]
  MetaParticleView groups;
  View<Vec3> velocity;  ///< [m/s] of the union, written
  MERGANSER_METHOD void operator()(int s) const {
    const int i = store_index[s], group = groups.group_count > 0 ? groups.group_of[i] : -1;
    const bool held = group >= 0 && !(groups.inverse_mass[group] > 0);
    velocity[s] = held ? groups.velocity[group] : of_store[i];
  }
};
/// Back to the store, where particles are not held.
struct ScatterVelocities {
  static constexpr const char* name = "dfsph scatter velocities";
  View<const int> store_index;
  View<const float> in_fluid;  ///< 0 of what keeps its velocity
  View<const Vec3> velocity;   ///< [m/s] of the union
  View<Vec3> of_store;         ///< [m/s], written
  MERGANSER_METHOD void operator()(int s) const {
    if (in_fluid[s] > 0) of_store[store_index[s]] = velocity[s];
  }
};

/// v += dt a of fluid and elastic particles; rigid bodies move by themselves.
struct GiveAccelerations {
  static constexpr const char* name = "dfsph give accelerations";
  View<const int> store_index, kind;
  View<const Quad> acceleration;  ///< [m/s^2]
  float dt;                       ///< [s]
  View<Vec3> of_store;            ///< [m/s], updated
  MERGANSER_METHOD void operator()(int s) const {
    if (static_cast<PressedKind>(kind[s]) == PressedKind::rigid) return;
    const Quad& a = acceleration[s];
    of_store[store_index[s]] += dt * Vec3{a.x, a.y, a.z};
  }
};

/// Where particles of the store are in the union.
struct UnionPlaces {
  View<const int> place, kind;  ///< over the store; over the union
  /// -1: nowhere, or in a rigid body, with which the particle moves.
  MERGANSER_METHOD int of(int i) const {
    const int s = place[i];
    return s >= 0 && static_cast<PressedKind>(kind[s]) != PressedKind::rigid ? s : -1;
  }
};

/// Particles of the union that groups move: rows are groups that move, entries their members.
struct UnionMembers {
  MetaParticleView groups;
  UnionPlaces places;
  MERGANSER_METHOD int begin(int g) const { return groups.first[g]; }
  MERGANSER_METHOD int end(int g) const {
    return groups.inverse_mass[g] > 0 ? groups.first[g + 1] : begin(g);
  }
  /// Of an entry, or -1.
  MERGANSER_METHOD int place_of(int k) const { return places.of(groups.member[k]); }
  MERGANSER_METHOD static WeightedSum identity() { return {}; }
  MERGANSER_METHOD static WeightedSum combine(const WeightedSum& a, const WeightedSum& b) { return a + b; }
};

/// A group's members are predicted to move as all systems together move the group ([MS] eq. 17).
struct UnionGroupPrediction : UnionMembers {
  static constexpr const char* name = "dfsph union group velocity";
  using Value = WeightedSum;
  View<const float> mass;         ///< [kg] of the store
  View<const Vec3> end_velocity;  ///< [m/s] of the store
  View<Vec3> predicted;           ///< [m/s] of the union, written
  MERGANSER_METHOD void add(WeightedSum& sum, int, int k) const {
    const int i = groups.member[k];
    sum.add(mass[i], end_velocity[i]);
  }
  MERGANSER_METHOD Vec3 share(int, const WeightedSum& sum) const { return sum.mean(); }
  MERGANSER_METHOD void spread(int, int k, const Vec3& v) const {
    if (const int s = place_of(k); s >= 0) predicted[s] = v;
  }
};

/// A group that moves as the pressure solve sees it: members none where it does not.
struct UnionGroup {
  Range members = {};
  float inverse_mass = 0;  ///< [1/kg]
};

/// One index a row, of more rows than groups.
struct FindUnionGroups {
  static constexpr const char* name = "dfsph union groups";
  UnionMembers members;
  View<UnionGroup> group;  ///< written
  MERGANSER_METHOD void operator()(int g) const {
    group[g] = {};
    if (g < members.groups.group_count)
      group[g] = {{members.begin(g), members.end(g) - members.begin(g)}, members.groups.inverse_mass[g]};
  }
};

/// Members' accelerations become that of the group, whose mass is that of all members: sum m a/M. Nothing
/// here tells how many groups there are, so that launches which were recorded in one step serve the next.
struct UnionGroupAcceleration {
  static constexpr const char* name = "dfsph union group acceleration";
  using Value = WeightedSum;
  View<const UnionGroup> group;
  const int* member;  ///< of groups, over the whole store
  UnionPlaces places;
  View<const int> active;   ///< 0: nothing is done
  View<const float> mass;   ///< [kg] of the store
  View<Quad> acceleration;  ///< [m/s^2] of the union
  MERGANSER_METHOD int begin(int g) const { return group[g].members.first; }
  MERGANSER_METHOD int end(int g) const { return active[0] ? group[g].members.end() : begin(g); }
  MERGANSER_METHOD static WeightedSum identity() { return {}; }
  MERGANSER_METHOD static WeightedSum combine(const WeightedSum& a, const WeightedSum& b) { return a + b; }
  MERGANSER_METHOD void add(WeightedSum& sum, int, int k) const {
    const int s = places.of(member[k]);
    if (s < 0) return;
    const Quad& a = acceleration[s];
    sum.add(mass[member[k]], {a.x, a.y, a.z});
  }
  MERGANSER_METHOD Vec3 share(int g, const WeightedSum& sum) const {
    return to_float(double(group[g].inverse_mass) * sum.sum);
  }
  MERGANSER_METHOD void spread(int, int k, const Vec3& a) const {
    if (const int s = places.of(member[k]); s >= 0) acceleration[s] = {a.x, a.y, a.z, 0};
  }
};

/// v += dt a of the members that are not in the union, or move with rigid bodies there: of a group all
/// members have the same acceleration.
struct CarryMembers : UnionMembers {
  static constexpr const char* name = "dfsph carried members";
  using Value = WeightedSum;
  View<const Quad> acceleration;  ///< [m/s^2] of the union
  float dt;                       ///< [s]
  View<Vec3> end_velocity;        ///< [m/s] of the store, updated
  MERGANSER_METHOD void add(WeightedSum& sum, int, int k) const {
    const int s = place_of(k);
    if (s < 0) return;
    const Quad& a = acceleration[s];
    sum.add(1, {a.x, a.y, a.z});
  }
  MERGANSER_METHOD Vec3 share(int, const WeightedSum& sum) const { return dt * sum.mean(); }
  MERGANSER_METHOD void spread(int, int k, const Vec3& v) const {
    if (place_of(k) < 0) end_velocity[groups.member[k]] += v;
  }
};

MERGANSER_END
