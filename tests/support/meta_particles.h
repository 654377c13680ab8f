#pragma once
/// Meta-particles made by hand, to test systems without merging-and-splitting.
#include <algorithm>
#include <vector>

#include "solvers/core/system.h"
#include "tests/support/test_namespace.h"

MERGANSER_BEGIN
namespace test {

/// Groups of global particle indices; the rest of MetaParticleView follows from the particles.
class HandMadeGroups {
 public:
  /// `systems_implicit[s]` tells whether system s is implicit.
  HandMadeGroups(const ParticleStore& store, std::vector<std::vector<int>> groups,
                 const std::vector<bool>& systems_implicit)
      : members_(std::move(groups)) {
    const auto mass = store.mass.to_host(), inverse_mass = store.inverse_mass.to_host();
    const auto velocity = store.velocity.to_host();
    const auto system = store.system.to_host();
    std::vector<int> group_of(mass.size(), -1), first{0}, member;
    std::vector<float> group_inverse_mass, mass_scale;
    std::vector<Vec3> group_velocity;
    for (size_t g = 0; g < members_.size(); ++g) {
      std::sort(members_[g].begin(), members_[g].end());
      double total = 0, implicit = 0;
      Vec3d momentum{0, 0, 0};
      int immobile = -1;
      for (int i : members_[g]) {
        const size_t k = size_t(i);
        group_of[k] = int(g);
        member.push_back(i);
        total += mass[k];
        momentum += double(mass[k]) * to_double(velocity[k]);
        if (systems_implicit[size_t(system[k])]) implicit += mass[k];
        if (inverse_mass[k] == 0) immobile = i;
      }
      first.push_back(int(member.size()));
      group_velocity.push_back(immobile >= 0 ? velocity[size_t(immobile)] : to_float(momentum / total));
      group_inverse_mass.push_back(immobile >= 0 ? 0.0f : float(1 / total));
      mass_scale.push_back(implicit > 0 ? float(total / implicit) : 1.0f);
    }
    group_of_.assign(group_of);
    first_.assign(first);
    member_.assign(member);
    velocity_.assign(group_velocity);
    inverse_mass_.assign(group_inverse_mass);
    mass_scale_.assign(mass_scale);
  }
  MetaParticleView view() const {
    return {.group_of = group_of_.view(),
            .first = first_.view(),
            .member = member_.view(),
            .velocity = velocity_.view(),
            .inverse_mass = inverse_mass_.view(),
            .mass_scale = mass_scale_.view(),
            .group_count = int(members_.size()),
            .half_kick = {},
            .group_half_kick = {}};
  }
  const std::vector<std::vector<int>>& members() const { return members_; }

  /// [MS] eq. 17 with beta = 0: all members of a group get the mass-weighted average of their end velocities.
  void synchronize(const ParticleStore& store, Array<Vec3>& end_velocity) const {
    const auto mass = store.mass.to_host();
    auto velocity = end_velocity.to_host();
    for (const auto& group : members_) {
      double total = 0;
      Vec3d momentum{0, 0, 0};
      for (int i : group) {
        total += mass[size_t(i)];
        momentum += double(mass[size_t(i)]) * to_double(velocity[size_t(i)]);
      }
      for (int i : group) velocity[size_t(i)] = to_float(momentum / total);
    }
    end_velocity.assign(velocity);
  }

 private:
  std::vector<std::vector<int>> members_;
  Array<int> group_of_, first_, member_;
  Array<Vec3> velocity_;
  Array<float> inverse_mass_, mass_scale_;
};

}  // namespace test
MERGANSER_END
