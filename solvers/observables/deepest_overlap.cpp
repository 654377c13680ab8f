#include "solvers/observables/deepest_overlap.h"

#include "solvers/coupling/pairwise_contact/contact_pair.h"

MERGANSER_BEGIN

namespace {

struct GreatestOverlap {
  static constexpr const char* name = "contact: deepest overlap";
  using Value = float;
  ContactParticles particles;
  View<const ItemPair> pairs;
  View<const int> items;
  MERGANSER_METHOD float operator()(int k) const {
    const ContactPair pair = contact_pair(particles, items[pairs[k].first], items[pairs[k].second]);
    return pair.overlap / pair.reach;
  }
  MERGANSER_METHOD static float identity() { return 0; }
  MERGANSER_METHOD static float combine(const float& a, const float& b) { return a > b ? a : b; }
};

}  // namespace

void DeepestOverlap::measure(const ParticleStore& particles, const ContactDetection& contacts,
                             Vec3 periodic_length) {
  any_ = contacts.pair_count() > 0;
  if (!any_) return;
  reduction_.run(contacts.pair_count(),
                 GreatestOverlap{.particles = {particles.position.const_view(), particles.radius.const_view(),
                                               periodic_length},
                                 .pairs = contacts.pairs(),
                                 .items = contacts.contact_particles()});
}

MERGANSER_END
