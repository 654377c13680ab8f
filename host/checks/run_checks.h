#pragma once
/// The checks of a scene, evaluated over the rows of statistics as they come.
#include <limits>
#include <string>
#include <vector>

#include "host/checks/check_quantities.h"

namespace merganser {

/// A check's verdict on the steps so far.
struct CheckResult {
  CheckParameters parameters;
  const CheckType* type;  ///< never null
  bool passed = true;
  double value = 0;    ///< compared with the limit; its meaning depends on the type
  long long step = 0;  ///< at which the value was reached
  /// noCrossing, reportCrossings: particles that the counter follows, and those of them that crossed.
  long long followed = 0, crossed = 0;
};

/// "Greatest" of what is not measured in every step (simulation.statisticsInterval) is that of the rows.
class RunChecks {
 public:
  /// `mass` [kg] of all mobile particles, for momentumDrift. Throws InputError for a type that is not among
  /// `types`, which must live as long.
  RunChecks(const std::vector<CheckParameters>& parameters, double mass,
            const std::vector<CheckType>& types = check_types());
  /// After every step, with a row or without.
  void observe(const StepStatistics& row);
  /// The first type that speaks of every step: a run with one of them writes a row a step. "" where there is
  /// none.
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
  struct State {
    CheckResult result;
    std::string column;
    double whole = 0;                                      ///< greatest of CheckType::share_of
    double low = std::numeric_limits<double>::infinity();  ///< CheckType::swing
    double high = -std::numeric_limits<double>::infinity();
  };
  void observe(State& check, const StepStatistics& row) const;
  /// False where a value of a probe does not change the result.
  static bool take_probe(State& check, const StepStatistics& row, double& value);
  std::vector<State> checks_;
  CheckHistory history_;
};

}  // namespace merganser
