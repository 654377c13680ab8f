#pragma once
/// The walk through the grid that finds contacts, once to count and once to fill.
#include "device/block_phases.h"
#include "solvers/coupling/merge_split/contact_detection.h"
#include "solvers/coupling/merge_split/merge.h"

MERGANSER_BEGIN

/// Per bucket of a grid with reach 1: which of the 9 rows of 3 buckets around it hold particles, bit 3 (dz +
/// 1) + dy + 1. So the many particles of a large fluid that are near nobody are done after one look, and
/// those near a sheet look into the few rows that it passes through.
struct FindOccupied {
  static constexpr const char* name = "contacts: occupied cells";
  GridShape shape;
  View<const int> bucket_start;
  View<int> occupied;
  MERGANSER_METHOD static int wrap(int bucket, int count) {
    return bucket < 0 ? bucket + count : bucket >= count ? bucket - count : bucket;
  }
  MERGANSER_METHOD void operator()(int bucket) const {
    const Int3 n = shape.buckets;
    const int x = bucket % n.x, y = bucket / n.x % n.y, z = bucket / (n.x * n.y);
    int rows = 0;
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy) {
        int count = 0;
        const int row = n.x * (wrap(y + dy, n.y) + n.y * wrap(z + dz, n.z));
        if (x > 0 && x + 1 < n.x) {
          count += bucket_start[row + x + 2] - bucket_start[row + x - 1];
        } else {
          for (int dx = -1; dx <= 1; ++dx)
            count += bucket_start[row + wrap(x + dx, n.x) + 1] - bucket_start[row + wrap(x + dx, n.x)];
        }
        if (count > 0) rows |= 1 << (3 * (dz + 1) + dy + 1);
      }
    occupied[bucket] = rows;
  }
};

/// All contacts that a particle has to report, by one walk through the grid.
struct ContactSearch {
  ParticleConstView particles;
  View<const ContactSystem> systems;
  UniformGridView grid;
  View<const int> occupied;
  View<const Vec3> half_kick;  ///< [m/s], or empty
  Range outside;               ///< particles that are not in the grid; indices above them are shifted there
  Vec3 low, high;              ///< [m] box around the grid's particles
  float grid_radius;           ///< [m] greatest radius in the grid

  MERGANSER_METHOD bool bonded(const ContactSystem& system, int i, int j) const {
    if (system.rigid_bodies && particles.body[i] == particles.body[j]) return true;
    if (system.bond_first.empty()) return false;
    const int a = i - system.first, b = j - system.first;
    int low = system.bond_first[a], high = system.bond_first[a + 1];
    while (low < high) {
      const int middle = low + (high - low) / 2, entry = system.bond_neighbor[middle];
      const int neighbor = entry < 0 ? ~entry : entry;
      if (neighbor == b) return entry >= 0;
      if (neighbor < b)
        low = middle + 1;
      else
        high = middle;
    }
    return false;
  }

  MERGANSER_METHOD Vec3 velocity(int i) const { return at_positions(particles.velocity, half_kick, i); }
  MERGANSER_METHOD static bool share_pressure(const ContactSystem& a, const ContactSystem& b) {
    return a.pressure_solve >= 0 && a.pressure_solve == b.pressure_solve;
  }
  /// visit(j, x_i - x_j) for the pairs that i reports: with any particle of the grid if i is not in it, else
  /// with later ones.
  template <class Visit>
  MERGANSER_METHOD void for_each_contact(int i, const Visit& visit) const {
    const int own = particles.system[i];
    if (own < 0 || !systems[own].searches) return;
    const Vec3 x = particles.position[i];
    const float radius = particles.radius[i], reach = radius + grid_radius;
    if (x.x < low.x - reach || x.y < low.y - reach || x.z < low.z - reach || x.x > high.x + reach ||
        x.y > high.y + reach || x.z > high.z + reach)
      return;
    const Int3 cell = grid.shape.cell(x);
    const int rows = occupied[grid.shape.bucket(cell)];
    if (rows == 0) return;
    const bool immobile = !(particles.inverse_mass[i] > 0);
    const bool in_grid = !outside.contains(i);
    auto look = [&](int sorted, const Vec3& offset, float distance2) {
      const int k = grid.order[sorted];
      const int j = k < outside.first ? k : k + outside.count;
      if (in_grid && j <= i) return;
      const float contact = radius + particles.radius[j];
      if (!(distance2 < contact * contact)) return;
      if (immobile && !(particles.inverse_mass[j] > 0)) return;
      const int other = particles.system[j];
      if (other < 0) return;
      if (other == own && (!systems[own].self_contact || bonded(systems[own], i, j))) return;
      if (other != own && share_pressure(systems[own], systems[other])) return;
      visit(j, offset);
    };
    for (int row = 0; row < 9; ++row) {
      if (!(rows >> row & 1)) continue;
      grid.for_each_range_of_row(x, cell, row % 3 - 1, row / 3 - 1,
                                 [&](int begin, int end, const Vec3& query) {
                                   for (int sorted = begin; sorted < end; ++sorted) {
                                     const Vec3 offset = query - grid.position.data[sorted];
                                     const float distance2 = norm_squared(offset);
                                     if (distance2 < reach * reach) look(sorted, offset, distance2);
                                   }
                                 });
    }
  }
};

