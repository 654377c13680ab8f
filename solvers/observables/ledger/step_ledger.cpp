#include "solvers/observables/ledger/step_ledger.h"

#include "solvers/core/advance.h"

MERGANSER_BEGIN

namespace {

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
    if (held.holds(i)) {
      exchange.give(-m * (to_double(particles.velocity[i]) + dt * gravity), end);
    } else {
      const Vec3d start = to_double(group < 0 ? particles.velocity[i] : held.groups.velocity[group]);
      exchange.integration = 0.5 * m * norm_squared(end - start);
    }
    exchange.integration += m * dot(gravity, way - dt * end);
    return exchange;
  }
};

/// The second half: m v_after. One index a group.
struct CarriedExchange {
  static constexpr const char* name = "ledger: carried members";
  ParticleConstView particles;
  MetaParticleView groups;
  MERGANSER_METHOD StepExchange operator()(int group) const {
    StepExchange exchange;
    if (groups.inverse_mass[group] > 0) return exchange;
    for (int k = groups.first[group]; k < groups.first[group + 1]; ++k) {
      const int i = groups.member[k];
      if (particles.inverse_mass[i] > 0)
        exchange.give(double(particles.mass[i]) * to_double(particles.velocity[i]),
                      to_double(groups.velocity[group]));
    }
    return exchange;
  }
};
/// The same with one index a member, for the GPU: groups may be as large as a body.
struct CarriedMember {
  static constexpr const char* name = "ledger: carried members";
  ParticleConstView particles;
  MetaParticleView groups;
  MERGANSER_METHOD StepExchange operator()(int k) const {
    StepExchange exchange;
    const int i = groups.member[k], group = groups.group_of[i];
    if (group < 0 || groups.inverse_mass[group] > 0 || !(particles.inverse_mass[i] > 0)) return exchange;
    exchange.give(double(particles.mass[i]) * to_double(particles.velocity[i]),
                  to_double(groups.velocity[group]));
    return exchange;
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

void StepLedger::after_split(const StepContext& step, const MetaParticleView& groups) {
  any_groups_ = groups.group_count > 0;
  if (!any_groups_) return;
  if (MERGANSER_GPU_HALF)
    carried_.run(groups.member.count, sum_of(CarriedMember{step.particles.const_view(), groups}));
  else
    carried_.run(groups.group_count, sum_of(CarriedExchange{step.particles.const_view(), groups}));
}

StepExchange StepLedger::exchange() const {
  StepExchange exchange = inertia_.fetched();
  if (any_groups_) exchange += carried_.fetched();
  return exchange;
}

MERGANSER_END
