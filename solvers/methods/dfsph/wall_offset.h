#pragma once
/// How far behind a wall's surface the fluid of the volume map begins.
#include <cmath>

#include "device/backend.h"

MERGANSER_BEGIN

/// The offset [m] for which particles on a lattice that starts half a spacing from a plane have rest density:
/// lambda(d/2 + offset) is what lattice layers behind the plane would add to the kernel sum. (Without it the
/// first layer is up to 4 % too dense, and the solver pushes the fluid off the wall when the run starts.)
/// `kernel` is a kernel of double with h = 1.
template <class Kernel>
float wall_offset(const Kernel& kernel, double spacing, double h) {
  const double d = spacing / h, pi = 3.14159265358979323846;
  const int reach = static_cast<int>(std::ceil(2 / d));
  double layers = 0;
  for (int z = 1; z <= reach; ++z)
    for (int y = -reach; y <= reach; ++y)
      for (int x = -reach; x <= reach; ++x)
        layers += kernel.value(d * std::sqrt(double(x * x + y * y + z * z)));
  layers *= d * d * d;
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
