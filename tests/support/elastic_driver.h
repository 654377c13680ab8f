#pragma once
/// Soft bodies for tests, and a driver of one elastic system.
#include <cmath>
#include <functional>

#include "solvers/methods/all_methods.h"
#include "solvers/methods/elastic_sph/elastic_sph.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "tests/support/random_values.h"
#include "tests/support/step_driver.h"
#include "tests/support/test_namespace.h"

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
    const double d = parameters.of<ElasticSphParameters>().materials.at(size_t(of_body)).spacing;
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
    const float d = float(parameters.of<ElasticSphParameters>().materials.at(size_t(of_body)).spacing);
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

class ElasticDriver : public StepDriver<ElasticSph> {
 public:
  explicit ElasticDriver(const SystemState& state, Vec3 gravity_of = {0, 0, 0})
      : StepDriver(initial_particles(state), gravity_of),
        rest_shape(state, store, store.range(0)),
        zero_energy(state.parameters.of<ElasticSphParameters>().zero_energy),
        law(state.parameters.of<ElasticSphParameters>().law) {
    system = std::make_unique<ElasticSph>(state, 0, store);
    end_velocity.resize(store.count());
  }
  /// [N] at positions x, with the rotations of x.
  std::vector<Vec3> forces(const std::vector<Vec3>& x) const {
    ElasticOperator elastic(rest_shape, zero_energy, law);
    ExactPositions at(0, int(x.size()));
    Array<Vec3> given(x), force(int(x.size()));
    at.set(given.const_view());
    elastic.find_forces(at.view(), ElasticEnergies::all, RotationsOf::positions, 1, force.view());
    return force.to_host();
  }
  /// [J] where the particles are.
  double present_energy() const { return energy(positions()); }
  /// [J] at positions x.
  double energy(const std::vector<Vec3>& x) const {
    ElasticOperator elastic(rest_shape, zero_energy, law);
    ExactPositions at(0, int(x.size()));
    const Array<Vec3> given(x);
    at.set(given.const_view());
    Reduction<double> sum;
    elastic.sum_energy(at.view(), sum);
    return sum.read();
  }

  RestShape rest_shape;
  ZeroEnergyControl zero_energy;
  ElasticLaw law;
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
