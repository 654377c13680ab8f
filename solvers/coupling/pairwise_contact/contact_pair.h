#pragma once
/// Geometry of two overlapping particles.
#include "solvers/coupling/merge_split/merge.h"

MERGANSER_BEGIN

/// What kernels of this folder read of the particles.
struct ContactParticles {
  View<const Vec3> position;  ///< [m]
  View<const float> radius;   ///< [m]
  Vec3 period;                ///< [m], 0 = not periodic
};

struct ContactPair {
  Vec3 direction;  ///< unit vector from i to j; zero where the centres coincide, then nothing acts
  float reach;     ///< [m] r_i + r_j
  float overlap;   ///< [m] r_i + r_j - |x_j - x_i|, not negative
};

/// The pair seen from j has exactly the opposite direction, so forces and impulses made of it are
/// antisymmetric to the bit.
MERGANSER_FN ContactPair contact_pair(const ContactParticles& particles, int i, int j) {
  const Vec3 offset = nearest_image(particles.position[j] - particles.position[i], particles.period);
  const float distance = norm(offset), reach = particles.radius[i] + particles.radius[j];
  return {.direction = distance > 0 ? offset / distance : Vec3{0, 0, 0},
          .reach = reach,
          .overlap = reach > distance ? reach - distance : 0.0f};
}

MERGANSER_END
