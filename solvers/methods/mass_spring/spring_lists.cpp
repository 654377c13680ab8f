#include "solvers/methods/mass_spring/spring_lists.h"

#include <algorithm>
#include <string>

MERGANSER_BEGIN

SpringLists::SpringLists(const std::vector<Spring>& springs, int particle_count) {
  struct Half {
    int particle, neighbor;
    float rest_length, stiffness;
  };
  std::vector<Half> halves;
  halves.reserve(2 * springs.size());
  for (size_t k = 0; k < springs.size(); ++k) {
    const Spring& s = springs[k];
    const bool exists = s.a >= 0 && s.b >= 0 && s.a < particle_count && s.b < particle_count;
    if (!exists || s.a == s.b || !(s.rest_length >= 0) || !(s.stiffness >= 0))
      throw InputError(
          "spring " + std::to_string(k) + " (particles " + std::to_string(s.a) + " and " +
          std::to_string(s.b) + ", rest length " + std::to_string(s.rest_length) + " m, stiffness " +
          std::to_string(s.stiffness) + " N/m): it must join two different particles of the " +
          std::to_string(particle_count) + " of its system, with rest length and stiffness of 0 or more");
    halves.push_back({s.a, s.b, s.rest_length, s.stiffness});
    halves.push_back({s.b, s.a, s.rest_length, s.stiffness});
  }
  std::stable_sort(halves.begin(), halves.end(), [](const Half& a, const Half& b) {
    return a.particle != b.particle ? a.particle < b.particle : a.neighbor < b.neighbor;
  });
  std::vector<int> first(static_cast<size_t>(particle_count) + 1, 0), neighbor;
  std::vector<float> rest_length, stiffness;
  for (const Half& half : halves) {
    ++first[static_cast<size_t>(half.particle) + 1];
    neighbor.push_back(half.neighbor);
    rest_length.push_back(half.rest_length);
    stiffness.push_back(half.stiffness);
  }
  for (size_t i = 0; i < static_cast<size_t>(particle_count); ++i) first[i + 1] += first[i];
  first_.assign(first);
  neighbor_.assign(neighbor);
  rest_length_.assign(rest_length);
  stiffness_.assign(stiffness);
}

MERGANSER_END
