/// All probes of a scene as one observable: when each is due, and its values in the columns of probes.csv.
#include <algorithm>
#include <cmath>

#include "device/errors.h"
#include "solvers/core/method.h"
#include "solvers/core/probe_quantities.h"
#include "solvers/observables/probes/probe.h"

MERGANSER_BEGIN

#define MERGANSER_ENTRY(type, name) \
  std::unique_ptr<Probe> make_##name##_probe(const ProbeParameters&, const InitialState&);
#include "solvers/observables/probes/all_probes.def"
#undef MERGANSER_ENTRY

View<const float> ProbedFields::of(FluidField field, const ObservedParts& parts, int system) {
  const std::pair key{field, system};
  Array<float>& values = fields_[key];
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
    known_.push_back(key);
    values.resize(parts.particles.range(system).count);
    const FluidFields& fluid = fluid_fields(parts, system);
    if (field == FluidField::pressure)
      fluid.write_pressure(values.view());
    else
      fluid.write_density(values.view());
  }
  return values.const_view();
}

std::vector<int> probed_fluids(const ProbeParameters& probe, const InitialState& initial) {
  if (probe.system_index >= 0) return {probe.system_index};
  std::vector<int> fluids;
  for (size_t s = 0; s < initial.systems.size(); ++s)
    if (is_fluid(initial.systems[s])) fluids.push_back(int(s));
  return fluids;
}

const FluidFields& fluid_fields(const ObservedParts& parts, int system) {
  return dynamic_cast<const FluidFields&>(*parts.systems[size_t(system)]);
}

namespace {

std::unique_ptr<Probe> make_probe(const ProbeParameters& parameters, const InitialState& initial) {
#define MERGANSER_ENTRY(word, name) \
  if (parameters.type == #word) return make_##name##_probe(parameters, initial);
#include "solvers/observables/probes/all_probes.def"
#undef MERGANSER_ENTRY
  throw InputError("probes." + parameters.name + ".type: no probe is called '" + parameters.type + "'");
}

class Probes final : public Observable {
 public:
  explicit Probes(const InitialState& initial) {
    for (const ProbeParameters& parameters : initial.probes)
      probes_.push_back(
          {parameters.name, parameters.rate, probe_columns(parameters), make_probe(parameters, initial)});
  }
  Columns columns() const override {
    Columns columns;
    for (const Entry& entry : probes_)
      for (const std::string& column : entry.columns)
        columns.push_back({.name = column, .file = Column::probes});
    return columns;
  }
  bool every_step() const override { return !probes_.empty(); }
  void start(const ObservedParts& parts) override {
    for (const Entry& entry : probes_) entry.probe->start(parts);
  }
  void begin(const ObservedParts& parts, const StepContext& step) override {
    for (Entry& entry : probes_) {
      entry.due = is_due(entry.rate, step);
      if (entry.measures()) entry.probe->begin(parts, step);
    }
  }
  void before_advance(const ObservedParts& parts, const StepContext& step,
                      View<const Vec3> end_velocity) override {
    for (const Entry& entry : probes_)
      if (entry.measures()) entry.probe->before_advance(parts, step, end_velocity);
  }
  void after_split(const ObservedParts& parts, const StepContext&, View<const Vec3>) override {
    for (const Entry& entry : probes_)
      if (entry.measures()) entry.probe->after_split(parts);
  }
  void after_step(const ObservedParts& parts, const StepContext& step) override {
    fields_.forget();
    for (const Entry& entry : probes_)
      if (entry.measures()) entry.probe->measure({parts, step, fields_, scratch_, entry.due});
  }
  bool after_fetch(const ObservedParts& parts, const StepContext& step) override {
    for (const Entry& entry : probes_)
      if (entry.measures()) entry.probe->fetched({parts, step, fields_, scratch_, entry.due});
    return false;
  }
  void write_known(const ObservedParts&, const StepOutcome&, StatisticsRow& row) const override {
    for (const Entry& entry : probes_) {
      if (!entry.due) continue;
      const std::vector<double> values = entry.probe->values();
      for (size_t k = 0; k < values.size(); ++k) row.set(entry.columns[k], values[k]);
    }
  }
  void save(StateArchive& archive, const std::string& prefix) const override {
    for (const Entry& entry : probes_) entry.probe->save(archive, prefix + "/" + entry.name);
  }
  void load(const StateArchive& archive, const std::string& prefix) override {
    for (const Entry& entry : probes_) entry.probe->load(archive, prefix + "/" + entry.name);
  }

 private:
  struct Entry {
    std::string name;
    double rate;  ///< [1/s]
    std::vector<std::string> columns;
    std::unique_ptr<Probe> probe;
    bool due = false;  ///< in this step
    bool measures() const { return due || probe->every_step(); }
  };
  /// True for the first step that ends at or after k/rate, k = 1, 2, ... A step that is made to end there may
  /// miss it by rounding: a millionth of a period is no time.
  static bool is_due(double rate, const StepContext& step) {
    const auto periods = [&](double time) { return std::floor(time * rate + 1e-6); };
    return !(rate > 0) || periods(step.time + step.dt) > periods(step.time);
  }
  std::vector<Entry> probes_;
  ProbedFields fields_;
  ProbeScratch scratch_;
};

}  // namespace

std::unique_ptr<Observable> make_probes(const InitialState& initial) {
  return std::make_unique<Probes>(initial);
}

MERGANSER_END
