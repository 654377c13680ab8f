/// Volume flow through a parallelogram: what went through of the volumes of particles on their straight
/// paths, by the time since the last row.
#include <cmath>

#include "device/sum_of.h"
#include "solvers/observables/probes/flow_gate.h"
#include "solvers/observables/probes/probe.h"

MERGANSER_BEGIN

namespace {

/// Adds the passages of a step to those since the last row.
struct CountPassages {
  static constexpr const char* name = "probe: flow";
  using Value = long long;
  FlowGate gate;
  Vec3 period;                     ///< [m], 0 = open
  View<const Vec3> before, after;  ///< [m] of own particles at the beginning and at the end of the step
  View<long long> total;           ///< one
  bool anew;                       ///< the last row was that of the step before
  MERGANSER_METHOD long long operator()(int i) const { return gate.passage(before[i], after[i], period); }
  MERGANSER_METHOD static long long identity() { return 0; }
  MERGANSER_METHOD static long long combine(long long a, long long b) { return a + b; }
  MERGANSER_METHOD void finish(long long passages) const { total[0] = (anew ? 0 : total[0]) + passages; }
};

class FlowProbe final : public Probe {
 public:
  FlowProbe(const ProbeParameters& parameters, const InitialState& initial)
      : period_(periodic_length(initial)) {
    for (const int s : probed_fluids(parameters, initial)) {
      const double spacing = 2 * initial.systems[size_t(s)].fluid.particle_radius;
      fluids_.push_back(
          {.system = s,
           .volume = std::pow(spacing, 3),
           .gate = {vec3d(parameters.corner), vec3d(parameters.edge_u), vec3d(parameters.edge_v), spacing}});
    }
  }
  bool every_step() const override { return true; }
  void before_advance(const ObservedParts& parts, const StepContext&, View<const Vec3>) override {
    for (Fluid& fluid : fluids_) fluid.before.assign(fluid.positions(parts));
  }
  void measure(const ProbedStep& step) override {
    for (Fluid& fluid : fluids_) {
      fluid.total.written();
      fluid.sum.run(fluid.before.size(), CountPassages{.gate = fluid.gate,
                                                       .period = period_,
                                                       .before = fluid.before.const_view(),
                                                       .after = fluid.positions(step.parts),
                                                       .total = fluid.total.view(),
                                                       .anew = anew_});
    }
    anew_ = step.due;
    if (!step.due) return;
    const double now = step.step.time + step.step.dt;
    span_ = now - since_;
    since_ = now;
  }
  std::vector<double> values() const override {
    double volume = 0;
    for (const Fluid& fluid : fluids_)
      volume += double(fluid.total.fetched()) * (fluid.volume / FlowGate::whole);
    return {volume / span_};
  }
  void save(StateArchive& archive, const std::string& prefix) const override {
    std::vector<std::int64_t> passages;
    for (const Fluid& fluid : fluids_) passages.push_back(anew_ ? 0 : fluid.total.read());
    archive.put(prefix + "/passages", passages);
    archive.put(prefix + "/since", std::vector<double>{since_});
  }
  void load(const StateArchive& archive, const std::string& prefix) override {
    const auto passages = archive.get<std::int64_t>(prefix + "/passages");
    for (size_t k = 0; k < fluids_.size(); ++k) {
      const long long of_fluid = passages.at(k);
      copy_to_device(fluids_[k].total.view().data, &of_fluid, sizeof of_fluid);
    }
    since_ = archive.get<double>(prefix + "/since").at(0);
    anew_ = false;
  }

 private:
  struct Fluid {
    int system;
    double volume;  ///< [m^3] of a particle
    FlowGate gate;
    Array<Vec3> before = {};        ///< [m] positions at the beginning of the step
    Reduction<long long> sum = {};  ///< of the step
    DeviceResult<long long> total = {};
    View<const Vec3> positions(const ObservedParts& parts) const {
      const Range own = parts.particles.range(system);
      return parts.particles.position.const_view().subview(own.first, own.count);
    }
  };
  Vec3 period_;  ///< [m]
  std::vector<Fluid> fluids_;
  bool anew_ = false;
  double since_ = 0, span_ = 0;  ///< [s] of the last row, and how long after the one before
};

}  // namespace

std::unique_ptr<Probe> make_flow_probe(const ProbeParameters& probe, const InitialState& initial) {
  return std::make_unique<FlowProbe>(probe, initial);
}

MERGANSER_END
