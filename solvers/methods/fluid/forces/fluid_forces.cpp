#include "solvers/methods/fluid/forces/fluid_forces.h"

#include <algorithm>
#include <cmath>

#include "device/particle_store.h"

MERGANSER_BEGIN

FluidForces::FluidForces(const FluidForcesParameters& parameters, double density0, float mass, float h) {
  const double tension = std::max(parameters.surface_tension, parameters.adhesion);
  if (tension > 0) {
    tension_.emplace(parameters, density0, mass, h);
    // Capillary waves of the shortest length travel at most h in a step (Brackbill, Kothe, Zemach 1992, eq.
    // 61).
    time_step_limit_ = 0.25 * std::sqrt(density0 * std::pow(double(h), 3) / (2 * sph_pi * tension));
  }
  if (parameters.implicit_viscosity > 0 || parameters.wall_viscosity > 0)
    viscosity_.emplace(parameters, density0, mass, h);
}

void FluidForces::apply(const PackedFluid& fluid, float dt, View<Vec3> velocity) {
  if (tension_) tension_->apply(fluid, dt, velocity);
  if (viscosity_) viscosity_->apply(fluid, dt, velocity);
}

void FluidForces::permute(View<const int> order) {
  if (viscosity_) permute_array(viscosity_->change(), order, spare_);
}

void FluidForces::resize(int count) {
  if (viscosity_) viscosity_->change().resize(count);
}

void FluidForces::save(StateArchive& archive, const std::string& prefix) const {
  if (!viscosity_) return;
  const std::vector<Vec3> change = viscosity_->change().to_host();
  archive.put(prefix + "/viscous_change", reinterpret_cast<const float*>(change.data()), 3 * change.size());
}

void FluidForces::load(const StateArchive& archive, const std::string& prefix) {
  if (!viscosity_) return;
  const auto change = archive.get<float>(prefix + "/viscous_change");
  resize(static_cast<int>(change.size() / 3));
  copy_to_device(viscosity_->change().data(), change.data(), sizeof(float) * change.size());
}

MERGANSER_END
