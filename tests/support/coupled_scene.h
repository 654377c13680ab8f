#pragma once
/// Scenes of fluids and solids in one pressure solve, for tests: solids first, then fluids that leave room
/// for them.
#include <algorithm>
#include <cmath>

#include "device/vector_math.h"
#include "host/simulation/simulation.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/dfsph/dfsph_parameters.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "solvers/methods/rigid/rigid_parameters.h"
#include "tests/support/test_namespace.h"

MERGANSER_BEGIN
namespace test {

/// nx x ny x nz lattice places whose cells fill the box that starts at `low`.
inline std::vector<Vec3d> box_places(const Vec3d& low, int nx, int ny, int nz, double spacing) {
  std::vector<Vec3d> places;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) places.push_back(low + spacing * Vec3d{i + 0.5, j + 0.5, k + 0.5});
  return places;
}
/// Those of a lattice around `centre` within `radius`.
inline std::vector<Vec3d> ball_places(double radius, const Vec3d& centre, double spacing) {
  const int n = 2 * static_cast<int>(radius / spacing) + 3;
  std::vector<Vec3d> places = box_places(centre - 0.5 * n * spacing * Vec3d{1, 1, 1}, n, n, n, spacing);
  std::erase_if(places, [&](const Vec3d& x) { return norm(x - centre) > radius; });
  return places;
}

struct CoupledScene : InitialState {
  explicit CoupledScene(double particle_spacing) : spacing(particle_spacing) {
    particle_radius = spacing / 2;
    max_time_step = 2e-3;
    coupling.method = ContactMethod::none;
  }
  /// One body of a system of its own. Returns the index of the system.
  int add_rigid(const std::vector<Vec3d>& places, double density0, const Vec3d& velocity = {0, 0, 0},
                const Vec3d& spin = {0, 0, 0}) {
    SystemState state;
    state.use(*find_method("rigid"));
    Vec3d centre{0, 0, 0};
    for (const Vec3d& x : places) centre += x / double(places.size());
    for (const Vec3d& x : places) add_particle(state, x, velocity + cross(spin, x - centre), density0);
    state.parameters.of<RigidParameters>().bodies = {
        {.body = next_body(), .first = 0, .count = static_cast<int>(places.size()), .motions = {}}};
    return add(state, "rigid");
  }
  void hold(int rigid, RigidJoint joint, const Point3& axis, const Point3& point = {0, 0, 0}) {
    RigidBodyState& body = systems[size_t(rigid)].parameters.of<RigidParameters>().bodies[0];
    body.joint = joint;
    body.axis = axis;
    body.point = point;
  }
  int add_elastic(const std::vector<Vec3d>& places, double density0, double youngs_modulus,
                  double poisson_ratio, const Vec3d& velocity = {0, 0, 0}) {
    SystemState state;
    state.use(*find_method("elasticSph"));
    auto& parameters = state.parameters.of<ElasticSphParameters>();
    parameters.elastic_time_step = max_time_step;
    parameters.materials = {{.body = next_body(),
                             .spacing = spacing,
                             .youngs_modulus = youngs_modulus,
                             .poisson_ratio = poisson_ratio}};
    for (const Vec3d& x : places) add_particle(state, x, velocity, density0);
    return add(state, "elastic");
  }
  /// A square net of n x n particles, held at its edges or free, that meets the others by
  /// merging-and-splitting.
  int add_net(const Vec3d& corner, int n, bool held = true) {
    SystemState state;
    state.use(*find_method("massSpring"));
    const auto spring = [&](int a, int b) {
      state.springs.push_back({a, b, float(spacing), 4000, SpringKind::structural});
    };
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        add_particle(state, corner + spacing * Vec3d{double(i), double(j), 0}, {0, 0, 0}, 1000);
        state.immobile.back() = held && (i == 0 || j == 0 || i == n - 1 || j == n - 1);
        if (i > 0) spring(j * n + i - 1, j * n + i);
        if (j > 0) spring(j * n + i - n, j * n + i);
      }
    coupling.method = ContactMethod::merging_and_splitting;
    return add(state, "net");
  }
  /// Where no other particle is nearer than nine tenths of a spacing.
  int add_fluid(const std::vector<Vec3d>& places, double density0, const Vec3d& velocity = {0, 0, 0}) {
    SystemState state;
    state.use(*find_method("dfsph"));
    state.fluid.density0 = density0;
    state.fluid.particle_radius = spacing / 2;
    for (const Vec3d& x : places)
      if (is_free(x)) add_particle(state, x, velocity, density0);
    return add(state, "fluid");
  }
  /// Fluid `leader` solves for these.
  DfsphParameters& couple(int leader, const std::vector<int>& others) {
    auto& parameters = systems[size_t(leader)].parameters.of<DfsphParameters>();
    for (const int s : others) parameters.coupled_to.push_back(systems[size_t(s)].name);
    return parameters;
  }
  double spacing;

 private:
  void add_particle(SystemState& state, const Vec3d& x, const Vec3d& v, double density0) const {
    state.position.push_back({float(x.x), float(x.y), float(x.z)});
    state.velocity.push_back({float(v.x), float(v.y), float(v.z)});
    state.mass.push_back(float(density0 * spacing * spacing * spacing));
    state.radius.push_back(float(0.5 * spacing));
    state.immobile.push_back(0);
  }
  int next_body() const { return static_cast<int>(bodies.size()); }
  int add(SystemState state, const std::string& kind) {
    state.name = kind + std::to_string(systems.size());
    state.body.assign(state.position.size(), next_body());
    bodies.push_back({state.name, static_cast<int>(systems.size())});
    systems.push_back(std::move(state));
    return static_cast<int>(systems.size()) - 1;
  }
  bool is_free(const Vec3d& x) const {
    for (const SystemState& system : systems)
      for (const Float3& y : system.position)
        if (norm(x - Vec3d{y[0], y[1], y[2]}) < 0.9 * spacing) return false;
    return true;
  }
};

/// Particles of one system in a frame.
struct SystemParticles {
  std::vector<Vec3d> position, velocity;
  std::vector<double> pressure, density;
  SystemParticles(const FrameData& frame, int system) {
    const auto field = [&](const std::string& name) -> const std::vector<float>* {
      for (const auto& [key, values] : frame.fields)
        if (key == name) return &values;
      return nullptr;
    };
    const auto *p = field("pressure"), *rho = field("density");
    for (size_t i = 0; i < frame.position.size(); ++i) {
      if (frame.system[i] != system) continue;
      const Float3 &x = frame.position[i], &v = frame.velocity[i];
      position.push_back({x[0], x[1], x[2]});
      velocity.push_back({v[0], v[1], v[2]});
      pressure.push_back(p ? (*p)[i] : 0);
      density.push_back(rho ? (*rho)[i] : 0);
    }
  }
  Vec3d centre() const {
    Vec3d sum{0, 0, 0};
    for (const Vec3d& x : position) sum += x / double(position.size());
    return sum;
  }
  double lowest() const {
    double low = 1e30;
    for (const Vec3d& x : position) low = std::min(low, x.z);
    return low;
  }
  double fastest() const {
    double most = 0;
    for (const Vec3d& v : velocity) most = std::max(most, norm(v));
    return most;
  }
};

}  // namespace test
MERGANSER_END
