#pragma once
/// Fluid that fills its vessel, for all methods: what tells it, and the parts of its treatment that they
/// share.
///
/// Off its lattice a fluid has greater sums of kernels at the same volume. In a full vessel no motion takes
/// that away, and the pressure against it resists shear as an elastic solid does. So there
/// - pressures have any sign, and their mean presses nothing;
/// - gravity moves nothing, and the pressure rho g.x, which balances it, is left out of the sums;
/// - particles part along the gradient of the kernel sum as fast as the fluid shears (Lind, Xu, Stansby,
///   Rogers 2012).
#include "device/sum_of.h"
#include "device/uniform_grid.h"
#include "solvers/core/initial_state.h"
#include "solvers/geometry/walls/wall.h"

MERGANSER_BEGIN

/// Whether the fluid has its vessel to itself, and both keep their volumes: nothing is emitted, removed,
/// moved or put in later, and no wall moves.
bool keeps_its_vessel(const SystemState& state, const InitialState& initial);

/// 1 where fluid has a gap next to it: a place one spacing along an axis that nearly half a spacing or more
/// parts from all walls, and a whole one from all particles. A full vessel has none, on its lattice or off
/// it, for places nearer to its walls cannot be taken. The highest particle below a free surface has one.
struct HasGap {
  static constexpr const char* name = "fluid gaps";
  UniformGridView grid;
  WallView walls;
  float spacing;  ///< [m]
  MERGANSER_METHOD int operator()(int i) const {
    const Vec3& x = grid.position[i];
    for (const float step : {-spacing, spacing})
      if (!filled(x + Vec3{step, 0, 0}) || !filled(x + Vec3{0, step, 0}) || !filled(x + Vec3{0, 0, step}))
        return 1;
    return 0;
  }

 private:
  static constexpr float from_walls = 0.45f, from_particles = 0.99f;  ///< [spacings]
  MERGANSER_METHOD bool filled(const Vec3& place) const {
    for (int k = 0; k < walls.count; ++k)
      if (walls[k].at(place).distance < from_walls * spacing) return true;
    bool found = false;
    grid.for_each_neighbor(place, from_particles * spacing, [&](int, const Vec3&, float) { found = true; });
    return found;
  }
};
/// The same of a fluid, now: waits for the device.
bool has_gap(const UniformGridView& grid, const WallView& walls, float spacing);

/// [m/s^2] The part of gravity that moves fluid in a full vessel: that along periodic axes.
inline Vec3 along_period(const Vec3& gravity, const Vec3& period) {
  return {period.x > 0 ? gravity.x : 0, period.y > 0 ? gravity.y : 0, period.z > 0 ? gravity.z : 0};
}

/// How far particles part in a step: by this share of -h^2 times the gradient of the kernel sum.
MERGANSER_FN float parting_share(float shear, float dt) {
  constexpr float per_shear = 10, most = 0.1f;
  return least_of(per_shear * dt * shear, most);
}
struct MovePlaces {
  static constexpr const char* name = "fluid move places";
  View<const Vec3> move;  ///< [m]
  View<Vec3> position;    ///< [m] updated
  MERGANSER_METHOD void operator()(int i) const { position[i] += move[i]; }
};

/// To be summed, in double.
struct ElementsOf {
  static constexpr const char* name = "fluid sum";
  View<const float> value;
  MERGANSER_METHOD double operator()(int i) const { return value[i]; }
};

/// rho g.x [Pa] of the gravity that moves nothing.
struct HeadOfRest {
  View<const Quad> position;
  Vec3 weight;  ///< [N/m^3] rho g
  MERGANSER_METHOD float at(int i) const {
    return dot(weight, Vec3{position[i].x, position[i].y, position[i].z});
  }
};
/// What walls get of it. Sums over particles beside walls do not give p A for pressures p that nothing has
/// made fit, so these are scaled: together walls get the weight.
struct WallHead {
  float least;          ///< [Pa]
  double moment, area;  ///< sums of p G.w and of G.w, w the weight
  /// [Pa] Of a pressure p, in a vessel of `count` particles.
  MERGANSER_METHOD float at_walls(float p, const Vec3& weight, int count) const {
    const double whole = 2 * (moment - least * area);
    return whole > 0 ? static_cast<float>((p - least) * (count * norm_squared(to_double(weight)) / whole))
                     : p - least;
  }
};
struct FindWallHead {
  static constexpr const char* name = "fluid wall head";
  using Value = WallHead;
  HeadOfRest head;
  View<const Quad> wall;  ///< G and 1 - lambda
  MERGANSER_METHOD Value operator()(int i) const {
    const float p = head.at(i);
    const double along = dot(head.weight, Vec3{wall[i].x, wall[i].y, wall[i].z});
    return {p, p * along, along};
  }
  MERGANSER_METHOD static Value identity() { return {1e30f, 0, 0}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {least_of(a.least, b.least), a.moment + b.moment, a.area + b.area};
  }
};
/// The pressure of frames gets it, above its least.
struct AddHead {
  static constexpr const char* name = "fluid add head";
  HeadOfRest head;
  View<const WallHead> wall_head;
  View<float> pressure;  ///< [Pa] updated
  MERGANSER_METHOD void operator()(int i) const { pressure[i] += head.at(i) - wall_head[0].least; }
};

MERGANSER_END
