#pragma once
/// Beams for tests of elastic SPH.
#include <utility>

#include "tests/support/elastic_driver.h"
#include "tests/support/test_namespace.h"

MERGANSER_BEGIN
namespace test {

/// A beam along x of `across`^2 particles in section and `length` of them free, held by three more layers;
/// the free length begins half a spacing before the first free particle.
struct Beam : SoftBody {
  int across, free;
  Beam(int across_, int free_, double side, double stiffness, double density, ElasticSolve solve, double step)
      : across(across_), free(free_) {
    auto& of_method = parameters.of<ElasticSphParameters>();
    of_method.materials[0] = {.body = 0, .spacing = side / across, .youngs_modulus = stiffness};
    of_method.solve = solve;
    of_method.elastic_time_step = step;
    add_lattice(free + 3, across, across, {0, 0, 0}, 0, 0, density);
    for (size_t i = 0; i < position.size(); ++i) immobile[i] = int(i) % (free + 3) < 3;
  }
  /// How far the end has sunk, extrapolated from the last layer's centre to the end's.
  double sag(const ElasticDriver& driver) const {
    const auto x = driver.positions();
    double layer[2] = {0, 0};
    for (size_t i = 0; i < x.size(); ++i) {
      const int at = int(i) % (free + 3) - (free + 1);
      if (at >= 0) layer[at] += (position[i][2] - x[i].z) / (across * across);
    }
    return layer[1] + 0.5 * (layer[1] - layer[0]);
  }
};

/// Greatest sag of the first swing from rest and when it comes, by a parabola through three steps.
inline std::pair<double, double> first_low(const Beam& beam, ElasticDriver& driver, double dt) {
  double before = 0, now = 0;
  for (int k = 0; k < 4000; ++k) {
    driver.step(dt);
    const double next = beam.sag(driver);
    if (next < now) {
      const double a = 0.5 * (before + next) - now, b = 0.5 * (next - before), at = -b / (2 * a);
      return {now + a * at * at + b * at, dt * (k + at)};
    }
    before = now, now = next;
  }
  return {0, 0};
}

/// Takes all velocity off at peaks of the kinetic energy until the body hangs still.
inline void settle(ElasticDriver& driver, double dt, int steps) {
  double before = 0;
  for (int k = 0; k < steps; ++k) {
    driver.step(dt);
    const auto v = driver.velocities();
    double now = 0;
    for (const Vec3& a : v) now += norm_squared(to_double(a));
    if (now < before) driver.store.velocity.assign(std::vector<Vec3>(v.size(), Vec3{0, 0, 0}));
    before = now < before ? 0 : now;
  }
}

}  // namespace test
MERGANSER_END
