#pragma once
/// One iteration of a pressure solve: accelerations by the pressures, then what they leave of the source.
#include "solvers/methods/dfsph/factors.h"
#include "solvers/methods/dfsph/head_at_rest.h"

MERGANSER_BEGIN

/// Bounds on the greatest eigenvalue of D^-1 A, D its diagonal. A lattice has 3.2 with the cubic spline.
inline constexpr float least_stiffness = 2, most_stiffness = 16;

/// What the iterations of a solve know, on the device.
struct PressureState {
  float dt;        ///< [s]
  float momentum;  ///< share of the last change that the next pressures go on by
  float stiffest;  ///< greatest eigenvalue of A_ii^-1 A seen so far
  int since_restart;
  int iterations;  ///< done
  int active;      ///< 1: the next iteration changes something
  int min_iterations, max_iterations;
  int tolerance_met;
  double tolerance;  ///< of the mean residual
  double error;      ///< mean residual of the last iteration's pressures
  float level;       ///< [Pa] see PressureUpdate; of the last solve until this one has iterated
  bool any_sign;     ///< pressures may be below 0; their mean presses nothing, that of the residual stays
  float mean_pressure, mean_residual;  ///< [Pa], of the last iteration; 0 where they do not count

  /// After an iteration with the mean residual `mean`; `turned`: the last change went uphill; `stiffness`: a
  /// Rayleigh quotient; `low` [Pa]: the level.
  MERGANSER_METHOD void iterated(double mean, bool turned, float stiffness, float low) {
    if (!active) return;
    error = mean;
    level = low;
    ++iterations;
    tolerance_met = mean <= tolerance;
    active = iterations < min_iterations || (!tolerance_met && iterations < max_iterations);
    const bool stiffer = stiffness > stiffest && stiffest < most_stiffness;
    if (stiffer) stiffest = stiffness < most_stiffness ? stiffness : most_stiffness;
    since_restart = turned || stiffer ? 0 : since_restart + 1;
    momentum = static_cast<float>(since_restart) / static_cast<float>(since_restart + 3);
  }
};

struct StartPressureState {
  static constexpr const char* name = "dfsph start state";
  PressureState start;
  View<PressureState> state;
  MERGANSER_METHOD void operator()(int i) const {
    const float stiffest = 0.9f * state[i].stiffest, level = state[i].level;
    state[i] = start;
    state[i].level = level;
    state[i].stiffest = stiffest > start.stiffest ? stiffest : start.stiffest;
  }
};

/// Share of the smooth part of what the last solve changed that the next one starts from: of fluid at rest,
/// and the more per spacing that a step moves a particle; 1 from a twentieth of a spacing on.
inline constexpr float steady_share = 0.05f, steady_share_per_way = 20;

struct PackPressureChanges {
  static constexpr const char* name = "dfsph pack pressure changes";
  View<const float> pressure, steady;  ///< [Pa] p and s
  View<Quad> packed;                   ///< w written
  FindHeads heads = {};                ///< on the way
  MERGANSER_METHOD void operator()(int i) const {
    heads(i);
    packed[i].w = pressure[i] - steady[i];
  }
};

/// Where the density solve starts: s' = p - (1 - share) m, p the pressures of the last step and m the mean
/// over neighbors of p - s; 0 where p is. Within the tolerance a solve stops after few iterations, which
/// do nothing to the pressures of long waves; where their compression leaves it, a solve pushes until they
/// are back at its edge. A start from p would repeat that push in every step until the wave leaves at the
/// other side, and in deep water pressures swing as far as the tolerance lets them. s keeps of it what lasts.
/// In fluid that moves pressures change with it, and a start from what lasted would cost iterations.
struct FollowPressures {
  static constexpr const char* name = "dfsph follow pressures";
  View<const float> mean;     ///< [Pa] m
  View<const Vec3> velocity;  ///< [m/s]
  float per_spacing;          ///< [s/m] the time step over the spacing
  View<const PressureState> state;
  bool takes_level;      ///< see StartPressures
  View<float> steady;    ///< [Pa] s, updated; empty: nothing is done
  View<float> pressure;  ///< [Pa] p, becomes s'
  MERGANSER_METHOD void operator()(int i) const { from(i, mean[i]); }
  /// With m = `mean_change`.
  MERGANSER_METHOD void from(int i, float mean_change) const {
    if (steady.empty()) return;
    const float moving = steady_share_per_way * per_spacing * norm(velocity[i]);
    const float share = moving < steady_share ? steady_share : moving < 1 ? moving : 1.0f;
    const float level = takes_level ? state[0].level : 0.0f;
    const float p = pressure[i], next = p - level - (1 - share) * (mean_change - level);
    steady[i] = p > 0 && next > 0 ? next : 0.0f;
    pressure[i] = steady[i];
  }
};

