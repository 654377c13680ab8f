#pragma once
/// A probe: numbers that a scene wants to be measured at a rate of its own. One class in one file, a
/// line in all_probes.def and its keys in solvers/core/probe_parameters.cpp.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/scan.h"
#include "solvers/core/fluid_fields.h"
#include "solvers/core/observable.h"

MERGANSER_BEGIN

/// Pressures and densities of fluids, written once a step however many probes ask.
class ProbedFields {
 public:
  /// Before a step's probes measure: fields of the step before are not known any more.
  void forget() { known_.clear(); }
  /// One a particle of the system, see FluidFields.
  View<const float> of(FluidField field, const ObservedParts& parts, int system);

 private:
  std::map<std::pair<FluidField, int>, Array<float>> fields_;
  std::vector<std::pair<FluidField, int>> known_;
};

/// What probes compute with in their turn.
struct ProbeScratch {
  Array<int> flags, selected, count, offsets;
  Scratch bytes;
};

/// What a probe sees at the end of a step.
struct ProbedStep {
  const ObservedParts& parts;
  const StepContext& step;
  ProbedFields& fields;
  ProbeScratch& scratch;
  bool due;  ///< its values are wanted
};

class Probe {
 public:
  virtual ~Probe() = default;
  /// Whether begin() to fetched() are called in steps where it is not due, too.
  virtual bool every_step() const { return false; }
  /// Once, before the first step. May wait for the device.
  virtual void start(const ObservedParts&) {}
  /// The store holds the beginning of the step; nothing has changed a velocity yet.
  virtual void begin(const ObservedParts&, const StepContext&) {}
  /// The store holds the places of the beginning of the step, `end_velocity` [m/s] is indexed like the store.
  virtual void before_advance(const ObservedParts&, const StepContext&, View<const Vec3> /*end_velocity*/) {}
  /// Groups have split, walls have not acted yet.
  virtual void after_split(const ObservedParts&) {}
  /// The store holds the end of the step. Launches; the host reads the results by fetched().
  virtual void measure(const ProbedStep&) {}
  /// What was launched is known.
  virtual void fetched(const ProbedStep&) {}
  /// One a column (probe_columns()), as of the last fetch_results(); NaN where there is nothing to measure.
  virtual std::vector<double> values() const = 0;
  /// State that the following rows depend on, under the given path prefix.
  virtual void save(StateArchive&, const std::string& /*prefix*/) const {}
  virtual void load(const StateArchive&, const std::string& /*prefix*/) {}
};

/// The fluid that the probe names, or all.
std::vector<int> probed_fluids(const ProbeParameters& probe, const InitialState& initial);
/// The system's FluidFields.
const FluidFields& fluid_fields(const ObservedParts& parts, int system);
inline Vec3d vec3d(const Point3& p) { return {p[0], p[1], p[2]}; }

MERGANSER_END
