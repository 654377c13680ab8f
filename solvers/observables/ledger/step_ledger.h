#pragma once
/// Entries of the particles themselves in the step's ledger, whatever their systems: inertia and members that
/// are carried by an immobile one. See README.md for the equations.
#include "device/reduce.h"
#include "solvers/core/discarded_work.h"

MERGANSER_BEGIN

class StepLedger {
 public:
  /// Before positions advance with `end_velocity`; the store holds the beginning of the step.
  void before_advance(const StepContext& step, const MetaParticleView& groups, View<const Vec3> end_velocity);
  /// After groups have split, before walls act.
  void after_split(const StepContext& step, const MetaParticleView& groups, View<const Vec3> end_velocity);
  /// Of this step, as of the last fetch_results().
  StepExchange exchange() const;

 private:
  Reduction<StepExchange> inertia_, members_;
  bool any_groups_ = false;
};

MERGANSER_END
