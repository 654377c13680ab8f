#pragma once
/// Groups with stated velocities, to test systems without merging-and-splitting.
#include <vector>

#include "solvers/core/system.h"

MERGANSER_BEGIN

/// Groups as merging-and-splitting hands them over, from member lists in store indices.
struct MetaGroups {
  Array<int> group_of, first, member;
  Array<Vec3> velocity;
  Array<float> inverse_mass, mass_scale;
  MetaGroups(int particles, const std::vector<std::vector<int>>& lists, const std::vector<Vec3>& v,
             const std::vector<float>& inverse) {
    std::vector<int> of(size_t(particles), -1), start{0}, all;
    for (size_t g = 0; g < lists.size(); ++g) {
      for (int i : lists[g]) of[size_t(i)] = int(g), all.push_back(i);
      start.push_back(int(all.size()));
    }
    group_of.assign(of), first.assign(start), member.assign(all);
    velocity.assign(v), inverse_mass.assign(inverse), mass_scale.assign(std::vector<float>(lists.size(), 1));
  }
  MetaParticleView view() const {
    return {group_of.const_view(),     first.const_view(),      member.const_view(), velocity.const_view(),
            inverse_mass.const_view(), mass_scale.const_view(), velocity.size()};
  }
};

MERGANSER_END
