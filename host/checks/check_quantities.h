#pragma once
/// Quantities that checks derive from the columns of rows. `history` is that before the row, but for
/// lowest_potential.
#include "host/checks/check_types.h"

namespace merganser {

/// What derived quantities know of the run besides the present row.
struct CheckHistory {
  double mass = 0;              ///< [kg] of all mobile particles
  long long rows = 0;           ///< before this one
  Point3 first_momentum{};      ///< [kg m/s] before the first step
  double lowest_potential = 0;  ///< [J] this row included
  double previous_kinetic = 0;  ///< [J]
  double previous_total = 0;    ///< [J] kinetic + potential + elastic

  void begin_row(const StepStatistics& row);
  void end_row(const StepStatistics& row);
  void save(StateArchive& archive) const;
  void load(const StateArchive& archive);
};
/// Rise of kinetic + potential + elastic energy in the step, less what emitters brought, as a share of the
/// greater kinetic energy before and after it; 0 where it is no more than what one rounding of positions to
/// float changes, a share of 2^-24 of potential and elastic energy. Before the first row: that before the
/// first step.
double energy_rise(const StepStatistics& row, const CheckHistory& history);
/// |P - P_0| [kg m/s], P_0 before the first step.
double momentum_drift(const StepStatistics& row, const CheckHistory& history);
/// sqrt(2 M E_kin) [kg m/s], the largest momentum that the mass M can have at that energy.
double largest_momentum(const StepStatistics& row, const CheckHistory& history);
/// |energy_residual| [J]: what the ledger does not know (solvers/observables/ledger/README.md), too.
double unexplained_energy(const StepStatistics& row, const CheckHistory& history);
double kinetic_and_elastic_energy(const StepStatistics& row, const CheckHistory& history);  ///< [J]
/// 1 where a number of the row is not finite, else 0.
double is_not_finite(const StepStatistics& row, const CheckHistory& history);
/// Potential energy above the lowest so far [J].
double regained_potential(const StepStatistics& row, const CheckHistory& history);
/// Broken bonds as a share of all.
double broken_share(const StepStatistics& row, const CheckHistory& history);
/// The deepest overlap while no bond is broken, else 0.
double overlap_before_break(const StepStatistics& row, const CheckHistory& history);

/// part / whole, where nothing of nothing is nothing.
double share(double part, double whole);

}  // namespace merganser
