#include "solvers/coupling/pairwise_contact/pairwise_contacts.h"

#include "device/launch.h"
#include "solvers/coupling/pairwise_contact/collision_impulses.h"
#include "solvers/coupling/pairwise_contact/penalty_force.h"
#include "solvers/coupling/pairwise_contact/sph_force.h"

MERGANSER_BEGIN

namespace {

/// v_i += factor/m_i action_i.
struct ApplyActions {
  static constexpr const char* name = "contact: apply";
  View<const int> particle;        ///< of each row
  View<const Vec3> action;         ///< [N] or [N s] per row
  View<const float> inverse_mass;  ///< [1/kg]
  float factor;                    ///< [s] or 1
  View<Vec3> velocity;             ///< [m/s]
  MERGANSER_METHOD void operator()(int row) const {
    const int i = particle[row];
    velocity[i] += factor * inverse_mass[i] * action[row];
  }
};

}  // namespace

PairwiseContacts::PairwiseContacts(ContactMethod method, const PairwiseContactParameters& parameters,
                                   Vec3 periodic_length)
    : method_(method), parameters_(parameters), period_(periodic_length) {}

void PairwiseContacts::before_integration(ParticleStore& particles, const ContactDetection& contacts,
                                          double dt) {
  const bool penalty = method_ == ContactMethod::penalty;
  if ((!penalty && method_ != ContactMethod::sph_force) || contacts.pair_count() == 0) return;
  rows_.build(contacts);
  const ContactRowsView rows = rows_.view();
  const ContactParticles geometry{particles.position.const_view(), particles.radius.const_view(), period_};
  action_.resize(rows_.row_count());
  if (penalty) {
    launch(rows_.row_count(), PenaltyForces{.rows = rows,
                                            .particles = geometry,
                                            .velocity = particles.velocity.const_view(),
                                            .inverse_mass = particles.inverse_mass.const_view(),
                                            .stiffness = float(parameters_.stiffness),
                                            .damping = float(parameters_.damping),
                                            .force = action_.view()});
  } else {
    pressure_.resize(rows_.row_count());
    launch(rows_.row_count(), ContactPressures{.rows = rows,
                                               .particles = geometry,
                                               .stiffness = float(parameters_.stiffness),
                                               .pressure = pressure_.view()});
    launch(rows_.row_count(), SphForces{.rows = rows,
                                        .particles = geometry,
                                        .pressure = pressure_.const_view(),
                                        .force = action_.view()});
  }
  launch(rows_.row_count(), ApplyActions{.particle = rows.particle,
                                         .action = action_.const_view(),
                                         .inverse_mass = particles.inverse_mass.const_view(),
                                         .factor = float(dt),
                                         .velocity = particles.velocity.view()});
}

void PairwiseContacts::after_integration(const ParticleStore& particles, const ContactDetection& contacts,
                                         View<Vec3> end_velocity) {
  if (method_ != ContactMethod::impulses || contacts.pair_count() == 0) return;
  rows_.build(contacts);
  const ContactRowsView rows = rows_.view();
  const ContactParticles geometry{particles.position.const_view(), particles.radius.const_view(), period_};
  const View<const float> inverse_mass = particles.inverse_mass.const_view();
  action_.resize(rows_.row_count());
  approaching_.resize(rows_.row_count());
  for (int pass = 0; pass < parameters_.iterations; ++pass) {
    launch(rows_.row_count(),
           CountApproaching{
               .rows = rows, .particles = geometry, .velocity = end_velocity, .count = approaching_.view()});
    launch(rows_.row_count(), CollisionImpulses{.rows = rows,
                                                .particles = geometry,
                                                .velocity = end_velocity,
                                                .inverse_mass = inverse_mass,
                                                .count = approaching_.const_view(),
                                                .restitution = float(parameters_.restitution),
                                                .impulse = action_.view()});
    launch(rows_.row_count(), ApplyActions{.particle = rows.particle,
                                           .action = action_.const_view(),
                                           .inverse_mass = inverse_mass,
                                           .factor = 1,
                                           .velocity = end_velocity});
  }
}

MERGANSER_END
