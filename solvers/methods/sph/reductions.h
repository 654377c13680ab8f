#pragma once
/// Reductions over a fluid that the host reads back: largest speed and acceleration for the time step,
/// compression for the statistics.
#include "device/reduce.h"
#include "device/vector_math.h"
#include "solvers/methods/sph/equation_of_state.h"

MERGANSER_BEGIN

struct SpeedAndAcceleration {
  float speed_squared, acceleration_squared;
};

/// Largest |v|^2 and |a + g|^2 of a fluid's particles.
struct LargestSpeedAndAcceleration {
  static constexpr const char* name = "sph largest speed";
  using Value = SpeedAndAcceleration;
  View<const Vec3> velocity;      ///< [m/s] of own particles
  View<const Vec3> acceleration;  ///< [m/s^2] of own particles
  Vec3 gravity;                   ///< [m/s^2]

  MERGANSER_METHOD Value operator()(int i) const {
    return {norm_squared(velocity[i]), norm_squared(acceleration[i] + gravity)};
  }
  MERGANSER_METHOD static Value identity() { return {0, 0}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {fmaxf(a.speed_squared, b.speed_squared), fmaxf(a.acceleration_squared, b.acceleration_squared)};
  }
};

struct CompressionSums {
  float largest;  ///< of rho/rho0 - 1, not below 0
  double energy;  ///< [J/kg] sum of internal energies, to be multiplied by a particle's mass
};

/// Largest compression and the internal energy of a fluid's particles. A card that has few units for doubles
/// sees them only in the addition.
struct SumCompression {
  static constexpr const char* name = "sph compression";
  using Value = CompressionSums;
  View<const float> compression;
  EquationOfState state;

  MERGANSER_METHOD Value operator()(int i) const {
    const float e = compression[i];
#if MERGANSER_GPU_HALF
    const double energy = state.internal_energy_in_float(e);
#else
    const double energy = state.internal_energy(e);
#endif
    return {e > 0 ? e : 0.0f, energy};
  }
  MERGANSER_METHOD static Value identity() { return {0, 0}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {a.largest > b.largest ? a.largest : b.largest, a.energy + b.energy};
  }
};

MERGANSER_END
