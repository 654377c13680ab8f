/// One pressure solve over several systems: densities and divergences that it leaves, its energy and
/// momentum.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <optional>

#include "solvers/core/initial_particles.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/dfsph/coupled_pressure.h"
#include "tests/support/dfsph_reference.h"
#include "tests/support/random_values.h"
#include "tests/support/union_reference.h"

MERGANSER_BEGIN
namespace dfsph_union_solve_test {

/// Water, oil and two soft blocks, as dense as a fluid, in one solve.
class DfsphCoupledSolve : public testing::Test {
 protected:
  static constexpr double spacing = 0.1, h = 0.1, dt = 0.01;
  InitialState initial;
  ParticleStore store;
  KernelReport report;
  std::unique_ptr<CoupledPressure> solve;
  dfsph_test::Reference reference{{}, {}, h, spacing* spacing* spacing};
  std::vector<double> share, mass;
  std::vector<int> part;

  SystemState system(const std::string& type, const std::string& name, const Vec3d& low, int layers,
                     double density, int stream) {
    SystemState state;
    state.use(*find_method(type));
    state.name = name;
    state.fluid.density0 = density;
    state.fluid.particle_radius = spacing / 2;
    for (int z = 0; z < layers; ++z)
      for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 6; ++x) {
          const int n = int(state.position.size());
          const Vec3d jitter = 0.15 * spacing * to_double(random_vector(n, stream));
          const Vec3d at = low + spacing * Vec3d{x + 0.5, y + 0.5, z + 0.5} + jitter;
          const Vec3 v = random_vector(n, stream + 1);
          state.position.push_back({float(at.x), float(at.y), float(at.z)});
          state.velocity.push_back({v.x, v.y, v.z});
          state.mass.push_back(float(density * spacing * spacing * spacing));
          state.radius.push_back(float(spacing / 2));
          state.immobile.push_back(0);
          state.body.push_back(type == "dfsph" ? 0 : x / 3);  // two blocks side by side
        }
    return state;
  }
  void make(bool solids_compress) {
    initial.particle_radius = spacing / 2;
    initial.systems = {system("dfsph", "water", {0, 0, 0}, 4, 1000, 20),
                       system("dfsph", "oil", {0, 0, 0.4}, 3, 800, 22),
                       system("elasticSph", "soft", {0, 0, 0.7}, 4, 1200, 24)};
    DfsphParameters parameters;
    parameters.solids_compress = solids_compress;
    parameters.max_density_error = 1e-6;
    parameters.max_divergence_error = 1e-6;
    parameters.max_iterations = 3000;
    solve = std::make_unique<CoupledPressure>(parameters, initial, 0, std::vector<int>{0, 1, 2});
    for (int s : {0, 1, 2}) {
      store.add_system(initial_particles(initial.systems[size_t(s)], s, store.count()));
      for (const Float3& x : initial.systems[size_t(s)].position)
        reference.position.push_back({x[0], x[1], x[2]});
      for (const float m : initial.systems[size_t(s)].mass)
        mass.push_back(m), reference.mobility.push_back(reference.volume / m);
    }
    fluids[0].emplace(parameters, initial.systems[0].fluid, initial);
    fluids[1].emplace(parameters, initial.systems[1].fluid, initial);
    for (int s : {0, 1}) {
      for (Array<float>* a :
           {&fluids[s]->density_pressure, &fluids[s]->steady_pressure, &fluids[s]->rest_excess})
        a->resize(store.range(s).count);
      solve->use_fluid(s, *fluids[s]);
    }
    const SystemState& soft = initial.systems[2];
    const std::vector<Vec3d> rest(reference.position.end() - long(soft.position.size()),
                                  reference.position.end());
    share.assign(reference.position.size() - rest.size(), 0);
    part.assign(share.size(), -1);
    for (const double s : dfsph_test::rest_share(rest, soft.body, reference.volume, h, solids_compress))
      share.push_back(s);
    for (const int b : soft.body) part.push_back(solids_compress ? b : -1);
  }
  bool left_out(size_t i, size_t j) const { return j != i && part[i] >= 0 && part[i] == part[j]; }
  /// rho/rho0 - 1 of particle i with its share, pairs within parts left out.
  double compression(size_t i) const {
    double sum = share[i] - 1;
    for (size_t j = 0; j < reference.position.size(); ++j) {
      const double r = norm(reference.between(i, j));
      if (r < 2 * h && !left_out(i, j)) sum += reference.volume * reference.kernel.value(r);
    }
    return sum;
  }
  /// Those left out among them.
  int neighbors(size_t i) const {
    int count = -1;
    for (size_t j = 0; j < reference.position.size(); ++j) count += norm(reference.between(i, j)) < 2 * h;
    return count;
  }
  double rate(size_t i, const std::vector<Vec3d>& v) const {
    double sum = 0;
    for (size_t j = 0; j < reference.position.size(); ++j)
      if (!left_out(i, j)) sum += dot(reference.gradient(i, j), v[i] - v[j]);
    return sum;
  }
  std::vector<Vec3d> to_doubles(const std::vector<Vec3>& v) const {
    std::vector<Vec3d> made;
    for (const Vec3& x : v) made.push_back(to_double(x));
    return made;
  }
  double kinetic_energy(const std::vector<Vec3d>& v) const {
    double sum = 0;
    for (size_t i = 0; i < v.size(); ++i) sum += 0.5 * mass[i] * norm_squared(v[i]);
    return sum;
  }
  Vec3d momentum(const std::vector<Vec3d>& v) const {
    Vec3d sum{0, 0, 0};
    for (size_t i = 0; i < v.size(); ++i) sum += mass[i] * v[i];
    return sum;
  }
  double whole_mass() const { return std::accumulate(mass.begin(), mass.end(), 0.0); }
  void expect_divergence_free(bool solids_compress);
  void expect_constant_density(bool solids_compress);
  /// A later one: what the first one finds counts as rest.
  StepContext step() { return {store, report, {0, 0, 0}, 0, dt, 1000, {}, false}; }
  std::optional<DfsphPressure> fluids[2];
};

