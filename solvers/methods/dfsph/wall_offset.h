#pragma once
/// Distance behind a wall's surface at which the fluid of the volume map begins.
#include "solvers/coupling/boundary/lattice_sums.h"

MERGANSER_BEGIN

/// The offset [m] for which particles on a lattice that starts half a spacing from a plane have rest density:
/// lambda(d/2 + offset) is what lattice layers behind the plane would add to the kernel sum. (Without it the
/// first layer is up to 4 % too dense, and the solver pushes the fluid off the wall when the run starts.)
/// `kernel` is a kernel of double with h = 1.
template <class Kernel>
float wall_offset(const Kernel& kernel, double spacing, double h) {
  const double d = spacing / h;
  const double layers = lattice_layers(kernel, spacing, h, 1) / lattice_density(kernel, spacing, h);
  double low = 0, high = 2;  // lambda falls with s
  for (int k = 0; k < 60; ++k) {
    const double middle = (low + high) / 2;
    (wall_share(kernel, middle) > layers ? low : high) = middle;
  }
  return static_cast<float>((low - d / 2) * h);
}

MERGANSER_END
