#pragma once
/// Energy and momentum since the beginning of a run, entry by entry. See README.md.
#include <vector>

#include "solvers/core/step_exchange.h"

MERGANSER_BEGIN

/// Entries of one step.
struct LedgerStep {
  double energy = 0;                ///< [J] kinetic + elastic + potential at its end
  Vec3d momentum{0, 0, 0};          ///< [kg m/s] of mobile particles at its end
  Vec3d gravity{0, 0, 0};           ///< [N s] impulse of gravity
  StepExchange exchange;            ///< of all systems and the particles themselves
  double merging = 0;               ///< [J] (1 - alpha) dE, [MS] eq. 4 and 20
  double synchronization = 0;       ///< [J] dEk, [MS] eq. 19
  double synchronization_lost = 0;  ///< [J] (1 - beta) dEk
  double fracture = 0;              ///< [J]
  double walls = 0;                 ///< [J] taken by walls
  Vec3d wall_impulse{0, 0, 0};      ///< [N s] given by walls
};

class Ledger {
 public:
  /// Sums over the steps that were closed. energy - first energy + all that was dissipated - work -
  /// unobserved = energy_residual.
  struct Totals {
    double merging = 0, synchronization = 0, damping = 0, integration = 0, fracture = 0, walls = 0;  ///< [J]
    double work = 0;             ///< [J] of held particles and loads, and what emitters brought
    double energy_residual = 0;  ///< [J]
    Vec3d wall_impulse{0, 0, 0}, external_impulse{0, 0, 0}, momentum_residual{0, 0, 0};  ///< [N s]
    double unobserved_energy = 0;        ///< [J] changes in steps that were not closed
    Vec3d unobserved_momentum{0, 0, 0};  ///< [N s] likewise
  };
  /// Energy [J] and momentum [kg m/s] before the first step.
  void start(double energy, const Vec3d& momentum);
  /// Those that steps without entries led to.
  void skip_to(double energy, const Vec3d& momentum);
  /// An emitter brings energy and momentum: they count as work and external impulse.
  void emit(double energy, const Vec3d& momentum);
  void close(const LedgerStep& step);
  const Totals& totals() const { return totals_; }

  /// Whether all its sums are numbers.
  bool is_finite() const;

  std::vector<double> save() const;
  /// Throws FileError where the list is not one that save() wrote.
  void load(const std::vector<double>& values);

 private:
  Totals totals_;
  double energy_ = 0;        ///< [J] at the end of the last step
  Vec3d momentum_{0, 0, 0};  ///< [kg m/s]
};

MERGANSER_END