/// The divergence-free solve sees shares and parts as the equations say and leaves its tolerance, 1e-6 within
/// dt on average, where particles have enough neighbors; what it takes of energy is what velocities lose, and
/// momentum stays. Float sums of 30 terms: 5e-5 as in DfsphKernels.
void DfsphCoupledSolve::expect_divergence_free(bool solids_compress) {
  make(solids_compress);
  const std::vector<Vec3d> before = to_doubles(store.velocity.to_host());
  const PressureSolveResult solved = solve->prepare(step(), {});
  fetch_results();
  EXPECT_TRUE(solved.tolerance_met);
  size_t first = 0;
  for (const int s : {0, 1, 2}) {
    Array<float> found(store.range(s).count);
    solve->write_compression(s, found.view());
    for (const float c : found.to_host()) {
      EXPECT_NEAR(c, compression(first), 5e-5) << first;
      ++first;
    }
  }
  const std::vector<Vec3d> after = to_doubles(store.velocity.to_host());
  double left = 0, had = 0;
  for (size_t i = 0; i < after.size(); ++i)
    if (neighbors(i) >= 20) left += std::max(0.0, rate(i, after)), had += std::max(0.0, rate(i, before));
  EXPECT_GT(dt * had / double(after.size()), 1e-3);
  EXPECT_LT(dt * left / double(after.size()), 2e-6);
  EXPECT_NEAR(solve->loss_before_step(), kinetic_energy(before) - kinetic_energy(after),
              1e-5 * kinetic_energy(before));
  EXPECT_LT(norm(momentum(after) - momentum(before)), 1e-6 * whole_mass());
}
TEST_F(DfsphCoupledSolve, TakesDivergenceFromFluidsAndSolids) { expect_divergence_free(false); }
TEST_F(DfsphCoupledSolve, TakesDivergenceAroundSolidsThatCompress) { expect_divergence_free(true); }

/// After the constant-density solve no particle of any system is denser than at rest, to first order in the
/// step; what is left is the tolerance, 1e-6 on average, ten of it left to later steps, and rounding.
void DfsphCoupledSolve::expect_constant_density(bool solids_compress) {
  make(solids_compress);
  solve->prepare(step(), {});
  const std::vector<Vec3d> before = to_doubles(store.velocity.to_host());
  Array<Vec3> end(store.velocity.to_host());
  const PressureSolveResult solved = solve->integrate(step(), {}, end.view());
  EXPECT_TRUE(solved.tolerance_met);
  EXPECT_GT(solved.iterations, 2);
  const std::vector<Vec3d> after = to_doubles(end.to_host());
  double left = 0, had = 0;
  for (size_t i = 0; i < after.size(); ++i) {
    left += std::max(0.0, compression(i) + dt * rate(i, after)) / double(after.size());
    had += std::max(0.0, compression(i) + dt * rate(i, before)) / double(after.size());
  }
  EXPECT_GT(had, 1e-3);
  EXPECT_LT(left, 2e-5);
  EXPECT_LT(norm(momentum(after) - momentum(before)), 1e-6 * whole_mass());
}
TEST_F(DfsphCoupledSolve, KeepsDensitiesOfFluidsAndSolids) { expect_constant_density(false); }
TEST_F(DfsphCoupledSolve, KeepsDensitiesAroundSolidsThatCompress) { expect_constant_density(true); }

}  // namespace dfsph_union_solve_test
MERGANSER_END
