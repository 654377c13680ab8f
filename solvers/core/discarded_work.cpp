#include "solvers/core/discarded_work.h"

MERGANSER_BEGIN

DiscardedWork discarded_work(const StepContext& step, const MetaParticleView& groups,
                             View<const Vec3> end_velocity) {
  return {.held = {step.particles.inverse_mass.const_view(), groups},
          .mass = step.particles.mass.const_view(),
          .velocity = step.particles.velocity.const_view(),
          .end_velocity = end_velocity,
          .free_change = step.dt * to_double(step.gravity)};
}

MERGANSER_END
