#pragma once
/// Overlapping clouds of several systems, and what merging-and-splitting makes of them, on the host.
#include <random>

#include "solvers/coupling/merge_split/merge_split.h"
#include "tests/support/particles.h"

MERGANSER_BEGIN
namespace merge_split_test {

inline constexpr Vec3 open_domain{0, 0, 0}, no_gravitation{0, 0, 0};

/// Particles of a store on the host, with sums over them in double.
struct Snapshot {
  std::vector<Vec3> velocity;
  std::vector<float> mass, inverse_mass;
  std::vector<int> system;
  explicit Snapshot(const ParticleStore& store)
      : velocity(store.velocity.to_host()),
        mass(store.mass.to_host()),
        inverse_mass(store.inverse_mass.to_host()),
        system(store.system.to_host()) {}
};

struct HostGroups {
  std::vector<int> group_of, first, member;
  std::vector<Vec3> velocity;
  std::vector<float> inverse_mass, mass_scale;
  explicit HostGroups(const MetaParticleView& view)
      : group_of(to_host(view.group_of)),
        first(to_host(view.first)),
        velocity(to_host(view.velocity)),
        inverse_mass(to_host(view.inverse_mass)),
        mass_scale(to_host(view.mass_scale)) {
    first.resize(view.group_count > 0 ? size_t(view.group_count) + 1 : 0);
    member = to_host(view.member.subview(0, first.empty() ? 0 : first.back()));
  }
  size_t count() const { return velocity.size(); }
  template <class Visit>
  void for_each_member(size_t group, const Visit& visit) const {
    for (int k = first[group]; k < first[group + 1]; ++k) visit(size_t(member[size_t(k)]));
  }
};

/// Overlapping clouds of several systems; every other system is implicit.
struct Scene {
  ParticleStore store;
  std::vector<ContactRules> systems;
  Scene(unsigned seed, std::vector<int> counts, double immobile_share = 0) {
    std::mt19937 engine(seed);
    std::vector<HostParticles> clouds;
    for (int count : counts) {
      clouds.push_back(random_particles(engine, count, 1.0f, 0.03f, 1.5f, immobile_share));
      ContactRules system;
      system.implicit = clouds.size() % 2 == 0;
      systems.push_back(system);
    }
    add_systems(store, clouds);
  }
};

inline MergeSplitParameters parameters_with(double alpha, double beta, int least = 8, int most = 64) {
  MergeSplitParameters parameters;
  parameters.alpha = alpha;
  parameters.beta = beta;
  parameters.group_min = least;
  parameters.group_max = most;
  return parameters;
}

/// Any end velocity: one draw per particle, but one per (group, system) for members, as systems return it.
inline std::vector<Vec3> arbitrary_end_velocities(const Snapshot& start, const HostGroups& groups,
                                                  unsigned seed) {
  std::vector<Vec3> end(start.velocity.size());
  for (size_t i = 0; i < end.size(); ++i) {
    const int group = groups.group_of[i];
    const unsigned key = group < 0 ? unsigned(i) : unsigned(1000000 + 10 * group + start.system[i]);
    const RandomBits bits = random_draw(seed, RandomPurpose::test, key, 0);
    const Vec3 kick{uniform_float(bits.word[0]) - 0.5f, uniform_float(bits.word[1]) - 0.5f,
                    uniform_float(bits.word[2]) - 0.5f};
    end[i] = (group < 0 ? start.velocity[i] : groups.velocity[size_t(group)]) + kick;
  }
  return end;
}

}  // namespace merge_split_test
MERGANSER_END
