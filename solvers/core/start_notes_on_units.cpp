/// Notes of start_notes.h on units of length.
#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/base/parameter_table.h"
#include "solvers/core/start_notes.h"
#include "solvers/geometry/sampling/mesh_size.h"
#include "solvers/geometry/walls/wall_mesh.h"

namespace merganser {

namespace {

/// Times that something in millimetres is too large, less what meshes differ by anyway.
constexpr double suspected_unit = 300;

struct UnitBox {
  Point3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  void add(const auto& x) {
    for (size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], double(x[k]));
      high[k] = std::max(high[k], double(x[k]));
    }
  }
  double longest() const { return std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]}); }
};

}  // namespace

std::vector<std::string> notes_on_units(const InitialState& initial) {
  std::vector<std::string> notes;
  UnitBox particles;
  for (const SystemState& system : initial.systems) {
    for (const Float3& x : system.position) particles.add(x);
    for (const EmitterParameters& emitter : system.emitters) particles.add(emitter.position);
  }
  const double around = std::max(particles.longest(), 2 * initial.particle_radius / initial.resolution);
  for (size_t w = 0; w < initial.walls.size(); ++w) {
    const WallParameters& wall = initial.walls[w];
    if (!wall.mesh || wall.mesh->tree.nodes.empty()) continue;
    const auto& box = wall.mesh->tree.nodes[0];
    UnitBox of_mesh;
    for (size_t k = 0; k < 3; ++k) of_mesh.low[k] = box.low[int(k)], of_mesh.high[k] = box.high[int(k)];
    if (of_mesh.longest() < suspected_unit * around) continue;
    notes.push_back("walls." + std::to_string(w) + " is " +
                    number_text(std::round(of_mesh.longest() / around)) +
                    " times as large as where particles start: " +
                    unit_advice({.low = of_mesh.low, .high = of_mesh.high}));
  }
  const double radius = initial.particle_radius / initial.resolution;
  for (const SystemState& system : initial.systems) {
    if (system.triangles.empty()) continue;
    std::vector<UnitBox> boxes(initial.bodies.size());
    std::vector<double> radii(initial.bodies.size(), 0);
    for (const Triangle& t : system.triangles)
      for (const int i : t) {
        const auto body = size_t(system.body[size_t(i)]);
        boxes[body].add(system.position[size_t(i)]);
        radii[body] = system.radius[size_t(i)];
      }
    for (size_t body = 0; body < boxes.size(); ++body)
      if (radii[body] > suspected_unit * radius)
        notes.push_back("systems." + system.name + ".bodies." + initial.bodies[body].name + " has edges " +
                        number_text(std::round(radii[body] / radius)) +
                        " times as long as simulation.particleRadius asks for: " +
                        unit_advice({.low = boxes[body].low, .high = boxes[body].high}));
  }
  return notes;
}

}  // namespace merganser
