#pragma once
/// A waving cloth that foreign particles hit: merged by hand for both stages of a step.
#include <cmath>
#include <random>

#include "solvers/methods/all_methods.h"
#include "solvers/methods/mass_spring/mass_spring.h"
#include "solvers/methods/mass_spring/mass_spring_parameters.h"
#include "solvers/methods/mass_spring/spring_network.h"
#include "tests/support/meta_particles.h"
#include "tests/support/test_namespace.h"

MERGANSER_BEGIN
namespace test {

struct MergedClothOptions {
  int side = 100;              ///< vertices along an edge
  double dt = 1e-4;            ///< [s]
  double stiffness_ratio = 1;  ///< dt^2 k/m of a structural spring
  double spring_damping = 0;   ///< [s]
  double tolerance = 1e-5;
  int max_iterations = 2000;
  double merged_share = 0.1;    ///< of the cloth's particles, in the first stage
  double turned_share = 0.015;  ///< further ones in the second
  bool clustered = false;       ///< merged ones in a disc around the middle, turned ones around its rim
  bool hard_turned = false;     ///< the second stage's partners approach as fast as the first's
  unsigned seed = 1;
};

/// System 0: the cloth, pinned at its edges, stretched by 2 % and waving. System 1: one partner per cloth
/// particle, of equal mass and explicit, 0 to 1 m/s faster downwards than the cloth where it is merged in the
/// first stage.
class MergedCloth {
 public:
  explicit MergedCloth(const MergedClothOptions& options) : options_(options), engine_(options.seed) {
    const int n = options.side;
    const float spacing = 0.01f, mass = 5e-4f;
    const double k = options.stiffness_ratio * mass / (options.dt * options.dt);
    SystemState state = new_system("massSpring");
    state.parameters.of<MassSpringParameters>() = {.spring_damping = options.spring_damping,
                                                   .tolerance = options.tolerance,
                                                   .max_iterations = options.max_iterations};
    state.springs = grid_springs(n, n, spacing, spacing, k, 0.5 * k, 0.01 * k * spacing * spacing);
    HostParticles cloth, partners;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const float x = 1.02f * spacing * float(i), y = 1.02f * spacing * float(j);
        const Vec3 position{x, y, 0.02f * std::sin(9 * x) * std::sin(7 * y)};
        const Vec3 velocity{0, 0, 0.3f * std::sin(5 * x + 1) * std::cos(8 * y)};
        const bool pinned = i == 0 || j == 0 || i == n - 1 || j == n - 1;
        add(cloth, position, pinned ? Vec3{0, 0, 0} : velocity, mass, pinned, 0);
        add(partners, position + Vec3{0, 0, spacing}, velocity - Vec3{0, 0, uniform()}, mass, false, 1);
      }
    store.add_system(cloth);
    store.add_system(partners);
    system = std::make_unique<MassSpring>(state, 0, store);
    end_velocity.resize(store.count());
    choose();
  }

  StepContext context() { return {store, report, {0, 0, -9.81f}, 0.0, options_.dt, 0}; }
  void prepare() {
    StepContext step = context();
    system->prepare(step);
  }
  HandMadeGroups first_groups() const { return HandMadeGroups(store, pairs(merged_), {true, false}); }
  void integrate(const HandMadeGroups& groups, int stage) {
    StepContext step = context();
    system->integrate(step, groups.view(), stage, end_velocity.view());
  }
  /// The partners' free fall, then [MS] eq. 17.
  void synchronize(const HandMadeGroups& groups) {
    auto v = end_velocity.to_host();
    const auto start = store.velocity.to_host();
    const auto group_of = to_host(groups.view().group_of);
    const auto group_velocity = to_host(groups.view().velocity);
    for (size_t i = size_t(cloth_count()); i < v.size(); ++i)
      v[i] = (group_of[i] < 0 ? start[i] : group_velocity[size_t(group_of[i])]) +
             Vec3{0, 0, -9.81f * float(options_.dt)};
    end_velocity.assign(v);
    groups.synchronize(store, end_velocity);
  }
  /// Groups of the second stage. Partners of the turned particles run ahead of the cloth by a share of what
  /// the first stage did to it, so that they part at the beginning of the step and approach at its end.
  HandMadeGroups second_groups() {
    const auto end = end_velocity.to_host();
    auto velocity = store.velocity.to_host();
    for (int i : turned_)
      if (!options_.hard_turned) {
        const Vec3 change = end[size_t(i)] - velocity[size_t(i)];
        velocity[size_t(i + cloth_count())] = velocity[size_t(i)] + uniform() * change;
      }
    store.velocity.assign(velocity);
    auto all = merged_;
    all.insert(all.end(), turned_.begin(), turned_.end());
    return HandMadeGroups(store, pairs(all), {true, false});
  }
  int cloth_count() const { return options_.side * options_.side; }

  ParticleStore store;
  KernelReport report;
  std::unique_ptr<System> system;
  Array<Vec3> end_velocity;

 private:
  float uniform() { return float(double(engine_()) / 4294967296.0); }
  static void add(HostParticles& p, Vec3 x, Vec3 v, float mass, bool pinned, int system) {
    p.position.push_back(x);
    p.velocity.push_back(v);
    p.mass.push_back(mass);
    p.inverse_mass.push_back(pinned ? 0.0f : 1 / mass);
    p.radius.push_back(0.005f);
    p.id.push_back(0);
    p.body.push_back(system);
    p.system.push_back(system);
  }
  void choose() {
    const int n = options_.side;
    std::vector<std::pair<double, int>> order;
    for (int j = 1; j < n - 1; ++j)
      for (int i = 1; i < n - 1; ++i) {
        const double distance = std::hypot(i - 0.5 * n, j - 0.5 * n);
        order.emplace_back(options_.clustered ? distance : uniform(), i + n * j);
      }
    std::sort(order.begin(), order.end());
    const size_t merged = size_t(options_.merged_share * n * n),
                 turned = size_t(options_.turned_share * n * n);
    for (size_t k = 0; k < merged; ++k) merged_.push_back(order[k].second);
    for (size_t k = merged; k < merged + turned; ++k) turned_.push_back(order[k].second);
  }
  std::vector<std::vector<int>> pairs(const std::vector<int>& cloth) const {
    std::vector<std::vector<int>> groups;
    for (int i : cloth) groups.push_back({i, i + cloth_count()});
    return groups;
  }

  MergedClothOptions options_;
  std::mt19937 engine_;
  std::vector<int> merged_, turned_;
};

}  // namespace test
MERGANSER_END
