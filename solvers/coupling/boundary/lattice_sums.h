#pragma once
/// Kernels summed over lattices and integrated over half spaces: what stands behind a wall.
#include <cmath>
#include <numbers>

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

/// int_s^2 f(r) dr by the midpoint rule.
template <class Function>
double integral_beyond(double s, const Function& f) {
  constexpr int parts = 2000;
  const double width = (2 - s) / parts;
  double sum = 0;
  for (int k = 0; k < parts; ++k) sum += f(s + (k + 0.5) * width) * width;
  return sum;
}

/// lambda'(s) = -2 pi int_s^2 W r dr [1/h] of a plane at distance s h.
template <class Kernel>
double wall_slope(const Kernel& kernel, double s) {
  return -2 * std::numbers::pi * integral_beyond(s, [&](double r) { return kernel.value(r) * r; });
}

/// lambda(s) = 2 pi int_s^2 W r (r - s) dr of a plane at distance s h.
template <class Kernel>
double wall_share(const Kernel& kernel, double s) {
  return 2 * std::numbers::pi * integral_beyond(s, [&](double r) { return kernel.value(r) * r * (r - s); });
}

MERGANSER_END
