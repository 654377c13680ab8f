#pragma once
/// Beams in double: Timoshenko's cantilever, and the geometrically exact one with shear and stretch.
#include <array>
#include <cmath>

#include "device/backend.h"
#include "tests/support/test_namespace.h"

MERGANSER_BEGIN
namespace test {

/// A square bar under its own weight, clamped at one end.
struct BeamTheory {
  double length, side;     ///< [m]
  double youngs, poisson;  ///< [Pa]
  double weight;           ///< [N/m] downwards

  double area() const { return side * side; }
  double bending() const { return youngs * side * side * side * side / 12; }  ///< [N m^2] E I
  /// [N] k G A with Cowper's coefficient of rectangles, k = 10 (1 + nu)/(12 + 11 nu) (Cowper 1966).
  double shearing() const {
    return 10 * (1 + poisson) / (12 + 11 * poisson) * area() * youngs / (2 * (1 + poisson));
  }
  /// [m] of the end of a cantilever that hardly bends: q L^4/(8 E I) + q L^2/(2 k G A).
  double small_sag() const {
    return weight * std::pow(length, 4) / (8 * bending()) + weight * length * length / (2 * shearing());
  }
  /// [1/m] curvature at the clamp of a cantilever that hardly bends.
  double small_root_curvature() const { return weight * length * length / (2 * bending()); }

  struct Bent {
    double sag, root_curvature;  ///< [m] of the end, [1/m] at the clamp
  };
  /// However far it bends. Part s of the bar holds n = (0, -q (L - s)) with its frame t, b turned by theta:
  /// r' = (1 + n.t/EA) t + (n.b/kGA) b,  EI theta' = M,  M' = -r' x n,  M(L) = 0 by the secant method.
  Bent bend() const {
    double low = -small_root_curvature(), high = 0.5 * low;
    Bent at_low = shoot(low), at_high = shoot(high);
    for (int k = 0; k < 60 && std::abs(at_high.root_curvature) > 1e-12 * std::abs(low); ++k) {
      const double next =
          high - at_high.root_curvature * (high - low) / (at_high.root_curvature - at_low.root_curvature);
      low = high, at_low = at_high;
      high = next, at_high = shoot(next);
    }
    return {at_high.sag, -high};
  }

 private:
  using State = std::array<double, 3>;  ///< theta, M/EI, height
  State slope(double s, const State& y) const {
    const double load = weight * (length - s), c = std::cos(y[0]), e = std::sin(y[0]);
    const double stretch = 1 - load * e / (youngs * area()), shear = -load * c / shearing();
    return {y[1], load * (stretch * c - shear * e) / bending(), stretch * e + shear * c};
  }
  /// With that M/EI at the clamp: sag, and M/EI at the end in place of the root's. Runge-Kutta, order 4.
  Bent shoot(double curvature) const {
    constexpr int steps = 400;
    const double h = length / steps;
    State y{0, curvature, 0};
    const auto moved = [](const State& a, double by, const State& k) {
      return State{a[0] + by * k[0], a[1] + by * k[1], a[2] + by * k[2]};
    };
    for (int i = 0; i < steps; ++i) {
      const double s = i * h;
      const State a = slope(s, y), b = slope(s + h / 2, moved(y, h / 2, a)),
                  c = slope(s + h / 2, moved(y, h / 2, b)), d = slope(s + h, moved(y, h, c));
      for (size_t m = 0; m < 3; ++m) y[m] += h / 6 * (a[m] + 2 * b[m] + 2 * c[m] + d[m]);
    }
    return {-y[2], y[1]};
  }
};

}  // namespace test
MERGANSER_END