/// The first guess of the solve's pressures, packed for the pair sums; none below 0 and none of particles
/// that take no part. Without their level, where a fluid fills all of its vessel: nothing determines it, and
/// what solves leave within their tolerance adds up in it from step to step, up to pressures that stop flows.
struct StartPressures {
  static constexpr const char* name = "dfsph start pressures";
  View<const float> inverse_diagonal;  ///< [Pa s^2], 0 = takes no part
  bool warm;                           ///< start from `pressure`, not from 0
  View<const PressureState> state;
  bool takes_level;      ///< off
  View<float> pressure;  ///< [Pa] of all, head included; updated
  View<Quad> position;   ///< w written
  HeadAtRest head = {};  ///< which the solve does not find
  MERGANSER_METHOD void operator()(int i) const {
    const float level = takes_level && !state[0].any_sign ? state[0].level : 0.0f;
    const bool starts = warm && inverse_diagonal[i] > 0 && (state[0].any_sign || pressure[i] > level);
    const float p = starts ? pressure[i] - level - head[i] : 0.0f;
    pressure[i] = inverse_diagonal[i] > 0 ? p + head[i] : 0.0f;
    position[i].w = p;
  }
};

/// a_i = -V/m_i (sum_j V (p_i + p_j) grad W_ij + 2 p_i G_i), see factors.h; p less its mean where that
/// presses nothing. And -V/m_i grad p_s of a head.
template <class Kernel>
struct PressureAcceleration {
  static constexpr const char* name = "dfsph pressure acceleration";
  RowPairs<Kernel> pairs;  ///< w of its quads is the pressure [Pa]
  View<const PressureState> state;
  View<const float> mobility;  ///< [m^3/kg] V/m_i; 0 = immobile
  View<const Quad> wall;       ///< G and 1 - lambda
  View<Quad> acceleration;     ///< [m/s^2], written
  HeadAtRest head = {};

  MERGANSER_METHOD void operator()(int i) const {
    if (!state[0].active) return;
    const float mean = state[0].mean_pressure, own_pressure = pairs.position[i].w - mean;
    const Lanes own = broadcast(own_pressure - mean);
    Vector3<Lanes> sum{};
    pairs.template for_each<true>(i, [&](const auto*, const Vector3<Lanes>& d, Lanes r, Lanes pressure) {
      sum += d * (pairs.kernel.gradient_factor(r) * (own + pressure));
    });
    const Vec3 fluid{sum_of_lanes(sum.x), sum_of_lanes(sum.y), sum_of_lanes(sum.z)};
    Vec3 a = -mobility[i] * pairs.volume * fluid;
    const Quad& at_wall = wall[i];
    a -= (2 * mobility[i] * own_pressure) * Vec3{at_wall.x, at_wall.y, at_wall.z};
    a -= (mobility[i] * head.slope(i)) * head.weight;
    acceleration[i] = {a.x, a.y, a.z, 0};
  }
};

struct PressureResiduals {
  double error;              ///< sum of residuals above 0
  double uphill;             ///< sum of A_ii (y - p')(p' - p)
  double curvature, length;  ///< dy.A dy and dy.D dy, D the diagonal of A and dy the last change of y
  double pressure, squares;  ///< [Pa], [Pa^2] sums
  float lowest;              ///< [Pa] pressure; `surface` where a particle is at a free surface
  double residual = 0;       ///< sum
  MERGANSER_METHOD static PressureResiduals identity() { return {0, 0, 0, 0, 0, 0, infinite}; }
  MERGANSER_METHOD static PressureResiduals combine(const PressureResiduals& a, const PressureResiduals& b) {
    return {a.error + b.error,
            a.uphill + b.uphill,
            a.curvature + b.curvature,
            a.length + b.length,
            a.pressure + b.pressure,
            a.squares + b.squares,
            a.lowest < b.lowest ? a.lowest : b.lowest,
            a.residual + b.residual};
  }
  /// [Pa] of the pressures of `count` particles: the least, or two standard deviations below their mean
  /// where that is more, for few particles lie below it (no more than a fifth: Cantelli); 0 where the fluid
  /// has a free surface.
  MERGANSER_METHOD float level(int count) const {
    if (!(lowest > surface && lowest < infinite)) return 0;
    const double mean = pressure / count, variance = squares / count - mean * mean;
    const double low = mean - 2 * sqrt(variance > 0 ? variance : 0.0);
    return low > lowest ? static_cast<float>(low) : lowest;
  }
  static constexpr float infinite = 1e30f, surface = -infinite;
};

