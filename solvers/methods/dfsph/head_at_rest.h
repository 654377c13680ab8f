#pragma once
/// The head of liquid at rest in solves with solids: p = p_s + p'. With w = rho g, the spacing d and
/// s = w.x - L,
///   p_s = 0 where s < 0,   s^2/(4 d |w|) where s < 2 d |w|,   s - d |w| below.
///
/// The sum of a kernel depends on the packing, so pair forces of a uniform pressure resist shear, with some
/// thousandths of it as a yield stress. In deep liquid that stops bodies. So the solve finds p' >= -p_s
/// alone. The gradient of p_s is known: it gives the acceleration -V/m grad p_s, which holds liquid at rest
/// and lifts a body by the weight of the liquid in its place.
///
/// The line w.x = L lies half a smoothing length below all that lacks density as at a free surface, fluid or
/// solid. So what is below it is full, up to walls, and p' takes up all else: waves, flow, the layer above.
/// What lacks a little less is passed, up to a height that grows without end: L follows densities
/// continuously. A body with air beside or within it is above the line. Liquid that falls has no head, and p'
/// = p. Where nothing lacks density, the line runs through the highest particle. Solids that the pressure
/// compresses need all of it in the solve: no head there.
#include "solvers/methods/dfsph/factors.h"

MERGANSER_BEGIN

/// p_s of each particle; empty: none.
struct HeadAtRest {
  Vec3 weight{0, 0, 0};    ///< [N/m^3] w
  float onset = 0;         ///< [Pa] p_s where its gradient begins to be w
  View<const float> of{};  ///< [Pa]
  MERGANSER_METHOD float operator[](int i) const { return of.empty() ? 0.0f : of[i]; }
  /// Its gradient over w.
  MERGANSER_METHOD float slope(int i) const {
    const float p = (*this)[i];
    return p < onset ? sqrtf(p / onset) : p > 0 ? 1.0f : 0.0f;
  }
};

struct HeadLine {
  float lacking, highest;  ///< [Pa] w.x of the lowest that lacks density, and of the highest of all
  static constexpr float none = -1e30f;
  static constexpr float margin = 0.5f, passed = 4;  ///< [smoothing lengths]
  /// [Pa] w.x of the lowest free surface's particles, or of the highest of all.
  MERGANSER_METHOD float surface() const { return at(0); }
  /// [Pa] L, by `margin` below.
  MERGANSER_METHOD float at(float margin) const {
    return lacking + margin > highest ? lacking + margin : highest;
  }
};

struct FindHeadLine {
  static constexpr const char* name = "dfsph head line";
  using Value = HeadLine;
  static constexpr float fading = 0.02f;  ///< of rho0, beyond free_surface
  Vec3 weight;                            ///< [N/m^3]
  float passed;                           ///< [Pa] HeadLine's
  View<const Quad> position;
  View<const float> compression;  ///< rho/rho0 - 1
  ApartView apart;
  MERGANSER_METHOD Value operator()(int i) const {
    if (apart.behind_wall(i)) return identity();
    const float p = weight.x * position[i].x + weight.y * position[i].y + weight.z * position[i].z;
    const float beyond = (compression[i] - free_surface) / fading;
    if (beyond <= 0) return {p, p};
    return {beyond < 1 ? p - passed * beyond / (1 - beyond) : HeadLine::none, p};
  }
  MERGANSER_METHOD static Value identity() { return {HeadLine::none, -HeadLine::none}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {a.lacking > b.lacking ? a.lacking : b.lacking, a.highest < b.highest ? a.highest : b.highest};
  }
};

struct FindHeads {
  static constexpr const char* name = "dfsph heads";
  Vec3 weight;  ///< [N/m^3]
  View<const HeadLine> line;
  float margin, onset;  ///< [Pa]
  View<const Quad> position;
  ApartView apart;
  View<float> head;              ///< [Pa] written
  View<float> pressure, steady;  ///< [Pa] written at a start: those of rest below the surface; else empty
  MERGANSER_METHOD void operator()(int i) const {
    if (head.empty()) return;
    const float p = weight.x * position[i].x + weight.y * position[i].y + weight.z * position[i].z;
    const float above = p - line[0].at(margin);
    const float all = above < 2 * onset ? above * above / (4 * onset) : above - onset;
    head[i] = above > 0 && !apart.behind_wall(i) ? all : 0.0f;
    if (pressure.empty()) return;
    const float rest = p - line[0].surface() + onset / 2;  // half a spacing above its particles
    pressure[i] = steady[i] = rest > 0 && !apart.behind_wall(i) ? rest : 0.0f;
  }
};

/// Factors and the line in one pass.
template <class Factors>
struct FactorsAndHeadLine {
  static constexpr const char* name = "dfsph factors and head line";
  using Value = HeadLine;
  Factors factors;
  FindHeadLine line;
  MERGANSER_METHOD Value operator()(int i) const {
    factors(i);
    return line(i);
  }
  MERGANSER_METHOD static Value identity() { return FindHeadLine::identity(); }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return FindHeadLine::combine(a, b);
  }
};

/// The momentum that walls give in a solve with a head.
struct HeadedTotal {
  Vec3d found;   ///< [N s] by p'
  Vec3d head;    ///< [N s] by sums over particles beside walls, of p_s
  double taken;  ///< [N^2 s/m^3] w.J, J the momentum that the head takes from the weight of particles
  friend MERGANSER_METHOD HeadedTotal operator+(const HeadedTotal& a, const HeadedTotal& b) {
    return {a.found + b.found, a.head + b.head, a.taken + b.taken};
  }
  /// Pressures that nothing has made fit do not give p A in sums over particles beside walls. So p_s is
  /// scaled there by this: together walls carry what the head takes from the weight.
  MERGANSER_METHOD double scale(const Vec3& weight) const {
    const double along = dot(to_double(weight), head);
    return along < 0 ? -taken / along : 0;
  }
};

/// `found`, `head`: formulas of the walls' momentum by either pressure.
template <class Total>
struct FindHeadedTotal {
  static constexpr const char* name = "dfsph headed total";
  HeadAtRest at_rest;
  Total found, head;
  double impulse;  ///< [m^3 s] V dt
  MERGANSER_METHOD HeadedTotal operator()(int i) const {
    return {found(i), head(i), impulse * at_rest.slope(i) * norm_squared(to_double(at_rest.weight))};
  }
};

struct AddHeadsAtWalls {
  static constexpr const char* name = "dfsph add heads at walls";
  HeadAtRest head;
  View<const HeadedTotal> total;
  View<float> at_walls;  ///< [Pa] the last p', becomes what walls get
  MERGANSER_METHOD void operator()(int i) const {
    at_walls[i] += head[i] * static_cast<float>(total[0].scale(head.weight));
  }
};

MERGANSER_END
