#pragma once
/// Exchange of particles from crowded cells to sparse ones, and the velocities after it.
#include "device/random.h"
#include "solvers/methods/flip/reseed.h"

MERGANSER_BEGIN

/// How a lattice cell is occupied, known to each of its particles.
struct CellOccupancy {
  View<const int> first;    ///< the cell's first particle, which stands for it
  View<const int> count;    ///< particles in the cell
  View<const int> surplus;  ///< the particle that a crowded cell would give away, -1 where it is not crowded
};

struct FindOccupancy {
  static constexpr const char* name = "flip cell occupancy";
  UniformGridView particles;
  int most;
  View<int> first, count, surplus;
  MERGANSER_METHOD void operator()(int i) const {
    const Int3 cell = particles.shape.cell(particles.position[i]);
    int seen = 0, lowest = -1, given = -1;
    for_each_particle_in(particles, cell, cell, [&](int j) {
      if (!(particles.shape.cell(particles.position[j]) == cell)) return;
      if (seen == 0) lowest = j;
      if (seen == most) given = j;
      ++seen;
    });
    first[i] = lowest;
    count[i] = seen;
    surplus[i] = given;
  }
};

MERGANSER_FN bool occupied(const UniformGridView& particles, const Int3& first, const Int3& last) {
  bool any = false;
  if (!particles.bucket_start.empty())
    for_each_particle_in(particles, first, last, [&](int j) {
      const Int3 c = particles.shape.cell(particles.position[j]);
      any = any || (c.x >= first.x && c.y >= first.y && c.z >= first.z && c.x <= last.x && c.y <= last.y &&
                    c.z <= last.z);
    });
  return any;
}

/// Which of two cells' wishes goes first.
struct ExchangeKey {
  std::uint32_t seed;
  long long step;
  View<const int> id;
  MERGANSER_METHOD std::uint64_t operator()(int taker, int giver) const {
    const RandomBits bits =
        random_draw(seed, RandomPurpose::reseeding, static_cast<std::uint32_t>(id[taker]),
                    static_cast<std::uint64_t>(step), static_cast<std::uint32_t>(id[giver]));
    return (static_cast<std::uint64_t>(bits.word[0]) << 32) | static_cast<std::uint32_t>(id[giver]);
  }
};

/// For the first particle of a sparse cell inside the fluid: a free place in the cell, and the surplus
/// particle it would like. giver = -1 for all others.
template <class Shapes>
struct ChooseGiver {
  static constexpr const char* name = "flip choose giver";
  UniformGridView particles, foreign;
  Shapes walls;
  CellOccupancy cells;
  ExchangeKey key;
  int least;
  float cell_size, particle_radius;  ///< [m]
  View<int> giver;
  View<Vec3> place;  ///< [m]

