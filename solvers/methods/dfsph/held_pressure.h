#pragma once
/// Impulses of the pressure solves on particles that are held: to probes of forces, for the solves themselves
/// leave them where they are.
#include "solvers/core/discarded_work.h"
#include "solvers/methods/dfsph/head_at_rest.h"
#include "solvers/methods/dfsph/row_pairs.h"

MERGANSER_BEGIN

/// J_i = -dt V^2 sum_j (p_i + p_j) grad W_ij of what is not free, p the pressures whose accelerations a solve
/// ended with: the opposite of what these pairs gave to the others. Images and walls are no part of it. With
/// a head -dt V grad p_s besides.
template <class Kernel>
struct HeldPressure {
  static constexpr const char* name = "dfsph held pressure";
  RowPairs<Kernel> pairs;
  View<const int> first_further;  ///< where images begin in a row; empty: there are none
  View<const float> free;         ///< above 0: J is 0
  View<const float> part;         ///< 0: p is 0
  View<const float> pressure;     ///< [Pa] p
  HeadAtRest head;
  float dt;            ///< [s]
  View<Vec3> impulse;  ///< [N s] written
  MERGANSER_METHOD void operator()(int i) const {
    impulse[i] = {0, 0, 0};
    if (free[i] > 0) return;
    const int length = first_further.empty() ? pairs.rows.length[i] : first_further[i];
    Vec3d sum{0, 0, 0};
    for (int k = 0; k < length; ++k) {
      const int j = pairs.rows.neighbor(i, k);
      Vec3 d = pairs.place(i) - pairs.place(j);
      pairs.image.apply(d);
      sum += to_double(d * (pairs.kernel.gradient_factor(norm(d)) * (of(i) + of(j))));
    }
    const double scale = double(dt) * double(pairs.volume);
    const Vec3d by_head = double(head.slope(i)) * to_double(head.weight);
    impulse[i] = to_float(-scale * (double(pairs.volume) * sum + by_head));
  }

 private:
  MERGANSER_METHOD float of(int j) const { return part[j] > 0 ? pressure[j] : 0.0f; }
};

/// Members of held groups: what the divergence solve and forces would have given to them alone, and the
/// density solve.
struct HeldMembers {
  static constexpr const char* name = "dfsph held members";
  HeldParticles held;
  View<const float> mass;     ///< [kg] of the store
  View<const Vec3> change;    ///< [m/s] of own particles
  View<const Vec3> pressure;  ///< [N s] of the density solve; empty: counted elsewhere
  int first;                  ///< of the store
  View<Vec3> impulse;         ///< [N s] of own particles, written
  MERGANSER_METHOD void operator()(int k) const {
    impulse[k] = {0, 0, 0};
    if (held.group(first + k) < 0 || !held.holds(first + k)) return;
    impulse[k] = mass[first + k] * change[k];
    if (!pressure.empty()) impulse[k] += pressure[k];
  }
};

/// Of both solves over several systems, and of drag. One index a particle of the union.
struct AddHeldPressure {
  static constexpr const char* name = "dfsph add held pressure";
  HeldParticles held;
  View<const int> store_index;
  View<const Vec3> divergence, density, drag;  ///< [N s]; the first and the last may be empty
  View<Vec3> impulse;                          ///< [N s] of the store, added to
  MERGANSER_METHOD void operator()(int s) const {
    const int i = store_index[s];
    if (!held.holds(i)) return;
    if (!divergence.empty()) impulse[i] += divergence[s];
    impulse[i] += density[s];
    if (!drag.empty()) impulse[i] += drag[s];
  }
};

MERGANSER_END
