#pragma once
/// All forces of a fluid besides its pressure and its method's own, in their order.
#include <optional>
#include <string>

#include "solvers/base/state_archive.h"
#include "solvers/methods/fluid/forces/air_drag.h"
#include "solvers/methods/fluid/forces/implicit_viscosity.h"
#include "solvers/methods/fluid/forces/micropolar.h"
#include "solvers/methods/fluid/forces/surface_tension.h"

MERGANSER_BEGIN

/// A method packs its particles in the order of its grid, computes their densities, and calls apply() with
/// the velocities that its other forces lead to. What is off launches nothing and takes no memory.
class FluidForces {
 public:
  /// `mass` [kg] of every particle, `h` [m]: pairs act within 2 h.
  FluidForces(const FluidForcesParameters& parameters, double density0, float mass, float h);

  bool any() const { return tension_ || micropolar_ || drag_ || (viscosity_ && !viscosity_shared_); }
  /// Changes velocities [m/s] by the forces of a step dt [s]; one a particle, in the order of the grid.
  void apply(const PackedFluid& fluid, float dt, View<Vec3> velocity);
  /// The same for velocities v + unit added + dt gravity, where `added` [m/s^2 or m/s] is what all else does
  /// to v; `unit`: dt or 1. Adds what the forces do.
  void add(const PackedFluid& fluid, float dt, View<const Vec3> velocity, const Vec3& gravity, float unit,
           View<Vec3> added);
  /// From now on apply() sums what walls with names get of the implicit viscosity.
  void measure(const std::vector<WallParameters>& walls) {
    if (viscosity_) viscosity_->measure(walls);
  }
  /// The implicit viscosity for a solve that solids take part in: apply() leaves it out from now on.
  ImplicitViscosity& share_viscosity() { return viscosity_shared_ = true, *viscosity_; }
  WallLoad wall_load(int k) const { return viscosity_ ? viscosity_->wall_load(k) : WallLoad{}; }
  /// Largest step [s] for the explicit ones; 1e30 without.
  double time_step_limit() const { return time_step_limit_; }
  /// Of the viscosity's last solve.
  LinearSolveResult last_solve() const { return viscosity_ ? viscosity_->last_solve() : LinearSolveResult{}; }

  /// New order of the particles: new particle k is old particle order[k].
  void permute(View<const int> order);
  /// Particles have been removed: new particle k is old particle kept[k].
  void keep(View<const int> kept);
  /// From now on so many particles; new ones stand at the end.
  void resize(int count);
  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);

 private:
  double time_step_limit_ = 1e30;
  std::optional<SurfaceTension> tension_;
  std::optional<Micropolar> micropolar_;
  std::optional<AirDrag> drag_;
  std::optional<ImplicitViscosity> viscosity_;
  bool viscosity_shared_ = false;
  /// One a particle, part of the state.
  template <class Forces, class Visit>
  static void for_each_field(Forces& forces, const Visit& visit) {
    if (forces.viscosity_) visit("viscous_change", forces.viscosity_->change());
    if (forces.micropolar_) visit("rotation", forces.micropolar_->omega());
  }
  Array<Vec3> forced_, spare_;
};

MERGANSER_END
