#pragma once
/// Synchronization of what several systems computed for one meta-particle, [MS] eq. 17-19.
#include "device/array.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

/// [MS] eq. 17 and 19 over all members of a group: v' = sum m v_hat / M, dEk = 1/2 sum m v_hat^2 - 1/2 M
/// v'^2. Velocities are taken relative to the first member's, so that members that agree give exactly their
/// velocity and no energy.
struct SynchronizeGroup {
  static constexpr const char* name = "synchronize: groups";
  View<const float> mass;
  View<const int> first, member;
  View<const Vec3> start_velocity;
  View<const float> inverse_mass;
  View<const Vec3> end_velocity;
  View<Vec3> synchronized;
  View<float> energy;
  MERGANSER_METHOD void operator()(int group) const {
    if (!(inverse_mass[group] > 0)) {
      synchronized[group] = start_velocity[group];
      energy[group] = 0;
      return;
    }
    const Vec3d reference = to_double(end_velocity[member[first[group]]]);
    double whole_mass = 0, square = 0;
    Vec3d momentum{0, 0, 0};
    for (int k = first[group]; k < first[group + 1]; ++k) {
      const double m = mass[member[k]];
      const Vec3d v = to_double(end_velocity[member[k]]) - reference;
      whole_mass += m;
      momentum += m * v;
      square += m * norm_squared(v);
    }
    synchronized[group] = to_float(reference + momentum / whole_mass);
    energy[group] = static_cast<float>(fmax(0.0, 0.5 * (square - norm_squared(momentum) / whole_mass)));
  }
};

struct WriteSynchronized {
  static constexpr const char* name = "synchronize: write velocities";
  View<const int> items, group_of;
  View<const Vec3> synchronized;
  View<Vec3> velocity;
  MERGANSER_METHOD void operator()(int item) const {
    if (group_of[item] >= 0) velocity[items[item]] = synchronized[group_of[item]];
  }
};

MERGANSER_END