struct CountContacts {
  static constexpr const char* name = "contacts: count";
  ContactSearch search;
  View<int> count;
  View<int> in_contact;  ///< per particle: 1 where it is in some pair
  MERGANSER_METHOD void operator()(int i) const {
    int n = 0;
    search.for_each_contact(i, [&](int j, const Vec3&) {
      atomic_max(&in_contact[j], 1);
      ++n;
    });
    if (n > 0) atomic_max(&in_contact[i], 1);
    count[i] = n;
  }
};

/// Deeper pairs go first where groups fill: a level for every sixteenth of the sum of the radii. What a step
/// leaves out goes deeper, and before others in the next.
MERGANSER_FN int depth_level(float distance, float radii) {
  const int level = static_cast<int>(16 * (1 - distance / radii));
  return level < 0 ? 0 : level < most_pair_level ? level : most_pair_level;
}

/// [MS] eq. 22 for the offset n of a pair of particles of systems a and b and the difference v of its
/// velocities: n.v < 0. Of rigid bodies by more than rounding of positions makes where they slide along each
/// other: every such pair would hold them.
MERGANSER_FN bool approaches(const Vec3& n, const Vec3& v, const ContactSystem& a, const ContactSystem& b) {
  const float least = a.rigid_bodies && b.rigid_bodies ? -1e-5f * norm(n) * norm(v) : 0.0f;
  return dot(n, v) < least;
}

struct FillContacts {
  static constexpr const char* name = "contacts: fill";
  ContactSearch search;
  View<const int> first, place;  ///< per particle: pairs, and contact particles, before it
  View<ItemPair> pair;           ///< contact particles, the smaller one first
  View<int> approaching;
  View<int> contact_particle;  ///< like the two above: what there is no room for is left out
  MERGANSER_METHOD void operator()(int i) const {
    if (place[i + 1] > place[i] && place[i] < contact_particle.count) contact_particle[place[i]] = i;
    int at = first[i];
    if (first[i + 1] == at || first[i + 1] > pair.count) return;
    search.for_each_contact(i, [&](int j, const Vec3& offset) {
      pair[at] = {place[i < j ? i : j], place[i < j ? j : i],
                  depth_level(norm(offset), search.particles.radius[i] + search.particles.radius[j])};
      const auto& system = search.particles.system;
      approaching[at++] = approaches(offset, search.velocity(i) - search.velocity(j),
                                     search.systems[system[i]], search.systems[system[j]])
                              ? 1
                              : 0;
    });
  }
};

/// How many pairs and contact particles there are, side by side for one read.
struct ContactTotals {
  static constexpr const char* name = "contacts: totals";
  View<const int> pair_first, place;
  View<PairCount> total;
  MERGANSER_METHOD void operator()(int) const {
    total[0] = {pair_first[pair_first.count - 1], place[place.count - 1]};
  }
};

/// From counts and flags of particles to places and totals.
struct ScanContacts {
  static constexpr const char* name = "contacts: scan";
  View<int> pair_first, place;
  View<PairCount> total;
  MERGANSER_EITHER_SIDE
  template <class Phases>
  MERGANSER_METHOD void operator()(Phases& phases) const {
    phases.scan(pair_first.subview(0, pair_first.count - 1), pair_first);
    phases.scan(place.subview(0, place.count - 1), place);
    phases.run(1, ContactTotals{pair_first, place, total});
  }
};

MERGANSER_END
