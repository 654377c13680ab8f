/// Number, time and size of a step.
#include "solvers/core/observable.h"

MERGANSER_BEGIN

namespace {
class Clock final : public Observable {
 public:
  Columns columns() const override { return {{"step", Column::count}, {"time"}, {"dt"}}; }
  void write_known(const ObservedParts&, const StepOutcome& step, StatisticsRow& row) const override {
    row.set("step", double(step.step));
    row.set("time", step.time);
    row.set("dt", step.dt);
  }
};
}  // namespace

std::unique_ptr<Observable> make_clock(const InitialState&) { return std::make_unique<Clock>(); }

MERGANSER_END
