/// Contacts and groups of a step.
#include "solvers/core/observable.h"
#include "solvers/coupling/merge_split/merge_split.h"

MERGANSER_BEGIN

namespace {
class Contacts final : public Observable {
 public:
  explicit Contacts(ContactMethod method) : method_(method) {}
  Columns columns() const override {
    return {{"contacts", Column::count},
            {"groups", Column::count},
            {"largest_group", Column::count},
            {"ignored_contacts", Column::count},
            {"second_stage", Column::count}};
  }
  void after_step(const ObservedParts& parts, const StepContext&) override { parts.merge_split.measure(); }
  void write_known(const ObservedParts& parts, const StepOutcome& step, StatisticsRow& row) const override {
    const bool treated = method_ != ContactMethod::none;
    row.set("contacts", treated ? double(parts.merge_split.contacts().pair_count()) : 0);
    row.set("second_stage", step.second_stage ? 1 : 0);
  }
  void write(const ObservedParts& parts, const StepOutcome&, StatisticsRow& row) const override {
    const MergeStatistics merged = parts.merge_split.measured();
    row.set("groups", double(merged.groups));
    row.set("largest_group", double(merged.largest_group));
    row.set("ignored_contacts", double(merged.ignored_contacts));
  }

 private:
  ContactMethod method_;
};
}  // namespace

std::unique_ptr<Observable> make_contacts(const InitialState& initial) {
  return std::make_unique<Contacts>(initial.coupling.method);
}

MERGANSER_END
