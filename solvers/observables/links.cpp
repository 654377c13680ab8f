/// Topological links between two bodies of a system, for checks; pairs that an update of the links found too
/// late.
#include <sstream>

#include "solvers/core/observable.h"
#include "solvers/core/topological_links.h"

MERGANSER_BEGIN

namespace {

/// Of one system since the beginning.
struct LatePairs {
  double step = 0, time = 0;  ///< when they were first seen
  double pairs = 0, updates = 0;
};

class Links final : public Observable {
 public:
  explicit Links(const InitialState& initial)
      : asked_(initial.requests("links")), late_(initial.systems.size()) {
    for (const SystemState& system : initial.systems) systems_.push_back(system.name);
  }
  bool every_step() const override { return true; }
  Columns columns() const override { return columns_for(asked_, Column::count); }
  bool after_fetch(const ObservedParts& parts, const StepContext& step) override {
    for (size_t s = 0; s < late_.size(); ++s) {
      auto* links = dynamic_cast<TopologicalLinks*>(parts.systems[s].get());
      const long long pairs = links ? links->take_late_pairs() : 0;
      if (pairs == 0) continue;
      LatePairs& late = late_[s];
      if (late.updates == 0) late.step = double(step.step + 1), late.time = step.time + step.dt;
      late.pairs += double(pairs);
      ++late.updates;
    }
    return false;
  }
  void write(const ObservedParts& parts, const StepOutcome&, StatisticsRow& row) const override {
    for (const MeasureRequest& pair : asked_) {
      auto* links = dynamic_cast<TopologicalLinks*>(parts.systems[size_t(pair.system)].get());
      row.set(pair.column, links ? double(links->links_between(parts.particles, pair.body, pair.other)) : 0);
    }
  }
  std::vector<std::string> warnings() const override {
    std::vector<std::string> all;
    for (size_t s = 0; s < late_.size(); ++s) all.push_back(text_of(late_[s], "systems." + systems_[s]));
    return all;
  }

  void save(StateArchive& archive, const std::string& prefix) const override {
    std::vector<double> values;
    for (const LatePairs& late : late_)
      values.insert(values.end(), {late.step, late.time, late.pairs, late.updates});
    archive.put(prefix + "/late", values);
  }
  void load(const StateArchive& archive, const std::string& prefix) override {
    const auto values = archive.get<double>(prefix + "/late");
    if (values.size() != 4 * late_.size())
      throw FileError("checkpoint: its late pairs are those of another version");
    for (size_t s = 0; s < late_.size(); ++s)
      late_[s] = {values[4 * s], values[4 * s + 1], values[4 * s + 2], values[4 * s + 3]};
  }

 private:
  static std::string text_of(const LatePairs& late, const std::string& system) {
    if (late.updates == 0) return "";
    std::ostringstream text;
    text.precision(4);
    text << "topological neighborhoods of " << system
         << " were renewed too late for pairs of particles, which came from beyond 2h to less than h/2 "
            "without "
            "acting on each other: first in step "
         << std::int64_t(late.step) << " (t = " << late.time << " s), " << std::int64_t(late.pairs)
         << " pairs in " << std::int64_t(late.updates) << " steps; set " << system
         << ".topologyDistance to at most 0.5, and take shorter steps where it is";
    return text.str();
  }
  std::vector<MeasureRequest> asked_;
  std::vector<std::string> systems_;
  std::vector<LatePairs> late_;
};
}  // namespace

std::unique_ptr<Observable> make_links(const InitialState& initial) {
  return std::make_unique<Links>(initial);
}

MERGANSER_END
