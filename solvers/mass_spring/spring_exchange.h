#pragma once
/// What springs take from and give to the energy and momentum of a step. See solvers/ledger/README.md.
#include "solvers/ledger/step_ledger.h"
#include "solvers/mass_spring/spring_lists.h"

MERGANSER_BEGIN

/// With the linearization's n, K and C (see LinearizeSprings), the relative velocity w = v'_j - v'_i of the
/// end of the step and H = k n n^T + k (1 - L0/L) (I - n n^T), the true second derivative of the energy:
///   integration   dt^2 (w.K w - w.H w/2), once a spring
///   damping       dt w.C w, once a spring; dt a m |v'|^2 of air
///   held i        is given -J_i, J_i = dt sum_j (k (L - L0) n + (dt K + C) w), and does the work -J_i.v'_i
///   air           gives -dt a m v'
/// The store holds the beginning of the step.
struct SpringExchange {
  static constexpr const char* name = "mass-spring ledger";
  HeldParticles held;
  int first_particle;
  View<const Vec3> position, end_velocity;  ///< [m], [m/s], local indices
  View<const float> mass;                   ///< [kg], local indices
  SpringListView springs;
  float dt, spring_damping, air_damping;  ///< [s], [s], [1/s]
  MERGANSER_METHOD StepExchange operator()(int i) const {
    const Vec3 xi = position[i], vi = end_velocity[i];
    const bool is_held = held.holds(first_particle + i);
    double kept = 0, lost = 0;
    Vec3 force{0, 0, 0};
    for (int s = springs.first[i], end = springs.first[i + 1]; s < end; ++s) {
      const int j = springs.neighbor[s];
      if (j < i && !is_held) continue;  // entered at its other end
      const float k = springs.stiffness[s], rest = springs.rest_length[s];
      const Vec3 d = position[j] - xi, w = end_velocity[j] - vi;
      const float length = norm(d), inverse_length = length > 0 ? 1 / length : 0.0f;
      const float taut = length > 0 || rest == 0 ? 1 - rest * inverse_length : 0.0f;
      const float solved = fmaxf(0.0f, taut);
      const Vec3 n = inverse_length * d;
      const float along = dot(n, w);
      const Vec3 across = w - along * n;
      const float across_squared = norm_squared(across);
      if (j > i) kept += k * (0.5f * along * along + (solved - 0.5f * taut) * across_squared);
      if (j > i) lost += k * along * along;
      force += k * ((length - rest + (dt + spring_damping) * along) * n + dt * solved * across);
    }
    StepExchange exchange;
    exchange.integration = double(dt) * dt * kept;
    exchange.damping = double(dt) * spring_damping * lost;
    if (is_held) {
      exchange.give(-double(dt) * to_double(force), to_double(vi));
    } else if (air_damping > 0) {
      const double drag = double(dt) * air_damping * mass[i];
      exchange.damping += drag * norm_squared(to_double(vi));
      exchange.impulse = -drag * to_double(vi);
    }
    return exchange;
  }
};

MERGANSER_END
