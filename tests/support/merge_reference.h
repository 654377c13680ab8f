#pragma once
/// Slow, literal double-precision forms of [MS] eq. 8-19 to check the closed forms against.
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "device/vector_math.h"

MERGANSER_BEGIN

struct ReferenceSplit {
  Vec3d v1, v2;
  bool has_roots;
};

/// Eq. 11-16 as written in the paper, finite masses; n need not be a unit vector.
inline ReferenceSplit reference_split(double m1, double m2, const Vec3d& v1, const Vec3d& n, const Vec3d& v12,
                                      double energy) {
  const double m12 = m1 + m2;
  const double s2 = 2 * energy / (m12 * (m1 / m2));  // eq. 11
  const Vec3d unit = n / norm(n);
  const double b = 2 * dot(unit, v12 - v1),
               c = norm_squared(v12 - v1) - s2;  // eq. 13 with eps = 0: mu^2 - b mu + c = 0
  const double discriminant = b * b - 4 * c;
  double mu;
  Vec3d epsilon{0, 0, 0};
  if (discriminant >= 0) {
    mu = (b - std::sqrt(discriminant)) / 2;
  } else {
    mu = dot(unit, v12 - v1);  // eq. 15
    const Vec3d w = v12 - v1 - mu * unit;
    epsilon = (1 - std::sqrt(s2) / norm(w)) * w;  // eq. 16
  }
  const Vec3d after1 = v1 + mu * unit + epsilon;                              // eq. 12
  return {after1, (m12 / m2) * v12 - (m1 / m2) * after1, discriminant >= 0};  // eq. 8
}

/// A member as its system returns it: v_hat [m/s]. Members of one integrator share its number.
struct ReferenceMember {
  double mass;
  int integrator;
  Vec3d returned;
};
struct ReferenceSynchronization {
  Vec3d velocity;     ///< [m/s] v'
  double integrated;  ///< [J] eq. 18 less the kinetic energy of eq. 17
  double step_lost;   ///< [J] of the whole step: kinetic energy and work of the impulses
  double energy() const { return std::min(integrated, step_lost); }
};

/// A group with the velocity V at the beginning and V* in free flight. Every integrator's impulse, the
/// velocity that [MS] would see (the whole mass moved by that impulse alone), eq. 17 and 18 of these; v' with
/// all impulses, and the work that all of them and gravity do over it.
inline ReferenceSynchronization reference_synchronize(const std::vector<ReferenceMember>& members,
                                                      const Vec3d& start, const Vec3d& free) {
  double whole = 0;
  std::map<int, double> mass;
  std::map<int, Vec3d> impulse;
  for (const ReferenceMember& member : members) {
    whole += member.mass;
    mass[member.integrator] += member.mass;
    impulse.try_emplace(member.integrator, Vec3d{0, 0, 0});
    impulse[member.integrator] += member.mass * (member.returned - free);
  }
  ReferenceSynchronization result{free, 0, 0};
  Vec3d average{0, 0, 0}, all = whole * (free - start);
  for (const auto& [k, j] : impulse) {
    const Vec3d alone = free + j / whole;
    average += (mass[k] / whole) * alone;                      // eq. 17
    result.integrated += 0.5 * mass[k] * norm_squared(alone);  // eq. 18
    result.velocity += j / whole;
    all += j;
  }
  result.integrated -= 0.5 * whole * norm_squared(average);  // eq. 19
  const double gained = 0.5 * whole * (norm_squared(result.velocity) - norm_squared(start));
  result.step_lost = dot(all, result.velocity) - gained;
  return result;
}

MERGANSER_END
