#include "solvers/coupling/boundary/box_part.h"

#include <cmath>

MERGANSER_BEGIN

namespace {
constexpr int nodes = box_part_nodes;
constexpr double cell = fill_support / (nodes - 1);

/// Gauss's two points of the k-th cell.
double gauss(int k, int point) {
  const double offset = 0.5 / std::sqrt(3.0);
  return cell * (k + 0.5 + (point ? offset : -offset));
}
}  // namespace

/// Gauss's rule with two points an axis in every cell, summed up from the centre outwards.
std::vector<BlockSample> tabulate_blocks(UnitKernel kernel) {
  const auto flat = [](int i, int j, int k) { return static_cast<size_t>((i * nodes + j) * nodes + k); };
  std::vector<double> volume(size_t(nodes) * nodes * nodes, 0), face(volume);
  const auto fill = [&](std::vector<double>& into, int i, int j, int k, double own, bool solid) {
    // inclusion and exclusion of the blocks that end one cell before
    double sum = own + into[flat(i, j - 1, k)] + into[flat(i, j, k - 1)] - into[flat(i, j - 1, k - 1)];
    if (solid)
      sum += into[flat(i - 1, j, k)] - into[flat(i - 1, j - 1, k)] - into[flat(i - 1, j, k - 1)] +
             into[flat(i - 1, j - 1, k - 1)];
    into[flat(i, j, k)] = sum;
  };
  for (int i = 0; i < nodes; ++i)
    for (int j = 1; j < nodes; ++j)
      for (int k = 1; k < nodes; ++k) {
        double in_cell = 0, in_face = 0;
        for (int p = 0; p < 4; ++p) {
          const double y = gauss(j - 1, p & 1), z = gauss(k - 1, p >> 1), across = y * y + z * z;
          in_face += kernel(std::sqrt(across + cell * cell * i * i));
          for (int q = 0; q < 2 && i > 0; ++q) {
            const double x = gauss(i - 1, q);
            in_cell += kernel(std::sqrt(across + x * x));
          }
        }
        fill(face, i, j, k, in_face * cell * cell / 4, false);
        if (i > 0) fill(volume, i, j, k, in_cell * cell * cell * cell / 8, true);
      }
  std::vector<BlockSample> samples(volume.size());
  for (size_t s = 0; s < samples.size(); ++s)
    samples[s] = {static_cast<float>(volume[s]), static_cast<float>(face[s])};
  return samples;
}

MERGANSER_END
