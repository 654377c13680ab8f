#include "solvers/observables/deepest_overlap.h"

#include <limits>

#include "device/sum_of.h"
#include "solvers/core/observable.h"
#include "solvers/coupling/merge_split/merge_split.h"
#include "solvers/coupling/pairwise_contact/contact_pair.h"

MERGANSER_BEGIN

namespace {

struct GreatestOverlap {
  static constexpr const char* name = "contact: deepest overlap";
  ContactParticles particles;
  View<const ItemPair> pairs;
  View<const int> items;
  MERGANSER_METHOD float operator()(int k) const {
    const ContactPair pair = contact_pair(particles, items[pairs[k].first], items[pairs[k].second]);
    return pair.overlap / pair.reach;
  }
};

}  // namespace

void DeepestOverlap::measure(const ParticleStore& particles, const ContactDetection& contacts,
                             Vec3 periodic_length) {
  any_ = contacts.pair_count() > 0;
  if (!any_) return;
  reduction_.run(contacts.pair_count(),
                 maximum_of(GreatestOverlap{.particles = {particles.position.const_view(),
                                                          particles.radius.const_view(), periodic_length},
                                            .pairs = contacts.pairs(),
                                            .items = contacts.contact_particles()}));
}

namespace {
/// At the beginning of the step; NaN where nothing looks for contacts.
class DeepestOverlaps final : public Observable {
 public:
  explicit DeepestOverlaps(const InitialState& initial)
      : looks_(initial.looks_for_contacts()), period_(periodic_length(initial)) {}
  Columns columns() const override { return {{"deepest_overlap", Column::number, "iterations_2"}}; }
  void after_contacts(const ObservedParts& parts, const StepContext&) override {
    overlap_.measure(parts.particles, parts.merge_split.contacts(), period_);
  }
  void write(const ObservedParts&, const StepOutcome&, StatisticsRow& row) const override {
    row.set("deepest_overlap", looks_ ? overlap_.measured() : std::numeric_limits<double>::quiet_NaN());
  }

 private:
  bool looks_;
  Vec3 period_;
  DeepestOverlap overlap_;
};
}  // namespace

std::unique_ptr<Observable> make_deepest_overlap(const InitialState& initial) {
  return std::make_unique<DeepestOverlaps>(initial);
}

MERGANSER_END