/// Jacobi step with momentum, held at p >= 0. With pressures y, their accelerations a and the source b:
///   r_i  = b_i + dt^2 D_i a(y)                   what is left of the compression,
///   p'_i = max(0, y_i + r_i/(lambda dt^2 A_ii))  (Bender & Koschier 2017, alg. 3 and 4, with relaxation),
///   y'_i = max(0, p'_i + beta (p'_i - p_i))      (Nesterov 1983), beta = k/(k + 3),
/// where k starts again from 0 when the steps turn against the momentum (O'Donoghue & Candes 2015, gradient
/// scheme), and lambda is the greatest Rayleigh quotient of D^-1 A, D its diagonal, that the changes of y
/// have shown: the iteration diverges only along directions of a greater one, and those show it. The error is
/// the mean of |max(r_i, -dt^2 A_ii y_i)|, which is 0 where r_i = 0, or r_i < 0 and y_i = 0. (With r_i > 0
/// alone pressures that are too high would pass: those of the last step after a collision.) The level of the
/// pressures is about the lowest of them (PressureResiduals::level) where no particle lacks as much of its
/// density as those of a free surface. Pressures of any sign are not held at p >= 0, and r is less its mean
/// in the iteration before. With a head p_s all are held at p >= -p_s.
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
  View<const float> compression;       ///< rho/rho0 - 1
  int count;
  View<float> pressure;                      ///< p + p_s [Pa], updated
  View<float> last_pressure, last_residual;  ///< y and r of the last iteration, updated
  View<Quad> position;                       ///< w = y [Pa], updated: those that `pairs` reads without w
  HeadAtRest head = {};

  MERGANSER_METHOD Value operator()(int i) const {
    if (!state[0].active) return Value::identity();
    if (!(inverse_diagonal[i] > 0)) return {0, 0, 0, 0, 0, 0, PressureResiduals::surface};
    const float dt2 = state[0].dt * state[0].dt;
    const float diagonal = dt2 / inverse_diagonal[i];  // dt^2 A_ii
    const float relaxed = inverse_diagonal[i] / (dt2 * state[0].stiffest);
    const Quad& a = acceleration[i];
    const Quad& at_wall = wall[i];
    const float rate =
        compression_rate(pairs, acceleration, i) + 2 * (a.x * at_wall.x + a.y * at_wall.y + a.z * at_wall.z);
    const float whole = source[i] + dt2 * rate, residual = whole - state[0].mean_residual;
    const bool any_sign = state[0].any_sign;
    const float least = -head[i], before = pressure[i] + least, y = position[i].w;
    const float stepped = y + relaxed * residual;
    const float next = stepped > least || any_sign ? stepped : least;
    const float ahead = next + state[0].momentum * (next - before);
    pressure[i] = next - least;
    position[i].w = ahead > least || any_sign ? ahead : least;
    const float held = (least - y) * diagonal;  // residual that takes all of the pressure away
    const float natural = residual > held || any_sign ? residual : held;
    PressureResiduals sums = Value::identity();
    sums.error = fabs(double(natural));
    sums.uphill = double(y - next) * double(next - before) * double(diagonal);
    sums.pressure = any_sign ? ahead : next;
    sums.squares = double(next) * double(next);
    sums.residual = whole;
    sums.lowest = compression[i] < free_surface ? PressureResiduals::surface : next;
    if (state[0].iterations > 0) {
      const double change = y - last_pressure[i];
      sums.curvature = change * double(last_residual[i] - residual);
      sums.length = change * change * double(diagonal);
    }
    last_pressure[i] = y;
    last_residual[i] = residual;
    return sums;
  }
  MERGANSER_METHOD static Value identity() { return Value::identity(); }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) { return Value::combine(a, b); }
  MERGANSER_METHOD void finish(const Value& sum) const {
    if (!state[0].active) return;
    const double stiffness = sum.length > 0 ? sum.curvature / sum.length : 0;
    state[0].iterated(sum.error / count, sum.uphill > 0, static_cast<float>(stiffness), sum.level(count));
    if (!state[0].active) return;  // the means stay those of the last accelerations
    if (!state[0].any_sign) return;
    state[0].mean_residual = static_cast<float>(sum.residual / count);
    state[0].mean_pressure = static_cast<float>(sum.pressure / count);
  }
};

MERGANSER_END
