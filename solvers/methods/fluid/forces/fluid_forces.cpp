#include "solvers/methods/fluid/forces/fluid_forces.h"

#include <algorithm>

#include "device/particle_store.h"
#include "solvers/methods/fluid/forces/forced_velocity.h"

MERGANSER_BEGIN

FluidForces::FluidForces(const FluidForcesParameters& parameters, double density0, float mass, float h)
    : time_step_limit_(parameters.longest_step(density0, h)) {
  if (std::max(parameters.surface_tension, parameters.adhesion) > 0)
    tension_.emplace(parameters, density0, mass, h);
  if (parameters.vorticity > 0) micropolar_.emplace(parameters, density0, mass, h);
  if (parameters.air_drag > 0) drag_.emplace(parameters, density0, mass, h);
  if (parameters.implicit_viscosity > 0 || parameters.wall_viscosity > 0)
    viscosity_.emplace(parameters, density0, mass, h);
}

void FluidForces::apply(const PackedFluid& fluid, float dt, View<Vec3> velocity) {
  if (tension_) tension_->apply(fluid, dt, velocity);
  if (micropolar_) micropolar_->apply(fluid, dt, velocity);
  if (drag_) drag_->apply(fluid, dt, velocity);
  if (viscosity_ && !viscosity_shared_) viscosity_->apply(fluid, dt, velocity);
}

void FluidForces::add(const PackedFluid& fluid, float dt, View<const Vec3> velocity, const Vec3& gravity,
                      float unit, View<Vec3> added) {
  forced_.resize(fluid.count());
  const ForcedVelocity from{
      .velocity = velocity, .added = added, .unit = unit, .fall = dt * gravity, .forced = forced_.view()};
  launch(fluid.count(), from);
  apply(fluid, dt, forced_.view());
  launch(fluid.count(), AddForced{from, added});
}

void FluidForces::permute(View<const int> order) {
  for_each_field(*this, [&](const char*, Array<Vec3>& field) { permute_array(field, order, spare_); });
}

void FluidForces::keep(View<const int> kept) {
  for_each_field(*this, [&](const char*, Array<Vec3>& field) { keep_elements(field, kept, spare_); });
}

void FluidForces::resize(int count) {
  for_each_field(*this, [&](const char*, Array<Vec3>& field) { field.resize(count); });
}

void FluidForces::save(StateArchive& archive, const std::string& prefix) const {
  for_each_field(*this, [&](const char* name, const Array<Vec3>& field) {
    const std::vector<Vec3> values = field.to_host();
    archive.put(prefix + "/" + name, reinterpret_cast<const float*>(values.data()), 3 * values.size());
  });
}

void FluidForces::load(const StateArchive& archive, const std::string& prefix) {
  for_each_field(*this, [&](const char* name, Array<Vec3>& field) {
    const auto values = archive.get<float>(prefix + "/" + name);
    if (values.size() != 3 * size_t(field.size()))
      throw FileError("checkpoint: '" + prefix + "/" + name + "' does not belong to the fluid's particles");
    copy_to_device(field.data(), values.data(), sizeof(float) * values.size());
  });
}

MERGANSER_END
