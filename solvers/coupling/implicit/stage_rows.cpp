#include "solvers/coupling/implicit/stage_rows.h"

#include "device/launch.h"

MERGANSER_BEGIN

void StageRows::prepare(const StepContext& step, const MetaParticleView& groups, Range range,
                        Unknowns unknowns, double air_damping) {
  range_ = range;
  rows_.representative.resize(range.count);
  rows_.mass.resize(range.count);
  rows_.start.resize(range.count);
  effective_mass_.resize(range.count);
  const int count = groups_to_launch(groups.group_count);
  own_begin_.resize(count);
  own_end_.resize(count);
  launch(count, FindOwnMembers{
                    .groups = groups, .range = range, .begin = own_begin_.view(), .end = own_end_.view()});
  own_ = {.begin = own_begin_.view(),
          .end = own_end_.view(),
          .member = groups.member.data,
          .first_particle = range.first};
  const bool shared = unknowns == Unknowns::meta_particles;
  launch(range.count, PrepareRows{.particles = step.particles.const_view(),
                                  .groups = groups,
                                  .first_particle = range.first,
                                  .dt = float(step.dt),
                                  .air_damping = float(air_damping),
                                  .implicit = shared,
                                  .representative = rows_.representative.view(),
                                  .mass = rows_.mass.view(),
                                  .effective_mass = effective_mass_.view(),
                                  .start = rows_.start.view()});
  if (shared) launch_group_sums(count, NameRepresentatives{{own_}, rows_.representative.view()});
}

void StageRows::guess_changed_groups(const StepContext& step, View<Vec3> change, View<int> distance) const {
  launch_group_sums(own_.begin.count, GuessChangedGroups{.own = own_,
                                                         .before = rows_before_.view(),
                                                         .now = rows_.view(),
                                                         .gravity = step.gravity,
                                                         .dt = float(step.dt),
                                                         .change = change,
                                                         .distance = distance});
}

void StageRows::average(View<Vec3> rows) const {
  launch_group_sums(own_.begin.count, AverageGroupRows{own_, effective_mass(), rows});
}

void StageRows::write_end_velocity(const StepContext& step, const MetaParticleView& groups,
                                   View<const Vec3> change, View<Vec3> end_velocity) const {
  launch(range_.count, WriteEndVelocity{.groups = groups,
                                        .first_particle = range_.first,
                                        .gravity = step.gravity,
                                        .dt = float(step.dt),
                                        .representative = representative(),
                                        .start = start(),
                                        .change = change,
                                        .end_velocity = end_velocity});
}

MERGANSER_END
