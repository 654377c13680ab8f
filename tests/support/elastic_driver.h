#pragma once
/// Soft bodies for tests, and a driver that steps one elastic system alone as the simulation does without
/// contacts.
#include <cmath>
#include <functional>

#include "solvers/core/advance.h"
#include "solvers/core/initial_particles.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/elastic_sph/elastic_sph.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace test {

struct SoftBody : SystemState {
  SoftBody() {
    name = "soft";
    use(*find_method("elasticSph"));
    auto& of_method = parameters.of<ElasticSphParameters>();
    of_method.materials = {{.body = 0, .spacing = 0.05, .youngs_modulus = 1e6}};
    of_method.elastic_time_step = 2e-3;
  }
  void add(Float3 x, double density = 1000, bool fixed = false, int of_body = 0) {
    const double d = elastic_sph.materials.at(size_t(of_body)).spacing;
    position.push_back(x);
    velocity.push_back({0, 0, 0});
    mass.push_back(float(density * d * d * d));
    radius.push_back(float(0.5 * d));
    immobile.push_back(fixed);
    body.push_back(of_body);
  }
  /// nx x ny x nz particles, x fastest, the first at `corner`; moved by up to jitter * spacing.
  void add_lattice(int nx, int ny, int nz, Float3 corner = {0, 0, 0}, double jitter = 0, int of_body = 0,
                   double density = 1000) {
    const float d = float(elastic_sph.materials.at(size_t(of_body)).spacing);
    for (int k = 0; k < nz; ++k)
      for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) {
          const RandomBits bits = test_bits(i + nx * (j + ny * k), 5);
          auto at = [&](int c, int axis) {
            const float off = 2 * uniform_float(bits.word[axis]) - 1;
            return corner[size_t(axis)] + d * (float(c) + float(jitter) * off);
          };
          add({at(i, 0), at(j, 1), at(k, 2)}, density, false, of_body);
        }
  }
};

inline std::vector<Vec3> vectors(const std::vector<Float3>& points) {
  std::vector<Vec3> result;
  for (const Float3& p : points) result.push_back({p[0], p[1], p[2]});
  return result;
}

class ElasticDriver {
 public:
  explicit ElasticDriver(const SystemState& state, Vec3 gravity = {0, 0, 0}) : gravity(gravity) {
    store.add_system(initial_particles(state));
    solid = std::make_unique<ElasticSph>(state, 0, store);
    end_velocity.resize(store.count());
  }
  StepContext context(double dt) {
    StepContext step{store, report, gravity, time, dt, steps};
    step.walls = walls;
    return step;
  }
  void step(double dt) {
    StepContext step = context(dt);
    solid->prepare(step);
    solid->integrate(step, MetaParticleView{}, 0, end_velocity.view());
    step.end_velocity = end_velocity.const_view();
    solid->record_exchange(step, MetaParticleView{}, end_velocity.const_view());
    advance_particles(store, end_velocity.const_view(), float(dt), report.view());
    solid->finish(step);
    time += dt;
    ++steps;
  }
  void run(int count, double dt) {
    for (int k = 0; k < count; ++k) step(dt);
  }
  std::vector<Vec3> forces(const std::vector<Vec3>& x) {
    Array<Vec3> at(x), force(int(x.size()));
    solid->forces(at.const_view(), force.view());
    return force.to_host();
  }
  double energy(const std::vector<Vec3>& x) { return solid->energy(Array<Vec3>(x).const_view()); }
  std::vector<Vec3> positions() const { return store.position.to_host(); }
  std::vector<Vec3> velocities() const { return store.velocity.to_host(); }

  ParticleStore store;
  KernelReport report;
  std::unique_ptr<ElasticSph> solid;
  Array<Vec3> end_velocity;
  Vec3 gravity;
  WallView walls = {};
  double time = 0;
  long long steps = 0;
};

/// Turned by `angle` about an axis along (1, 2, 3) and shifted.
inline Vec3 moved_rigidly(const Vec3& x, double angle, const Vec3& shift) {
  const double s = 1 / std::sqrt(14.0);
  const Vec3d n{s, 2 * s, 3 * s}, p = to_double(x);
  return to_float(std::cos(angle) * p + std::sin(angle) * cross(n, p) +
                  (1 - std::cos(angle)) * dot(n, p) * n + to_double(shift));
}
/// A body bent, sheared and turned by a lot.
inline Vec3 deformed(const Vec3& x) {
  const Vec3 bent{x.x + 0.3f * x.y + 0.8f * x.z * x.y, 1.1f * x.y - 0.9f * x.x * x.z,
                  0.9f * x.z + 0.7f * x.x * x.x};
  return moved_rigidly(bent, 1.3, {0.2f, -0.1f, 0.3f});
}
inline std::vector<Vec3> mapped(const std::vector<Vec3>& x, const std::function<Vec3(const Vec3&)>& map) {
  std::vector<Vec3> y;
  for (const Vec3& p : x) y.push_back(map(p));
  return y;
}
inline double greatest(const std::vector<Vec3>& v) {
  double most = 0;
  for (const Vec3& a : v) most = std::max(most, double(norm(a)));
  return most;
}

}  // namespace test
MERGANSER_END
