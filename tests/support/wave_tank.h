#pragma once
/// Waves of a piston or of an initial height in a long tank by nonlinear potential flow, in double precision.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "device/backend.h"

MERGANSER_BEGIN

/// Two-dimensional flow between a piston at X(t) and a wall at x = length over a floor at z = 0, with the
/// free surface at z = depth + eta. The surface is followed in the form of Zakharov (1968):
///   eta_t = W,  psi_t = -g eta + w^2 (1 + eta_x^2)/2 - psi_x^2/2,  w = (W + psi_x eta_x)/(1 + eta_x^2),
/// psi being the potential at the surface. In the water the potential has no Laplacian; its normal derivative
/// is X' at the piston and 0 at wall and floor. Bilinear finite elements between moving columns solve that
/// (as Wu and Eatock Taylor 1994), and W is the flux that the rows of the surface leave over. Steps are those
/// of the Runge-Kutta method of order four.
class WaveTank {
 public:
  double depth = 0, length = 0, gravity = 9.81;        ///< [m], [m], [m/s^2]
  int columns = 240, layers = 10;                      ///< elements along the tank and over the depth
  std::function<double(double)> piston;                ///< X [m] at a time [s]
  std::vector<double> elevation = {}, potential = {};  ///< eta [m], psi [m^2/s] at the nodes of the surface
  double time = 0;                                     ///< [s]

  /// eta [m] at a place.
  double elevation_at(double x) const {
    const double front = piston(time), at = (x - front) / (length - front) * columns;
    const int i = std::clamp(static_cast<int>(at), 0, columns - 1);
    return elevation[size_t(i)] + (at - i) * (elevation[size_t(i) + 1] - elevation[size_t(i)]);
  }
  void step(double dt) {
    elevation.resize(size_t(columns) + 1);
    potential.resize(size_t(columns) + 1);
    const Surface start{elevation, potential};
    const Surface a = rates(time, start), b = rates(time + dt / 2, moved(start, a, dt / 2)),
                  c = rates(time + dt / 2, moved(start, b, dt / 2)),
                  d = rates(time + dt, moved(start, c, dt));
    Surface end = moved(moved(moved(moved(start, a, dt / 6), b, dt / 3), c, dt / 3), d, dt / 6);
    smooth(end.first);
    smooth(end.second);
    std::tie(elevation, potential) = end;
    time += dt;
  }

 private:
  using Line = std::vector<double>;
  using Surface = std::pair<Line, Line>;  ///< eta and psi

