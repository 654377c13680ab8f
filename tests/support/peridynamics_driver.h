#pragma once
/// Brittle bodies for tests, and a driver of one peridynamic system.
#include <algorithm>
#include <functional>

#include "solvers/methods/all_methods.h"
#include "solvers/methods/peridynamics/peridynamics.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"
#include "tests/support/step_driver.h"
#include "tests/support/test_namespace.h"

MERGANSER_BEGIN
namespace test {

/// A system state that bodies are added to.
struct BrittleBody : SystemState {
  BrittleBody() {
    name = "solid";
    use(*find_method("peridynamics"));
    parameters.of<PeridynamicsParameters>().materials = {
        {.body = 0, .density = 1000, .spacing = 0.01, .bulk_modulus = 1e6}};
  }
  void add(Float3 x, Float3 v = {0, 0, 0}, bool fixed = false, int of_body = 0) {
    const PeridynamicMaterial& m = parameters.of<PeridynamicsParameters>().materials.at(size_t(of_body));
    position.push_back(x);
    velocity.push_back(v);
    mass.push_back(float(m.density * m.spacing * m.spacing * m.spacing));
    radius.push_back(float(0.5 * m.spacing));
    immobile.push_back(fixed);
    body.push_back(of_body);
  }
  /// A lattice of nx x ny x nz particles, x fastest, with its first particle at `corner`.
  void add_lattice(int nx, int ny, int nz, Float3 corner = {0, 0, 0}, int of_body = 0) {
    const double dx = parameters.of<PeridynamicsParameters>().materials.at(size_t(of_body)).spacing;
    for (int z = 0; z < nz; ++z)
      for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x)
          add({float(corner[0] + dx * x), float(corner[1] + dx * y), float(corner[2] + dx * z)}, {0, 0, 0},
              false, of_body);
  }
};

/// Particles of a state as system number `system`; ids run backwards.
inline HostParticles brittle_particles(const SystemState& state, int system = 0) {
  HostParticles p = initial_particles(state, system);
  std::reverse(p.id.begin(), p.id.end());
  return p;
}

struct Totals {
  Vec3d momentum;  ///< [kg m/s]
  double size;     ///< sum of |m v|
  double kinetic;  ///< [J]
};

class PeridynamicsDriver : public StepDriver<Peridynamics> {
 public:
  explicit PeridynamicsDriver(const SystemState& state, Vec3 gravity_of = {0, 0, 0})
      : StepDriver(brittle_particles(state), gravity_of) {
    system = std::make_unique<Peridynamics>(state, 0, store, 7u);
    end_velocity.resize(store.count());
  }
  void set_positions(const std::vector<Vec3>& x) {
    store.position.assign(x);
    system->bonds().set_positions(store.position.const_view());
  }
  /// [N] elastic forces at the positions last set.
  std::vector<Vec3> forces() {
    Array<Vec3> force(store.count());
    system->bonds().sum(BondForce{1.0f, force.view()});
    return force.to_host();
  }
  /// finish() alone: breaks bonds at the given positions.
  void fracture(const std::vector<Vec3>& x) {
    store.position.assign(x);
    system->finish(context(1e-3), end_velocity.const_view());
  }
  std::vector<int> entries() const { return to_host(system->bond_neighbor()); }
  std::vector<int> first() const { return to_host(system->bond_first()); }
  double elastic_energy() { return system->statistics(store).elastic_energy; }
  Totals totals() const {
    Totals sum{{0, 0, 0}, 0, 0};
    const auto v = velocities();
    const auto m = store.mass.to_host();
    for (size_t i = 0; i < v.size(); ++i) {
      sum.momentum += double(m[i]) * to_double(v[i]);
      sum.size += m[i] * norm(to_double(v[i]));
      sum.kinetic += 0.5 * m[i] * norm_squared(to_double(v[i]));
    }
    return sum;
  }
};

/// Every half-bond has its twin, and both are broken or neither.
inline bool half_bonds_agree(const PeridynamicsDriver& driver) {
  const auto first = driver.first(), entries = driver.entries();
  for (size_t i = 0; i + 1 < first.size(); ++i)
    for (int e = first[i]; e < first[i + 1]; ++e) {
      const int entry = entries[size_t(e)], j = bonded_particle(entry);
      bool twin = false;
      for (int k = first[size_t(j)]; k < first[size_t(j) + 1]; ++k)
        twin = twin || entries[size_t(k)] == (entry < 0 ? ~int(i) : int(i));
      if (!twin) return false;
    }
  return true;
}

}  // namespace test
MERGANSER_END
