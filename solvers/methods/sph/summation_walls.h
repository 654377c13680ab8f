#pragma once
/// What walls add to densities by summation.
#include <cmath>

#include "solvers/coupling/boundary/lattice_sums.h"
#include "solvers/coupling/boundary/wall_density.h"

MERGANSER_BEGIN

/// Lambda = L (lambda/lambda_h)^n: at half a spacing from a plane, where lambda is lambda_h, a wall adds L,
/// what the layers of a lattice behind it would, with the slope 2 L' of their mirror images, so that equal
/// pressures leave a lattice alone. `kernel` is a kernel of double with h = 1.
template <class Kernel>
WallDensity summation_wall_density(const Kernel& kernel, double spacing, double h) {
  const double half = 0.5 * spacing / h, layers = lattice_layers(kernel, spacing, h, 1);
  const double share = wall_share(kernel, half);
  const double n = 2 * lattice_slope(kernel, spacing, h) * share / (layers * wall_slope(kernel, half));
  return {static_cast<float>(std::pow(std::pow(share, n) / layers, 1 / (n - 1))), static_cast<float>(n)};
}

MERGANSER_END