  static Surface moved(const Surface& from, const Surface& rate, double dt) {
    Surface to = from;
    for (size_t i = 0; i < to.first.size(); ++i) {
      to.first[i] += dt * rate.first[i];
      to.second[i] += dt * rate.second[i];
    }
    return to;
  }
  /// Takes waves of two elements away, which nothing else damps; others by the fourth power of their number.
  static void smooth(Line& f) {
    const Line old = f;
    for (size_t i = 2; i + 2 < f.size(); ++i)
      f[i] = (10 * old[i] + 4 * (old[i - 1] + old[i + 1]) - old[i - 2] - old[i + 2]) / 16;
  }
  static Line slope(const Line& f, double dx) {
    const size_t n = f.size();
    Line by(n);
    for (size_t i = 1; i + 1 < n; ++i) by[i] = (f[i + 1] - f[i - 1]) / (2 * dx);
    by[0] = (4 * f[1] - 3 * f[0] - f[2]) / (2 * dx);
    by[n - 1] = (3 * f[n - 1] - 4 * f[n - 2] + f[n - 3]) / (2 * dx);
    return by;
  }
  Surface rates(double now, const Surface& surface) const {
    const double front = piston(now), speed = (piston(now + 1e-5) - piston(now - 1e-5)) / 2e-5;
    const double dx = (length - front) / columns;
    const auto& [eta, psi] = surface;
    const Line rise = rate_of_rise(eta, psi, dx, speed), eta_x = slope(eta, dx), psi_x = slope(psi, dx);
    Surface rate{eta, psi};
    for (size_t i = 0; i < eta.size(); ++i) {
      const double steep = 1 + eta_x[i] * eta_x[i], w = (rise[i] + psi_x[i] * eta_x[i]) / steep;
      const double of_node = speed * (1 - double(i) / columns);  // columns move with the piston
      rate.first[i] = rise[i] + of_node * eta_x[i];
      rate.second[i] = -gravity * eta[i] + (w * w * steep - psi_x[i] * psi_x[i]) / 2 + of_node * psi_x[i];
    }
    return rate;
  }
  /// W: with K phi = flux, its rows of the surface over the masses of the surface's nodes.
  Line rate_of_rise(const Line& eta, const Line& psi, double dx, double speed) const {
    const int rows = layers + 1, nodes = (columns + 1) * rows, band = rows + 1;
    Line k(size_t(nodes) * (band + 1)), rest(nodes);  // k[i (band + 1) + j]: row i, column i + j
    for (int i = 0; i < columns; ++i)
      for (int j = 0; j < layers; ++j) {
        const double left = (depth + eta[i]) / layers, right = (depth + eta[i + 1]) / layers;
        const std::array<double, 4> z{j * left, j * right, (j + 1) * right, (j + 1) * left};
        const std::array<int, 4> node{i * rows + j, (i + 1) * rows + j, (i + 1) * rows + j + 1,
                                      i * rows + j + 1};
        add_element(dx, z, node, k, band);
      }
    for (int j = 0; j < layers; ++j)  // the piston's edges, half to each end
      for (int end = 0; end < 2; ++end) rest[j + end] -= speed * (depth + eta[0]) / layers / 2;
    Line phi(nodes), flux(nodes);
    const auto is_surface = [&](int i) { return i % rows == layers; };
    for (int i = layers; i < nodes; i += rows) phi[i] = psi[i / rows];
    multiply(k, band, phi, flux);
    const Line stiffness = k;
    for (int i = 0; i < nodes; ++i) {
      if (!is_surface(i)) phi[i] = rest[i] - flux[i];
      for (int j = 0; j <= band && i + j < nodes; ++j)
        if (is_surface(i) || is_surface(i + j)) k[size_t(i) * (band + 1) + j] = j == 0 ? 1 : 0;
    }
    solve(k, band, phi);
    multiply(stiffness, band, phi, flux);
    Line rise(size_t(columns) + 1), below(rise), diagonal(rise.size(), 2 * dx / 3);
    for (size_t i = 0; i < rise.size(); ++i) rise[i] = flux[i * rows + layers] - rest[i * rows + layers];
    diagonal.front() = diagonal.back() = dx / 3;
    for (size_t i = 1; i < rise.size(); ++i) {  // tridiagonal masses, dx/6 beside the diagonal
      const double share = dx / 6 / diagonal[i - 1];
      diagonal[i] -= share * dx / 6;
      rise[i] -= share * rise[i - 1];
    }
    for (size_t i = rise.size(); i-- > 0;)
      rise[i] = (rise[i] - (i + 1 < rise.size() ? dx / 6 * rise[i + 1] : 0)) / diagonal[i];
    return rise;
  }
  static void add_element(double dx, const std::array<double, 4>& z, const std::array<int, 4>& node, Line& k,
                          int band) {
    const double at = 1 / std::sqrt(3.0);
    for (const double s : {-at, at})
      for (const double t : {-at, at}) {
        const double by_s[4] = {-(1 - t) / 4, (1 - t) / 4, (1 + t) / 4, -(1 + t) / 4};
        const double by_t[4] = {-(1 - s) / 4, -(1 + s) / 4, (1 + s) / 4, (1 - s) / 4};
        double z_s = 0, z_t = 0, by_x[4], by_z[4];
        for (int a = 0; a < 4; ++a) {
          z_s += by_s[a] * z[a];
          z_t += by_t[a] * z[a];
        }
        for (int a = 0; a < 4; ++a) {
          by_z[a] = by_t[a] / z_t;
          by_x[a] = (by_s[a] - z_s * by_z[a]) * 2 / dx;
        }
        for (int a = 0; a < 4; ++a)
          for (int b = 0; b < 4; ++b)
            if (node[b] >= node[a])
              k[size_t(node[a]) * (band + 1) + node[b] - node[a]] +=
                  (by_x[a] * by_x[b] + by_z[a] * by_z[b]) * z_t * dx / 2;
      }
  }
  static void multiply(const Line& k, int band, const Line& x, Line& to) {
    std::fill(to.begin(), to.end(), 0);
    const int n = static_cast<int>(x.size());
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= band && i + j < n; ++j) {
        const double value = k[size_t(i) * (band + 1) + j];
        to[i] += value * x[i + j];
        if (j > 0) to[i + j] += value * x[i];
      }
  }
  /// x becomes K^-1 x by K = U^T D U within the band.
  static void solve(Line& k, int band, Line& x) {
    const int n = static_cast<int>(x.size());
    for (int i = 0; i < n; ++i) {
      const double* row = &k[size_t(i) * (band + 1)];
      for (int j = 1; j <= band && i + j < n; ++j) {
        const double share = row[j] / row[0];
        if (share == 0) continue;
        double* other = &k[size_t(i + j) * (band + 1)];
        for (int m = j; m <= band; ++m) other[m - j] -= share * row[m];
        x[i + j] -= share * x[i];
      }
    }
    for (int i = n - 1; i >= 0; --i) {
      for (int j = 1; j <= band && i + j < n; ++j) x[i] -= k[size_t(i) * (band + 1) + j] * x[i + j];
      x[i] /= k[size_t(i) * (band + 1)];
    }
  }
};

MERGANSER_END
