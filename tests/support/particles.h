#pragma once
/// Small particle stores for tests.
#include <cmath>
#include <random>

#include "device/particle_store.h"

MERGANSER_BEGIN

/// Appends a particle; inverse mass 0 where immobile. Ids are given by add_systems().
inline void add_particle(HostParticles& particles, Vec3 position, Vec3 velocity, float mass, float radius,
                         bool immobile = false) {
  particles.position.push_back(position);
  particles.velocity.push_back(velocity);
  particles.mass.push_back(mass);
  particles.inverse_mass.push_back(immobile ? 0.0f : 1.0f / mass);
  particles.radius.push_back(radius);
  particles.id.push_back(0);
  particles.body.push_back(0);
  particles.system.push_back(0);
}

/// One store of several systems; ids run in an order unlike the particles'.
inline void add_systems(ParticleStore& store, std::vector<HostParticles> systems) {
  int total = 0, seen = 0;
  for (const HostParticles& system : systems) total += system.size();
  for (size_t s = 0; s < systems.size(); ++s) {
    for (int i = 0; i < systems[s].size(); ++i) {
      systems[s].id[size_t(i)] = total - 1 - seen++;
      systems[s].system[size_t(i)] = int(s);
    }
    store.add_system(systems[s]);
  }
}

/// Uniform particles in a cube around the origin: radii in [radius, spread * radius], log-uniform masses in
/// [1, 1e4].
inline HostParticles random_particles(std::mt19937& engine, int count, float size, float radius, float spread,
                                      double immobile_share = 0) {
  auto uniform = [&](double low, double high) {
    return float(low + (high - low) * (double(engine()) / 4294967296.0));
  };
  HostParticles particles;
  for (int i = 0; i < count; ++i) {
    const Vec3 x{uniform(-size / 2, size / 2), uniform(-size / 2, size / 2), uniform(-size / 2, size / 2)};
    const Vec3 v{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    add_particle(particles, x, v, std::pow(10.0f, uniform(0, 4)), radius * uniform(1, spread),
                 uniform(0, 1) < immobile_share);
  }
  return particles;
}

MERGANSER_END
