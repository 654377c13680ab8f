#pragma once
/// Pressure from density.
#include <cmath>

#include "device/launch.h"
#include "solvers/methods/sph/sph_parameters.h"

MERGANSER_BEGIN

/// Tait (Cole 1948; Monaghan 1994): p = rho0 c^2/gamma ((rho/rho0)^gamma - 1); linear: p = c^2 (rho - rho0).
/// Both take the compression e = rho/rho0 - 1, which keeps its digits in float where rho itself would lose
/// them.
struct EquationOfState {
  float density0;             ///< [kg/m^3]
  float sound_speed_squared;  ///< [m^2/s^2]
  float gamma;                ///< Tait exponent
  bool tait;
  bool tension;  ///< negative pressures are kept

  /// p [Pa].
  MERGANSER_METHOD float pressure(float compression) const {
    const float e = compression > -0.9f ? compression : -0.9f;
    const float relative = tait ? expm1f(gamma * log1pf(e)) / gamma : e;
    const float p = density0 * sound_speed_squared * relative;
    return tension || p > 0 ? p : 0.0f;
  }
  /// p/rho^2, what the momentum equation sums.
  MERGANSER_METHOD float pressure_term(float compression) const {
    const float density = density0 * (1 + (compression > -0.9f ? compression : -0.9f));
    return pressure(compression) / (density * density);
  }
  /// Energy stored by compression from rho0 [J/kg]: int p/rho^2 d rho, in double.
  MERGANSER_METHOD double internal_energy(double e) const {
    if (e <= -0.9 || (!tension && e < 0)) return 0;
    const double shrink = -e / (1 + e);  // rho0/rho - 1
    if (!tait || gamma == 1.0f) return sound_speed_squared * (log1p(e) + shrink);
    const double g = gamma;
    return sound_speed_squared / g * (expm1((g - 1) * log1p(e)) / (g - 1) + shrink);
  }
  /// The same with a relative error of 2e-6. With L = log(1 + e), a = gamma - 1 (0 where linear) and
  /// phi(y) = (exp(y) - 1 - y)/y^2 it is c^2/gamma L^2 (a phi(a L) + phi(-L)), where nothing cancels.
  MERGANSER_METHOD float internal_energy_in_float(float e) const {
    if (e <= -0.9f || (!tension && e < 0)) return 0;
    const float g = tait ? gamma : 1.0f, a = g - 1, log_density = log1pf(e);
    return sound_speed_squared / g * (log_density * log_density) *
           (a * exponential_rest(a * log_density) + exponential_rest(-log_density));
  }

 private:
  /// phi(y); its series where the difference would lose digits.
  MERGANSER_METHOD static float exponential_rest(float y) {
    if (fabsf(y) > 0.5f) return (expm1f(y) - y) / (y * y);
    float sum = 1.0f / 40320;
    for (float coefficient : {1.0f / 5040, 1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f})
      sum = coefficient + y * sum;
    return sum;
  }
};

/// Pressures and densities as fields, for probes.
struct PressureOfCompression {
  static constexpr const char* name = "sph pressure";
  EquationOfState state;
  View<const float> compression;
  View<float> pressure;  ///< [Pa], written
  MERGANSER_METHOD void operator()(int i) const { pressure[i] = state.pressure(compression[i]); }
};
struct DensityOfCompression {
  static constexpr const char* name = "sph density of compression";
  float density0;  ///< [kg/m^3]
  View<const float> compression;
  View<float> density;  ///< [kg/m^3], written
  MERGANSER_METHOD void operator()(int i) const { density[i] = density0 * (1 + compression[i]); }
};

MERGANSER_END
