#pragma once
/// One iteration of a pressure solve: accelerations by the pressures, then what they leave of the source.
#include "solvers/methods/dfsph/factors.h"

MERGANSER_BEGIN

/// What the iterations of a solve know, on the device.
struct PressureState {
  float dt;        ///< [s]
  float momentum;  ///< share of the last change that the next pressures go on by
  int since_restart;
  int iterations;  ///< done
  int active;      ///< 1: the next iteration changes something
  int min_iterations, max_iterations;
  int tolerance_met;
  double tolerance;  ///< of the mean residual
  double error;      ///< mean residual where above 0, of the last iteration's pressures

  /// After an iteration with the mean residual `mean`; `turned`: the last change went uphill.
  MERGANSER_METHOD void iterated(double mean, bool turned) {
    if (!active) return;
    error = mean;
    ++iterations;
    tolerance_met = mean <= tolerance;
    active = iterations < min_iterations || (!tolerance_met && iterations < max_iterations);
    since_restart = turned ? 0 : since_restart + 1;
    momentum = static_cast<float>(since_restart) / static_cast<float>(since_restart + 3);
  }
};

struct StartPressureState {
  static constexpr const char* name = "dfsph start state";
  PressureState start;
  View<PressureState> state;
  MERGANSER_METHOD void operator()(int i) const { state[i] = start; }
};

/// The first guess of the solve's pressures, packed for the pair sums; none below 0 and none of particles
/// that take no part.
struct StartPressures {
  static constexpr const char* name = "dfsph start pressures";
  View<const float> inverse_diagonal;  ///< [Pa s^2], 0 = takes no part
  bool warm;                           ///< start from `pressure`, not from 0
  View<float> pressure;                ///< [Pa]
  View<Quad> position;                 ///< w written
  MERGANSER_METHOD void operator()(int i) const {
    const float p = warm && inverse_diagonal[i] > 0 ? pressure[i] : 0.0f;
    pressure[i] = p;
    position[i].w = p;
  }
};

/// a_i = -V/m_i C_i^-1 (sum_j V (p_i + p_j) grad W_ij + 2 p_i G_i), see factors.h.
template <class Kernel>
struct PressureAcceleration {
  static constexpr const char* name = "dfsph pressure acceleration";
  RowPairs<Kernel> pairs;  ///< w of its quads is the pressure [Pa]
  View<const PressureState> state;
  View<const float> mobility;  ///< [m^3/kg] V/m_i; 0 = immobile
  View<const Quad> wall;       ///< G and 1 - lambda
  WallView walls;
  WallFillView fill;
  View<Quad> acceleration;  ///< [m/s^2], written

  MERGANSER_METHOD void operator()(int i) const {
    if (!state[0].active) return;
    const float own_pressure = pairs.position[i].w;
    const Lanes own = broadcast(own_pressure);
    Vector3<Lanes> sum{};
    pairs.template for_each<true>(i, [&](const int*, const Vector3<Lanes>& d, Lanes r, Lanes pressure) {
      sum += d * (pairs.kernel.gradient_factor(r) * (own + pressure));
    });
    const Vec3 fluid{sum_of_lanes(sum.x), sum_of_lanes(sum.y), sum_of_lanes(sum.z)};
    Vec3 a = -mobility[i] * pairs.volume * fluid;
    const Quad& at_wall = wall[i];
    if (at_wall.w < 1) {
      a -= (2 * mobility[i] * own_pressure) * Vec3{at_wall.x, at_wall.y, at_wall.z};
      a = corrected_at_walls(walls, fill, pairs.place(i), a);
    }
    acceleration[i] = {a.x, a.y, a.z, 0};
  }
};

struct PressureResiduals {
  double error;   ///< sum of residuals above 0
  double uphill;  ///< sum of A_ii (y - p')(p' - p)
  MERGANSER_METHOD static PressureResiduals identity() { return {0, 0}; }
  MERGANSER_METHOD static PressureResiduals combine(const PressureResiduals& a, const PressureResiduals& b) {
    return {a.error + b.error, a.uphill + b.uphill};
  }
};

/// Jacobi step with momentum, held at p >= 0. With pressures y, their accelerations a and the source b:
///   r_i  = b_i + dt^2 D_i a(y)                   what is left of the compression,
///   p'_i = max(0, y_i + omega r_i/(dt^2 A_ii))   (Bender & Koschier 2017, alg. 3 and 4, with relaxation),
///   y'_i = max(0, p'_i + beta (p'_i - p_i))      (Nesterov 1983), beta = k/(k + 3),
/// where k starts again from 0 when the steps turn against the momentum (O'Donoghue & Candes 2015, gradient
/// scheme).
template <class Kernel>
struct PressureUpdate {
  static constexpr const char* name = "dfsph pressure update";
  using Value = PressureResiduals;
  RowPairs<Kernel> pairs;
  View<PressureState> state;
  View<const Quad> acceleration;       ///< [m/s^2] by the pressures y
  View<const float> source;            ///< b
  View<const float> inverse_diagonal;  ///< 1/A_ii [Pa s^2], 0 = takes no part
  View<const Quad> wall;               ///< G and 1 - lambda
  float relaxation;                    ///< omega
  int count;
  View<float> pressure;  ///< p [Pa], updated
  View<Quad> position;   ///< w = y [Pa], updated: those that `pairs` reads without w

  MERGANSER_METHOD Value operator()(int i) const {
    if (!state[0].active || !(inverse_diagonal[i] > 0)) return Value::identity();
    const float dt = state[0].dt;
    const Quad& a = acceleration[i];
    const Quad& at_wall = wall[i];
    const float rate =
        compression_rate(pairs, acceleration, i) + a.x * at_wall.x + a.y * at_wall.y + a.z * at_wall.z;
    const float residual = source[i] + dt * dt * rate;
    const float before = pressure[i], y = position[i].w;
    const float stepped = y + relaxation * inverse_diagonal[i] * residual / (dt * dt);
    const float next = stepped > 0 ? stepped : 0.0f;
    const float ahead = next + state[0].momentum * (next - before);
    pressure[i] = next;
    position[i].w = ahead > 0 ? ahead : 0.0f;
    return {residual > 0 ? double(residual) : 0.0,
            double(y - next) * double(next - before) / double(inverse_diagonal[i])};
  }
  MERGANSER_METHOD static Value identity() { return Value::identity(); }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) { return Value::combine(a, b); }
  MERGANSER_METHOD void finish(const Value& sum) const {
    state[0].iterated(sum.error / count, sum.uphill > 0);
  }
};

MERGANSER_END
