#include "solvers/observables/ledger/step_ledger.h"

#include "solvers/core/advance.h"

MERGANSER_BEGIN

namespace {

/// m (h.(v - V) + (h^2 - H^2)/2) [J] of a member with the half kick h, that of its group H, its velocity v
/// and V of its group: what its share of the group's inner energy is larger with half kicks (METHOD.md,
/// "Half a step behind").
MERGANSER_FN double half_kick_energy(const MetaParticleView& groups, int group, double m, int i,
                                     const Vec3& v, const Vec3d& of_group) {
  const Vec3d h = to_double(groups.half_kick[i]), whole = to_double(groups.group_half_kick[group]);
  return m * (dot(h, to_double(v) - of_group) + 0.5 * (norm_squared(h) - norm_squared(whole)));
}

/// Backward and symplectic Euler lose m |v' - v|^2/2 of every free particle (members: v is the group's
/// velocity). A carried member starts with v and has the velocity v' of what holds it: the first half of the
/// impulse m (v_after - v - dt g) that it is given. Positions are rounded when they advance: what gravity
/// does over that part of the way belongs to the time integration, too.
struct InertiaExchange {
  static constexpr const char* name = "ledger: inertia";
  HeldParticles held;
  ParticleConstView particles;
  View<const Vec3> end_velocity;
  double dt;      ///< [s]
  Vec3d gravity;  ///< [m/s^2]
  MERGANSER_METHOD StepExchange operator()(int i) const {
    StepExchange exchange;
    if (!(particles.inverse_mass[i] > 0)) return exchange;
    const double m = particles.mass[i];
    const Vec3 x = particles.position[i];
    const Vec3d way = to_double(advanced(x, end_velocity[i], float(dt))) - to_double(x);
    const Vec3d end = to_double(end_velocity[i]);
    const int group = held.group(i);
    if (group >= 0 && !held.groups.half_kick.empty())
      exchange.integration = -half_kick_energy(held.groups, group, m, i, particles.velocity[i],
                                               to_double(held.groups.velocity[group]));
    if (held.holds(i)) {
      exchange.give(-m * (to_double(particles.velocity[i]) + dt * gravity), end);
    } else {
      const Vec3d start = to_double(group < 0 ? particles.velocity[i] : held.groups.velocity[group]);
      exchange.integration += 0.5 * m * norm_squared(end - start);
    }
    exchange.integration += m * dot(gravity, way - dt * end);
    return exchange;
  }
};

/// Of a member after the split: where it is carried, the second half of that impulse, m v_after; where its
/// velocity is half a step behind, half_kick_energy().
struct SplitMember {
  ParticleConstView particles;
  MetaParticleView groups;
  View<const Vec3> end_velocity;  ///< [m/s] v'
  MERGANSER_METHOD StepExchange operator()(int i, int group) const {
    StepExchange exchange;
    if (!(particles.inverse_mass[i] > 0)) return exchange;
    const double m = particles.mass[i];
    if (!(groups.inverse_mass[group] > 0))
      exchange.give(m * to_double(particles.velocity[i]), to_double(groups.velocity[group]));
    if (!groups.half_kick.empty())
      exchange.integration =
          half_kick_energy(groups, group, m, i, particles.velocity[i], to_double(end_velocity[i]));
    return exchange;
  }
};

/// One index a group.
struct SplitByGroup {
  static constexpr const char* name = "ledger: split members";
  SplitMember member;
  MERGANSER_METHOD StepExchange operator()(int group) const {
    StepExchange exchange;
    const MetaParticleView& groups = member.groups;
    if (groups.inverse_mass[group] > 0 && groups.half_kick.empty()) return exchange;
    for (int k = groups.first[group]; k < groups.first[group + 1]; ++k)
      exchange += member(groups.member[k], group);
    return exchange;
  }
};
/// One index a member, for the GPU: groups may be as large as a body.
struct SplitByMember {
  static constexpr const char* name = "ledger: split members";
  SplitMember member;
  MERGANSER_METHOD StepExchange operator()(int k) const {
    const int i = member.groups.member[k], group = member.groups.group_of[i];
    return group < 0 ? StepExchange{} : member(i, group);
  }
};

}  // namespace

void StepLedger::before_advance(const StepContext& step, const MetaParticleView& groups,
                                View<const Vec3> end_velocity) {
  inertia_.run(step.particles.count(),
               sum_of(InertiaExchange{.held = {step.particles.inverse_mass.const_view(), groups},
                                      .particles = step.particles.const_view(),
                                      .end_velocity = end_velocity,
                                      .dt = step.dt,
                                      .gravity = to_double(step.gravity)}));
}

void StepLedger::after_split(const StepContext& step, const MetaParticleView& groups,
                             View<const Vec3> end_velocity) {
  any_groups_ = groups.group_count > 0;
  if (!any_groups_) return;
  const SplitMember member{step.particles.const_view(), groups, end_velocity};
  if (MERGANSER_GPU_HALF)
    members_.run(groups.member.count, sum_of(SplitByMember{member}));
  else
    members_.run(groups.group_count, sum_of(SplitByGroup{member}));
}

StepExchange StepLedger::exchange() const {
  StepExchange exchange = inertia_.fetched();
  if (any_groups_) exchange += members_.fetched();
  return exchange;
}

MERGANSER_END
