/// Topological links between two bodies of a system, for checks.
#include "solvers/core/observable.h"
#include "solvers/core/topological_links.h"

MERGANSER_BEGIN

namespace {
class Links final : public Observable {
 public:
  explicit Links(std::vector<MeasureRequest> asked) : asked_(std::move(asked)) {}
  Columns columns() const override { return columns_for(asked_, Column::count); }
  void write(const ObservedParts& parts, const StepOutcome&, StatisticsRow& row) const override {
    for (const MeasureRequest& pair : asked_) {
      auto* links = dynamic_cast<TopologicalLinks*>(parts.systems[size_t(pair.system)].get());
      row.set(pair.column, links ? double(links->links_between(parts.particles, pair.body, pair.other)) : 0);
    }
  }

 private:
  std::vector<MeasureRequest> asked_;
};
}  // namespace

std::unique_ptr<Observable> make_links(const InitialState& initial) {
  return std::make_unique<Links>(initial.requests("links"));
}

MERGANSER_END
