#include "solvers/benchmarks/water_column.h"

namespace merganser {

InitialState column_in_tank(SystemState system, const std::array<int, 3>& particles, double spacing,
                            const Point3& tank) {
  system.name = "water";
  system.fluid.particle_radius = 0.5 * spacing;
  for (int z = 0; z < particles[2]; ++z)
    for (int y = 0; y < particles[1]; ++y)
      for (int x = 0; x < particles[0]; ++x) {
        system.position.push_back({static_cast<float>((x + 0.5) * spacing),
                                   static_cast<float>((y + 0.5) * spacing),
                                   static_cast<float>((z + 0.5) * spacing)});
        system.velocity.push_back({0, 0, 0});
        system.mass.push_back(static_cast<float>(system.fluid.density0 * spacing * spacing * spacing));
        system.radius.push_back(static_cast<float>(0.5 * spacing));
        system.immobile.push_back(0);
        system.body.push_back(0);
      }
  InitialState state;
  state.bodies = {{"water", 0}};
  WallParameters walls;
  walls.shape = WallShape::box;
  walls.high = tank;
  state.walls = {walls};
  state.coupling.method = ContactMethod::none;
  state.systems.push_back(std::move(system));
  return state;
}

}  // namespace merganser