  MERGANSER_METHOD Vec3 corner(const Int3& c) const {
    return {static_cast<float>(c.x) * cell_size, static_cast<float>(c.y) * cell_size,
            static_cast<float>(c.z) * cell_size};
  }
  /// Every cell around holds fluid or lies behind a wall, and no other system is near.
  MERGANSER_METHOD bool inside(const Int3& c) const {
    for (int z = c.z - 1; z <= c.z + 1; ++z)
      for (int y = c.y - 1; y <= c.y + 1; ++y)
        for (int x = c.x - 1; x <= c.x + 1; ++x) {
          const Int3 other{x, y, z};
          if (occupied(particles, other, other)) continue;
          const float half = 0.5f * cell_size;
          if (walls.count == 0 || nearest_wall(walls, corner(other) + Vec3{half, half, half}).distance > 0)
            return false;
        }
    return !occupied(foreign, {c.x - 1, c.y - 1, c.z - 1}, {c.x + 1, c.y + 1, c.z + 1});
  }
  /// A place in an eighth of the cell that holds no particle; false where none is clear of walls.
  MERGANSER_METHOD bool find_place(int i, const Int3& c, Vec3& found) const {
    const Vec3 low = corner(c);
    const float half = 0.5f * cell_size;
    unsigned taken = 0;
    for_each_particle_in(particles, c, c, [&](int j) {
      const Vec3 d = particles.position[j] - low;
      if (particles.shape.cell(particles.position[j]) == c)
        taken |= 1u << ((d.x > half ? 1 : 0) + (d.y > half ? 2 : 0) + (d.z > half ? 4 : 0));
    });
    const RandomBits bits =
        random_draw(key.seed, RandomPurpose::reseeding, static_cast<std::uint32_t>(key.id[i]),
                    static_cast<std::uint64_t>(key.step), 0xffffffffu);
    for (unsigned k = 0; k < 8; ++k) {
      const unsigned eighth = (bits.word[3] + k) & 7u;
      if (taken & (1u << eighth)) continue;
      const Vec3 x{low.x + half * (float(eighth & 1u) + 0.25f + 0.5f * uniform_float(bits.word[0])),
                   low.y + half * (float(eighth >> 1 & 1u) + 0.25f + 0.5f * uniform_float(bits.word[1])),
                   low.z + half * (float(eighth >> 2) + 0.25f + 0.5f * uniform_float(bits.word[2]))};
      if (walls.count > 0 && nearest_wall(walls, x).distance < particle_radius) continue;
      found = x;
      return true;
    }
    return false;
  }
  MERGANSER_METHOD void operator()(int i) const {
    giver[i] = -1;
    if (cells.first[i] != i || cells.count[i] > least) return;
    const Int3 c = particles.shape.cell(particles.position[i]);
    Vec3 free_place{};
    if (!inside(c) || !find_place(i, c, free_place)) return;
    std::uint64_t lowest = ~0ull;
    int chosen = -1;
    for_each_particle_in(particles, {c.x - 2, c.y - 2, c.z - 2}, {c.x + 2, c.y + 2, c.z + 2}, [&](int j) {
      if (cells.surplus[j] != j) return;
      const Int3 d = particles.shape.cell(particles.position[j]);
      if (d.x < c.x - 2 || d.y < c.y - 2 || d.z < c.z - 2 || d.x > c.x + 2 || d.y > c.y + 2 || d.z > c.z + 2)
        return;
      const std::uint64_t k = key(i, j);
      if (k >= lowest) return;
      lowest = k;
      chosen = j;
    });
    giver[i] = chosen;
    place[i] = free_place;
  }
};

/// For surplus particles: the sparse cell that they go to, by its first particle, or -1.
struct ChooseTaker {
  static constexpr const char* name = "flip choose taker";
  UniformGridView particles, foreign;
  CellOccupancy cells;
  ExchangeKey key;
  View<const int> giver;
  View<int> taker;
  MERGANSER_METHOD void operator()(int j) const {
    taker[j] = -1;
    if (cells.surplus[j] != j) return;
    const Int3 c = particles.shape.cell(particles.position[j]);
    if (occupied(foreign, {c.x - 1, c.y - 1, c.z - 1}, {c.x + 1, c.y + 1, c.z + 1})) return;
    std::uint64_t lowest = ~0ull;
    for_each_particle_in(particles, {c.x - 2, c.y - 2, c.z - 2}, {c.x + 2, c.y + 2, c.z + 2}, [&](int i) {
      if (giver[i] != j) return;
      const std::uint64_t k = (key(i, j) & ~0xffffffffull) | static_cast<std::uint32_t>(key.id[i]);
      if (k >= lowest) return;
      lowest = k;
      taker[j] = i;
    });
  }
};

/// Velocities after the exchanges: the particle that moves gets the mean of its new cell, and what it had
/// more than that, all particles of both cells share, so that sum m v stays.
struct ExchangedVelocity {
  static constexpr const char* name = "flip exchanged velocity";
  CellOccupancy cells;
  UniformGridView particles;
  View<const int> giver, taker;
  View<const Vec3> velocity;
  View<Vec3> exchanged;
  MERGANSER_METHOD Vec3 mean_of_cell(int first) const {
    const Int3 cell = particles.shape.cell(particles.position[first]);
    Vec3 sum{0, 0, 0};
    for_each_particle_in(particles, cell, cell, [&](int j) {
      if (particles.shape.cell(particles.position[j]) == cell) sum += velocity[j];
    });
    return sum * (1.0f / static_cast<float>(cells.count[first]));
  }
  MERGANSER_METHOD void operator()(int i) const {
    int from = cells.surplus[i], to = from < 0 ? -1 : taker[from];
    if (to < 0) {
      to = cells.first[i];
      from = giver[to];
      if (from < 0 || taker[from] != to) from = to = -1;
    }
    Vec3 v = velocity[i];
    if (to >= 0) {
      const Vec3 mean = mean_of_cell(to);
      if (i == from) v = mean;
      v += (velocity[from] - mean) * (1.0f / static_cast<float>(cells.count[from] + cells.count[to]));
    }
    exchanged[i] = v;
  }
};

MERGANSER_END
