#pragma once
/// Densities of lattices: what kernels are divided by, and how far behind a wall's surface the fluid of the
/// volume map begins.
#include <cmath>

#include "device/backend.h"

MERGANSER_BEGIN

/// What lattice particles in the layers from `first` on, seen from a particle in layer 0, add to rho/rho0 of
/// the latter; `kernel` is a kernel of double with h = 1.
template <class Kernel>
double lattice_layers(const Kernel& kernel, double spacing, double h, int first) {
  const double d = spacing / h;
  const int reach = static_cast<int>(std::ceil(2 / d));
  double sum = 0;
  for (int z = first; z <= reach; ++z)
    for (int y = -reach; y <= reach; ++y)
      for (int x = -reach; x <= reach; ++x) sum += kernel.value(d * std::sqrt(double(x * x + y * y + z * z)));
  return sum * d * d * d;
}

/// rho/rho0 inside a lattice, by which the solver's kernel is divided: blocks start at their rest density
/// with any kernel and smoothing length. (The cubic spline at h = 1 spacing has 1, the Wendland kernel 1.034:
/// the first step would blow a tank apart.)
template <class Kernel>
double lattice_density(const Kernel& kernel, double spacing, double h) {
  return lattice_layers(kernel, spacing, h, -static_cast<int>(std::ceil(2 * h / spacing)));
}

/// The derivative of that by the distance to the layers behind, all of them from the first on [1/h].
template <class Kernel>
double lattice_slope(const Kernel& kernel, double spacing, double h) {
  const double d = spacing / h;
  const int reach = static_cast<int>(std::ceil(2 / d));
  double sum = 0;
  for (int z = 1; z <= reach; ++z)
    for (int y = -reach; y <= reach; ++y)
      for (int x = -reach; x <= reach; ++x)
        sum += kernel.gradient_factor(d * std::sqrt(double(x * x + y * y + z * z))) * d * z;
  return sum * d * d * d;
}

/// lambda'(s) = -2 pi int_s^2 W r dr [1/h] of a plane at distance s h.
template <class Kernel>
double wall_slope(const Kernel& kernel, double s) {
  constexpr int parts = 2000;
  const double width = (2 - s) / parts, pi = 3.14159265358979323846;
  double sum = 0;
  for (int k = 0; k < parts; ++k) {
    const double r = s + (k + 0.5) * width;
    sum += kernel.value(r) * r * width;
  }
  return -2 * pi * sum;
}

/// The offset [m] for which particles on a lattice that starts half a spacing from a plane have rest density:
/// lambda(d/2 + offset) is what lattice layers behind the plane would add to the kernel sum. (Without it the
/// first layer is up to 4 % too dense, and the solver pushes the fluid off the wall when the run starts.)
/// `kernel` is a kernel of double with h = 1.
template <class Kernel>
float wall_offset(const Kernel& kernel, double spacing, double h) {
  const double d = spacing / h, pi = 3.14159265358979323846;
  const double layers = lattice_layers(kernel, spacing, h, 1) / lattice_density(kernel, spacing, h);
  const auto behind = [&](double s) {  // lambda = 2 pi int_s^2 W r (r - s) dr
    constexpr int parts = 2000;
    const double width = (2 - s) / parts;
    double sum = 0;
    for (int k = 0; k < parts; ++k) {
      const double r = s + (k + 0.5) * width;
      sum += kernel.value(r) * r * (r - s) * width;
    }
    return 2 * pi * sum;
  };
  double low = 0, high = 2;  // lambda falls with s
  for (int k = 0; k < 60; ++k) {
    const double middle = (low + high) / 2;
    (behind(middle) > layers ? low : high) = middle;
  }
  return static_cast<float>((low - d / 2) * h);
}

MERGANSER_END
