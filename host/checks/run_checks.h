#pragma once
/// The checks of a scene, evaluated over the rows of statistics as they come.
#include <string>
#include <vector>

#include "host/scene/scene.h"
#include "host/simulation/simulation.h"

namespace merganser {

/// A check's verdict on the steps so far.
struct CheckResult {
  CheckParameters parameters;
  bool passed = true;
  double value = 0;    ///< compared with the limit; its meaning depends on the type
  long long step = 0;  ///< at which the value was reached
  /// noCrossing, reportCrossings: particles that the counter follows, and those of them that crossed.
  long long followed = 0, crossed = 0;
};

/// The value of each type, and when it passes; "greatest" of what is not measured in every step
/// (simulation.statisticsInterval) is that of the rows:
/// - noCrossing: passages through the sheet counted; 0. reportCrossings: the same; always.
/// - energyRise: greatest rise of kinetic + potential + elastic energy in a step, less what emitters brought,
///   as a share of the greater kinetic energy before and after it; at most the limit.
/// - maxSpeed: greatest speed [m/s]; at most the limit.
/// - momentumDrift: greatest |P - P_first step| / max sqrt(2 M E_kin), the largest momentum that the mass M
/// can
///   have at that energy; at most the limit.
/// - energyLedger: greatest |energy_residual| / greatest kinetic + elastic energy of the rows so far; at most
///   the limit. What the ledger does not know (solvers/observables/ledger/README.md) counts as residual.
/// - finite: steps with a number that is not finite; 0.
/// - reportRebound: potential energy regained since its lowest [J]; always.
/// - breaks: broken share of the bonds; at least the limit.
/// - returnsToShape: mean distance of a body's particles from its rest shape, relative to its size, at the
/// end.
/// - travels: greatest distance of a body's centre from its start [m]; at least the limit.
/// - overlapBeforeBreak: deepest overlap of two particles as a share of their radii's sum while no bond is
/// broken;
/// - sameMotion: greatest deviation of a body's particles from their copies', in smoothing lengths; at most
/// the
///   limit.
/// - noLinks: greatest number of topological links between two bodies; 0.
class Checks {
 public:
  /// `mass` [kg] of all mobile particles, for momentumDrift. Throws InputError for an unknown type.
  Checks(std::vector<CheckParameters> parameters, double mass);
  /// After every step. One without a row shows its speed only.
  void observe(const StepStatistics& row);
  /// Types that speak of every step: of energyRise, energyLedger and overlapBeforeBreak. A run with one of
  /// them writes a row a step. "" where there is none.
  std::string wants_every_step() const;
  std::vector<CheckResult> results() const;
  /// "check energyRise FAILED: ..." for a result; "crossings of water through sheet: 3" where it only
  /// reports.
  static std::string describe(const CheckResult& result);
  /// True for the types that measure and never fail.
  static bool only_reports(const CheckResult& result);
  /// What describe says of every check that has failed, "; " between them; empty where none has.
  static std::string failures(const std::vector<CheckResult>& results);

  void save(StateArchive& archive) const;
  void load(const StateArchive& archive);

 private:
  double measure(const CheckParameters& check, const StepStatistics& row) const;
  std::vector<CheckResult> results_;
  double mass_;                   ///< [kg]
  Point3 first_momentum_{};       ///< [kg m/s]
  double greatest_momentum_ = 0;  ///< [kg m/s] max sqrt(2 M E_kin)
  double greatest_drift_ = 0;     ///< [kg m/s]
  double greatest_energy_ = 0;    ///< [J] kinetic + elastic
  double greatest_residual_ = 0;  ///< [J] of the energy ledger
  double previous_kinetic_ = 0;   ///< [J]
  double previous_total_ = 0;     ///< [J]
  double lowest_potential_ = 0;   ///< [J]
  long long rows_ = 0;
};

}  // namespace merganser
