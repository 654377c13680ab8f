#pragma once
/// Exchange of springs with the energy and momentum of a step. See
/// solvers/observables/ledger/README.md.
#include "solvers/core/discarded_work.h"
#include "solvers/coupling/implicit/contact_walls.h"
#include "solvers/methods/mass_spring/spring_lists.h"

MERGANSER_BEGIN

/// With the linearization's n, K and C (see LinearizeSprings), w = v'_j - v'_i, the relative velocity at the
/// end of the step, a = dt n.w and c the displacement along and across the spring, e = L - L0 before and e +
/// a + s after it, s = |d + dt w| - L - a:
///   integration   the spring's impulse takes k (e a + a^2 + solved c^2) from the motion, k = solved / (1 -
///   L0/L)
///                 being K's transverse part, and its energy grows by k ((e + a + s)^2 - e^2)/2; once a
///                 spring. Less what the solve left undone (DiscardedWork)
///   damping       dt w.C w, once a spring; dt a m |v'|^2 of air
///   held i        is given -J_i, J_i = dt sum_j (k (L - L0) n + (dt K + C) w), and does the work -J_i.v'_i
///   air           gives -dt a m v'
///   walls         ContactWallEntries
/// The store holds the beginning of the step.
struct SpringExchange {
  static constexpr const char* name = "mass-spring ledger";
  DiscardedWork discarded;
  int first_particle;
  View<const Vec3> position, end_velocity;  ///< [m], [m/s], local indices
  View<const float> mass;                   ///< [kg], local indices
  SpringListView springs;
  ContactWallEntries contact_walls;
  float dt, spring_damping, air_damping;  ///< [s], [s], [1/s]
  MERGANSER_METHOD StepExchange operator()(int i) const {
    const Vec3 xi = position[i], vi = end_velocity[i];
    double kept = 0, lost = 0;
    Vec3 force{0, 0, 0};
    for (int s = springs.first[i], end = springs.first[i + 1]; s < end; ++s) {
      const int j = springs.neighbor[s];
      const float k = springs.stiffness[s], rest = springs.rest_length[s];
      const Vec3 d = position[j] - xi, w = end_velocity[j] - vi;
      const float length = norm(d), inverse_length = length > 0 ? 1 / length : 0.0f;
      const float solved = length > 0 || rest == 0 ? most_of(1 - rest * inverse_length, 0.0f) : 0.0f;
      const Vec3 n = inverse_length * d;
      const float along = dot(n, w);
      const Vec3 across = w - along * n;
      force += k * ((length - rest + (dt + spring_damping) * along) * n + dt * solved * across);
      if (j < i) continue;  // the rest was entered at its other end
      const float a = dt * along, c_squared = dt * dt * norm_squared(across);
      const float bent = c_squared > 0 ? c_squared / (norm(d + dt * w) + fabsf(length + a)) : 0.0f;
      const float s_turned = length + a < 0 ? bent - 2 * (length + a) : bent;
      kept += k * (0.5f * a * a + solved * c_squared - (length - rest + a + 0.5f * s_turned) * s_turned);
      lost += k * along * along;
    }
    StepExchange exchange;
    const Vec3d v = to_double(vi);
    Vec3d impulse = double(dt) * to_double(force);
    exchange.integration = kept;
    exchange.damping = double(dt) * spring_damping * lost;
    if (discarded.held.holds(first_particle + i)) {
      exchange.give(-impulse, v);
      return exchange;
    }
    if (air_damping > 0) {
      const double drag = double(dt) * air_damping * mass[i];
      exchange.damping += drag * norm_squared(v);
      exchange.impulse = -drag * v;
      impulse -= drag * v;
    }
    impulse += contact_walls.add_to(exchange, i, v);
    exchange.integration -= discarded(first_particle + i, impulse);
    return exchange;
  }
};

MERGANSER_END
