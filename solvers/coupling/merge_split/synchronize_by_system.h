#pragma once
/// SynchronizeGroup (synchronize.h) for many threads a group: sums over the members of each system, then
/// every member makes its velocity of the few sums of its group.
#include "device/group_sums.h"
#include "solvers/coupling/merge_split/synchronize.h"

MERGANSER_BEGIN

/// What the members of one system in one group bring; velocities relative to the group's reference.
struct SystemSum {
  double mass = 0;          ///< [kg] sum m
  Vec3d momentum{0, 0, 0};  ///< [N s] sum m v_hat
  Vec3d impulse{0, 0, 0};   ///< [N s] sum m (v_hat - V*)
};

/// Row group * system_count + system: the system's members in the group, which follow each other.
struct SumBySystem {
  static constexpr const char* name = "synchronize: sums by system";
  using Value = SystemSum;
  View<const float> mass;
  View<const ContactSystem> systems;
  View<const int> first, member;
  View<const Vec3> start_velocity;  ///< [m/s] V
  View<const float> inverse_mass;
  Vec3 free_change;               ///< [m/s] V* - V = dt g
  View<const Vec3> end_velocity;  ///< [m/s] v_hat
  View<SystemSum> sum;
  View<Vec3> reference;  ///< [m/s] v_hat of each group's first member

  MERGANSER_METHOD int begin(int row) const { return place(row / systems.count, row % systems.count); }
  MERGANSER_METHOD int end(int row) const {
    const int group = row / systems.count, system = row % systems.count;
    return place(group, inverse_mass[group] > 0 ? system + 1 : system);
  }
  MERGANSER_METHOD void add(SystemSum& total, int row, int k) const {
    const int group = row / systems.count, i = member[k];
    const Vec3d origin = to_double(first_velocity(group));
    const Vec3d free = to_double(start_velocity[group] + free_change) - origin;
    const double m = mass[i];
    const Vec3d v = to_double(end_velocity[i]) - origin;
    total.mass += m;
    total.momentum += m * v;
    total.impulse += m * (v - free);
  }
  MERGANSER_METHOD static SystemSum identity() { return {}; }
  MERGANSER_METHOD static SystemSum combine(const SystemSum& a, const SystemSum& b) {
    return {a.mass + b.mass, a.momentum + b.momentum, a.impulse + b.impulse};
  }
  MERGANSER_METHOD void finish(int row, const SystemSum& total) const {
    sum[row] = total;
    if (row % systems.count == 0) reference[row / systems.count] = first_velocity(row / systems.count);
  }

 private:
  MERGANSER_METHOD Vec3 first_velocity(int group) const { return end_velocity[member[first[group]]]; }
  /// First place of the group whose member belongs to `system` or a later one.
  MERGANSER_METHOD int place(int group, int system) const {
    int low = first[group], high = first[group + 1];
    if (system == systems.count) return high;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (member[middle] < systems[system].first)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// The group's v' and dEk from the sums, written to the item; the group's first member writes the group's.
struct SynchronizeMembers {
  static constexpr const char* name = "synchronize: members";
  View<const int> items, group_of;
  View<const ContactSystem> systems;
  View<const int> first, member;
  View<const Vec3> start_velocity;
  View<const float> inverse_mass;
  View<const SystemSum> sum;
  View<const Vec3> reference;
  View<Vec3> synchronized;
  View<float> energy;
  View<Vec3> velocity;  ///< [m/s] per particle
  MERGANSER_METHOD void operator()(int item) const {
    const int group = group_of[item], i = items[item];
    if (group < 0) return;
    Synchronized result{start_velocity[group], 0};
    if (inverse_mass[group] > 0) result = of_moving(group);
    velocity[i] = result.velocity;
    if (i != member[first[group]]) return;
    synchronized[group] = result.velocity;
    energy[group] = result.energy;
  }
  MERGANSER_METHOD Synchronized of_moving(int group) const {
    double whole_mass = 0, implicit_mass = 0;
    Vec3d momentum{0, 0, 0}, of_implicit{0, 0, 0};
    IntegratedEnergy integrated;
    for (int s = 0; s < systems.count; ++s) {
      const SystemSum& of = sum[group * systems.count + s];
      whole_mass += of.mass;
      momentum += of.momentum;
      if (systems[s].implicit) {
        implicit_mass += of.mass;
        of_implicit += of.impulse;
      } else {
        integrated.add(of.mass, of.impulse);
      }
    }
    integrated.add(implicit_mass, of_implicit);
    return synchronized_group(to_double(reference[group]), start_velocity[group], whole_mass, momentum,
                              integrated);
  }
};

MERGANSER_END
