#pragma once
/// A pressure equation for benchmarks.
#include "device/random.h"
#include "solvers/linear/multigrid/multigrid.h"

MERGANSER_BEGIN

/// Pressure equation of water under a wavy surface at about 7/8 of the height of a box with closed walls.
struct WavyWater {
  static constexpr const char* name = "benchmark pressure matrix";
  int edge;
  GridCoefficients to;
  View<float> right_side;
  MERGANSER_METHOD float depth(int x, int y, int z) const {
    const float n = static_cast<float>(edge);
    const float surface =
        0.875f + 0.05f * sinf(12 * static_cast<float>(x) / n) * cosf(9 * static_cast<float>(y) / n);
    return surface * n - static_cast<float>(z);
  }
  MERGANSER_METHOD bool unknown(int x, int y, int z) const {
    return x >= 1 && y >= 1 && z >= 1 && x <= edge && y <= edge && z <= edge && depth(x, y, z) > 0;
  }
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int slot = to.box.slot(x, y, z);
    const bool here = unknown(x, y, z);
    to.face[0][slot] = here && unknown(x - 1, y, z) ? 1.0f : 0.0f;
    to.face[1][slot] = here && unknown(x, y - 1, z) ? 1.0f : 0.0f;
    to.face[2][slot] = here && unknown(x, y, z - 1) ? 1.0f : 0.0f;
    float known = 0;
    for (int side = 0; here && side < 5; ++side) {
      const int next_x = x + (side == 0) - (side == 1), next_y = y + (side == 2) - (side == 3),
                next_z = z + (side == 4);
      if (next_x < 1 || next_y < 1 || next_x > edge || next_y > edge || unknown(next_x, next_y, next_z))
        continue;
      const float inside = depth(x, y, z), theta = inside / (inside - depth(next_x, next_y, next_z));
      known += 1 / (theta > 0.01f ? theta : 0.01f);
    }
    to.dirichlet[slot] = known;
    const RandomBits bits = random_draw(3, RandomPurpose::test, static_cast<unsigned>(slot), 0);
    right_side[slot] = here ? uniform_float(bits.word[0]) - 0.5f + 0.1f * sinf(3 * depth(x, y, z)) : 0.0f;
  }
};

MERGANSER_END
