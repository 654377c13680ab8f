#include "solvers/methods/peridynamics/bond_material.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "solvers/core/checked_parameters.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"

MERGANSER_BEGIN

namespace {
/// Throws where `valid` is false.
void require(bool valid, const std::string& where, const std::string& key, double value,
             const std::string& remedy) {
  if (!valid) throw InputError(where + ": " + key + " is " + std::to_string(value) + "; " + remedy);
}

void check(const PeridynamicMaterial& m, const std::string& where) {
  require(m.density > 0, where, "density", m.density, "use a positive density [kg/m^3]");
  require(m.spacing > 0, where, "spacing", m.spacing, "use the spacing of the particle lattice [m]");
  require(m.bulk_modulus > 0, where, "bulkModulus", m.bulk_modulus, "use a positive modulus [Pa]");
  require(m.critical_stretch >= 0, where, "criticalStretch", m.critical_stretch,
          "use a positive stretch, or 0 to have it from fractureEnergy");
  require(m.critical_stretch > 0 || m.fracture_energy > 0, where, "fractureEnergy", m.fracture_energy,
          "use a positive energy [J/m^2], or give criticalStretch");
  require(m.stretch_scatter >= 0 && m.stretch_scatter < 1, where, "stretchScatter", m.stretch_scatter,
          "use a value from 0 to below 1");
}
}  // namespace

double micromodulus(double bulk_modulus, double horizon) {
  return 18 * bulk_modulus / (std::numbers::pi * std::pow(horizon, 4));
}

double partial_volume(double distance, double horizon, double spacing) {
  if (distance >= horizon) return 0;
  return std::min(1.0, (horizon + 0.5 * spacing - distance) / spacing);
}

LatticeFamily lattice_family(double horizon, double spacing) {
  const int reach = static_cast<int>(std::ceil(horizon / spacing));
  const double cell = spacing * spacing * spacing;
  LatticeFamily family;
  for (int z = -reach; z <= reach; ++z)
    for (int y = -reach; y <= reach; ++y)
      for (int x = -reach; x <= reach; ++x) {
        if (x == 0 && y == 0 && z == 0) continue;
        const double r = spacing * std::sqrt(double(x * x + y * y + z * z));
        const double volume = cell * partial_volume(r, horizon, spacing);
        family.volume += volume;
        // An expansion by s stores c s^2 sum r V_j / 4 a volume; 9 K s^2 / 2 is wanted.
        family.stiffness += micromodulus(1, horizon) * r * volume / 18;
      }
  return family;
}

std::vector<BondMaterial> bond_materials(const SystemState& state) {
  const auto& p = checked_parameters<PeridynamicsParameters>(state);
  std::vector<BondMaterial> materials;
  for (const PeridynamicMaterial& m : p.materials) {
    const std::string where = "system '" + state.name + "', material of body " + std::to_string(m.body);
    if (m.body < 0) throw InputError(where + ": there is no such body");
    check(m, where);
    if (size_t(m.body) >= materials.size()) materials.resize(size_t(m.body) + 1, BondMaterial{});
    if (materials[size_t(m.body)].density > 0)
      throw InputError(where + ": there are two; give each body one material");
    const double horizon = p.horizon_factor * m.spacing;
    const double s0 = mean_critical_stretch(m, horizon);
    const LatticeFamily family = lattice_family(horizon, m.spacing);
    materials[size_t(m.body)] = {
        .micromodulus = float(micromodulus(m.bulk_modulus, horizon) / family.stiffness),
        .density = float(m.density),
        .horizon = float(horizon),
        .ramp_end = float(horizon + 0.5 * m.spacing),
        .inverse_ramp = float(1 / m.spacing),
        .full_family = float(family.volume),
        .critical_stretch = float(s0),
        .stretch_scatter = float(m.stretch_scatter)};
  }
  for (int body : state.body)
    if (body < 0 || size_t(body) >= materials.size() || !(materials[size_t(body)].density > 0))
      throw InputError("system '" + state.name + "': body " + std::to_string(body) + " has no material");
  return materials;
}

MERGANSER_END
