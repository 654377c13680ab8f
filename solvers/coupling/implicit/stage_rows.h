#pragma once
/// The rows of a stage, one a particle, and the groups whose members share unknowns: for every system that
/// integrates meta-particles by rows.
#include "solvers/coupling/implicit/reduced_unknowns.h"

MERGANSER_BEGIN

class StageRows {
 public:
  /// Who moves as one: the members of a group, with the group's whole mass, or each particle by itself.
  enum class Unknowns { meta_particles, particles };
  /// Rows of the particles `range` as the groups are now; air damping [1/s].
  void prepare(const StepContext& step, const MetaParticleView& groups, Range range, Unknowns unknowns,
               double air_damping = 0);
  /// Keeps the rows as those of the first stage; before the second prepare() of a step.
  void keep() { std::swap(rows_, rows_before_); }
  /// See GuessChangedGroups; after keep() and prepare(). `distance`: empty where nobody asks.
  void guess_changed_groups(const StepContext& step, View<Vec3> change, View<int> distance) const;
  /// Members of a group get the average of their rows, weighted by effective mass.
  void average(View<Vec3> rows) const;
  /// What the system returns, see WriteEndVelocity; `change` [m/s]: the solution.
  void write_end_velocity(const StepContext& step, const MetaParticleView& groups, View<const Vec3> change,
                          View<Vec3> end_velocity) const;

  Range range() const { return range_; }
  const OwnMembersView& own() const { return own_; }
  View<const int> representative() const { return rows_.representative.const_view(); }
  View<const Vec3> start() const { return rows_.start.const_view(); }  ///< [m/s]
  View<float> mass() { return rows_.mass.view(); }                     ///< [kg]
  View<const float> mass() const { return rows_.mass.const_view(); }
  View<float> effective_mass() { return effective_mass_.view(); }  ///< [kg], 0 = fixed row
  View<const float> effective_mass() const { return effective_mass_.const_view(); }
  SolveRows all() const { return {.representative = representative(), .count = range_.count, .reach = {}}; }

 private:
  struct Rows {
    Array<int> representative;
    Array<float> mass;
    Array<Vec3> start;
    RowsView view() const { return {representative.view(), mass.view(), start.view()}; }
  };
  Range range_{0, 0};
  Rows rows_, rows_before_;         ///< of this stage and of the first
  Array<float> effective_mass_;     ///< [kg] of this stage
  Array<int> own_begin_, own_end_;  ///< per group
  OwnMembersView own_{};
};

MERGANSER_END
