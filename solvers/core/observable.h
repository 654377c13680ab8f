#pragma once
/// An observable measures something of a simulation and adds it to the rows of statistics: columns, the hooks
/// by which it takes part in a step, its values, its state in checkpoints. One class in one file, and a line
/// in solvers/observables/all_observables.def.
///
///   class Hottest final : public Observable {
///     Columns columns() const override { return {{"hottest"}}; }
///     void after_step(const ObservedParts& parts, const StepContext&) override { ... reduction_.run(...); }
///     void write(const ObservedParts&, const StepOutcome&, StatisticsRow& row) const override {
///       row.set("hottest", reduction_.fetched());
///     }
///   };
///   std::unique_ptr<Observable> make_hottest(const InitialState&) { return std::make_unique<Hottest>(); }
///
/// What hooks launch comes to the host by the one fetch_results() at the end of the step.
#include <memory>
#include <string>
#include <vector>

#include "solvers/core/emission.h"
#include "solvers/core/initial_state.h"
#include "solvers/core/statistics_row.h"
#include "solvers/core/system.h"

MERGANSER_BEGIN

class MergeSplit;
class ParticleSummation;
class WallContact;

inline Point3 to_point(const Vec3d& v) { return {v.x, v.y, v.z}; }
/// [m] of each axis, 0 = open.
inline Vec3 periodic_length(const InitialState& initial) {
  const Point3& length = initial.periodic_length;
  return {float(length[0]), float(length[1]), float(length[2])};
}

/// The parts of a simulation that observables look at.
struct ObservedParts {
  ParticleStore& particles;
  const std::vector<std::unique_ptr<System>>& systems;
  MergeSplit& merge_split;
  WallContact& walls;
  /// Measured for every step: all sums where it has a row, else the largest speed.
  ParticleSummation& sums;
  Vec3 gravity;  ///< [m/s^2]
};

/// A column of checks alone for each of the values that they ask for.
inline Columns columns_for(const std::vector<MeasureRequest>& asked, Column::Kind kind = Column::number) {
  Columns columns;
  for (const MeasureRequest& request : asked)
    columns.push_back({.name = request.column, .kind = kind, .file = Column::none});
  return columns;
}

/// What is known of a step once it is done.
struct StepOutcome {
  long long step;  ///< its number, from 1
  double time;     ///< [s] at its end
  double dt;       ///< [s]
  bool second_stage;
};

class Observable {
 public:
  virtual ~Observable() = default;
  virtual Columns columns() const = 0;
  /// Whether begin() to after_fetch() are called in steps without a row, too.
  virtual bool every_step() const { return false; }

  /// Once, before the first step. May wait for the device.
  virtual void start(const ObservedParts&) {}

  // In the order of a step.
  /// What each emitter that had particles to add has added, and each kill box taken away; before every step,
  /// with a row or without.
  virtual void emitted(const ObservedParts&, const std::vector<Emission>&) {}
  /// May wait for the device.
  virtual void begin(const ObservedParts&, const StepContext&) {}
  /// Contacts are known; the store holds the beginning of the step.
  virtual void after_contacts(const ObservedParts&, const StepContext&) {}
  /// The store holds the beginning of the step, `end_velocity` [m/s] is indexed like the store.
  virtual void before_advance(const ObservedParts&, const StepContext&, View<const Vec3> /*end_velocity*/) {}
  /// Groups have split, walls have not acted yet.
  virtual void after_split(const ObservedParts&, const StepContext&, View<const Vec3> /*end_velocity*/) {}
  /// The store holds the end of the step.
  virtual void after_step(const ObservedParts&, const StepContext&) {}
  /// What was launched is known. True where the row wants to know something that was launched here: then
  /// there is one more fetch_results().
  virtual bool after_fetch(const ObservedParts&, const StepContext&) { return false; }

  /// Values that are known of every step, with a row or without.
  virtual void write_known(const ObservedParts&, const StepOutcome&, StatisticsRow&) const {}
  /// All others, of a step with a row.
  virtual void write(const ObservedParts&, const StepOutcome&, StatisticsRow&) const {}

  /// What looks but now and then looks at the store as it is, after `step` steps at `time` [s]: when a
  /// session ends and after a divergence. Blocking.
  virtual void look(const ObservedParts&, long long /*step*/, double /*time*/, bool /*diverged*/) {}
  /// What has been seen to be wrong with the run so far: a text for each kind of fault, with first step,
  /// time, place and count; "" while there is none of it.
  virtual std::vector<std::string> warnings() const { return {}; }
  /// After write(): why the run is worth nothing from here on; "" where it is not.
  virtual std::string divergence() const { return ""; }

  /// State that the following rows depend on, under the given path prefix.
  virtual void save(StateArchive&, const std::string& /*prefix*/) const {}
  virtual void load(const StateArchive&, const std::string& /*prefix*/) {}
};

MERGANSER_END
