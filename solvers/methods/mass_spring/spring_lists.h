#pragma once
/// Springs gathered per particle: every spring appears once at each of its ends.
#include <vector>

#include "device/array.h"
#include "solvers/core/initial_state.h"
#include "solvers/coupling/implicit/body_balance.h"

MERGANSER_BEGIN

/// Half-springs [first[i], first[i + 1]) belong to particle i (local indices of the system), neighbors
/// ascending.
struct SpringListView {
  View<const int> first;
  View<const int> neighbor;
  View<const float> rest_length;  ///< [m]
  View<const float> stiffness;    ///< [N/m]
};

class SpringLists {
 public:
  /// Throws InputError where a spring names a particle that does not exist, joins a particle to itself or has
  /// a negative rest length or stiffness.
  SpringLists(const std::vector<Spring>& springs, int particle_count);
  SpringListView view() const {
    return {first_.view(), neighbor_.view(), rest_length_.view(), stiffness_.view()};
  }
  /// Of the bodies that the springs hold together.
  BodyBalance balance() const { return {first_.to_host(), neighbor_.to_host()}; }
  /// Number of half-springs.
  int size() const { return neighbor_.size(); }

 private:
  Array<int> first_, neighbor_;
  Array<float> rest_length_, stiffness_;
};

MERGANSER_END
