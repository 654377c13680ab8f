#pragma once
/// Force on a whole body: the change of its momentum in a step beyond gravity's.
///
/// What a body's held particles, pinned or with a prescribed motion, get in a step. An infinite mass takes
///
///   J_i                        from the rest of its own system (HeldImpulses), and from the rest of theirs
///                              for particles that merging has put into one group with it;
///   m (v + dt g) before the step, less m v after it, of those: it carries them.
///
/// A group with several held particles is held by the first of them.
#include "device/reduce.h"
#include "solvers/core/discarded_work.h"

MERGANSER_BEGIN

/// Linear and angular impulse [N s], [N m s].
struct ForceImpulse {
  Vec3d linear{0, 0, 0}, angular{0, 0, 0};
  MERGANSER_METHOD friend ForceImpulse operator+(const ForceImpulse& a, const ForceImpulse& b) {
    return {a.linear + b.linear, a.angular + b.angular};
  }
  MERGANSER_METHOD friend ForceImpulse operator-(const ForceImpulse& a, const ForceImpulse& b) {
    return {a.linear - b.linear, a.angular - b.angular};
  }
};

/// Per group its first immobile member, -1 where it has none. One index a group.
struct FindHolders {
  static constexpr const char* name = "probe: holders of groups";
  MetaParticleView groups;
  View<const float> inverse_mass;
  View<int> holder;  ///< written
  MERGANSER_METHOD void operator()(int g) const {
    holder[g] = -1;
    if (groups.inverse_mass[g] > 0) return;
    for (int k = groups.first[g]; k < groups.first[g + 1]; ++k) {
      const int i = groups.member[k];
      if (inverse_mass[i] > 0) continue;
      holder[g] = i;
      return;
    }
  }
};

/// Sum over the particles that are asked for and all that these hold.
struct SumHeldForce {
  static constexpr const char* name = "probe: force";
  using Value = ForceImpulse;
  HeldParticles held;
  View<const int> holder;  ///< per group
  View<const char> asked;  ///< 1 for the ids of held particles that count
  ParticleConstView particles;
  View<const Vec3> impulse;  ///< [N s] J, per particle; empty: after the split
  Vec3d gravity, point;      ///< [m/s^2]; [m] that the angular impulse is about
  double dt;                 ///< [s]
  MERGANSER_METHOD ForceImpulse operator()(int i) const {
    const bool carried = particles.inverse_mass[i] > 0;
    const int group = held.group(i);
    const int by = !carried ? i : group >= 0 ? holder[group] : -1;
    if (by < 0 || particles.id[by] >= asked.count || !asked[particles.id[by]]) return {};
    const double m = particles.mass[i];
    const Vec3d v = to_double(particles.velocity[i]);
    Vec3d given{0, 0, 0};
    if (impulse.empty())
      given = carried ? -m * v : given;
    else
      given = to_double(impulse[i]) + (carried ? m * (v + dt * gravity) : given);
    return {given, cross(to_double(particles.position[i]) - point, given)};
  }
  MERGANSER_METHOD static ForceImpulse identity() { return {}; }
  MERGANSER_METHOD static ForceImpulse combine(const ForceImpulse& a, const ForceImpulse& b) { return a + b; }
};

/// Momentum and angular momentum of a body's particles.
struct SumBodyMomentum {
  static constexpr const char* name = "probe: momentum of a body";
  using Value = ForceImpulse;
  ParticleConstView particles;
  int body;
  Vec3d point;   ///< [m] that the angular momentum is about
  Vec3d change;  ///< [m/s] added to the velocities
  MERGANSER_METHOD ForceImpulse operator()(int i) const {
    if (particles.body[i] != body || particles.system[i] < 0) return {};  // not there yet
    const Vec3d p = double(particles.mass[i]) * (to_double(particles.velocity[i]) + change);
    return {p, cross(to_double(particles.position[i]) - point, p)};
  }
  MERGANSER_METHOD static ForceImpulse identity() { return {}; }
  MERGANSER_METHOD static ForceImpulse combine(const ForceImpulse& a, const ForceImpulse& b) { return a + b; }
};

MERGANSER_END
