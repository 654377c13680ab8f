/// Notes on forces that a scene seems to ask for and that do not act, or act in part.
#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <map>
#include <sstream>
#include <tuple>

#include "solvers/core/method.h"
#include "solvers/core/start_notes.h"
#include "solvers/geometry/walls/wall_sides.h"

namespace merganser {

namespace {

using namespace point_arithmetic;

double magnitude(const Point3& v) { return std::hypot(v[0], v[1], v[2]); }

/// What walls in one place have in common: a plane and each side of a tank its normal and distance from the
/// origin, rounded to 1e-6 and to `tolerance` [m], other walls their shape.
using FlatPlace = std::array<long long, 4>;
std::vector<FlatPlace> flat_places(const WallParameters& wall, double tolerance) {
  std::vector<FlatPlace> places;
  const auto add = [&](const Point3& point, const Point3& normal) {
    places.push_back({std::llround(1e6 * normal[0]), std::llround(1e6 * normal[1]),
                      std::llround(1e6 * normal[2]), std::llround(dot(point, normal) / tolerance)});
  };
  if (wall.shape == WallShape::plane) add(wall.point, (1 / length(wall.direction)) * wall.direction);
  if (wall.shape != WallShape::box || !wall.inside) return places;
  const RigidPose turned = own_rotation(wall);
  for (size_t axis = 0; axis < 3; ++axis) {
    Point3 normal{0, 0, 0};
    normal[axis] = 1;
    add(turned(wall.low), turned.rotation(normal));
    add(turned(wall.high), -1.0 * turned.rotation(normal));
  }
  return places;
}
auto shape_of(const WallParameters& wall) {
  return std::make_tuple(wall.shape, wall.inside, wall.point, wall.direction, wall.low, wall.high,
                         wall.rotation_axis, wall.rotation_angle, wall.radius, wall.length, wall.file,
                         wall.scale, wall.fit_size, wall.translation, wall.thickness);
}

struct LightBody {
  std::string name;
  double density = 0;  ///< [kg/m^3] a particle takes the cube of its diameter
};

/// Those of a system of solids that nothing holds and whose density is below `density` [kg/m^3].
std::vector<LightBody> light_bodies(const InitialState& initial, int of_system, double density) {
  struct Sums {
    double mass = 0, volume = 0;
    bool held = false;
  };
  std::vector<Sums> sums(initial.bodies.size());
  const SystemState& system = initial.systems[size_t(of_system)];
  for (size_t i = 0; i < system.position.size(); ++i) {
    Sums& body = sums[size_t(system.body[i])];
    body.mass += double(system.mass[i]);
    body.volume += std::pow(2 * double(system.radius[i]), 3);
    body.held = body.held || (!system.immobile.empty() && system.immobile[i]);
  }
  std::vector<LightBody> found;
  for (size_t b = 0; b < sums.size(); ++b)
    if (sums[b].volume > 0 && !sums[b].held && sums[b].mass < density * sums[b].volume)
      found.push_back({initial.bodies[b].name, sums[b].mass / sums[b].volume});
  return found;
}

std::string remedy_for_floating(const SystemState& fluid, const SystemState& solid) {
  const std::string key = "systems." + fluid.name + ".coupledTo", &type = solid.method->word;
  if (type != "rigid" && type != "elasticSph")
    return "bodies of type rigid or elasticSph float as they should where a dfsph fluid names them in " + key;
  const bool takes = fluid.method->solved_with && (fluid.method->word == "dfsph" || type == "rigid");
  return (takes ? "name '" : "make systems." + fluid.name + " dfsph and name '") + solid.name + "' in " + key;
}

/// Sheets are in the solve of every FLIP fluid.
bool presses_sheet(const SystemState& fluid, const SystemState& solid) {
  return fluid.method->word == "flip" && solid.method->word == "massSpring" && !solid.triangles.empty();
}

}  // namespace

bool solved_together(const InitialState& initial, int a, int b) {
  return std::any_of(initial.systems.begin(), initial.systems.end(), [&](const SystemState& system) {
    if (!system.method || !system.method->solved_with) return false;
    const std::vector<int> together = system.method->solved_with(system, initial);
    const auto has = [&](int s) { return std::find(together.begin(), together.end(), s) != together.end(); };
    return has(a) && has(b);
  });
}

std::vector<std::string> notes_on_floating_bodies(const InitialState& initial) {
  std::vector<std::string> notes;
  if (initial.coupling.method == ContactMethod::none || !(magnitude(initial.gravity) > 0)) return notes;
  const int count = static_cast<int>(initial.systems.size());
  for (int f = 0; f < count; ++f)
    for (int s = 0; s < count; ++s) {
      const SystemState &fluid = initial.systems[size_t(f)], &solid = initial.systems[size_t(s)];
      if (!is_fluid(fluid) || is_fluid(solid) || presses_sheet(fluid, solid) ||
          solved_together(initial, f, s))
        continue;
      const std::vector<LightBody> light = light_bodies(initial, s, fluid.fluid.density0);
      if (light.empty()) continue;
      std::ostringstream text;
      text << std::setprecision(4) << "systems." << solid.name << ".bodies." << light[0].name;
      if (light.size() > 1) text << " and " << light.size() - 1 << " more";
      text << " (" << light[0].density << " kg/m^3) and systems." << fluid.name << " ("
           << fluid.fluid.density0 << " kg/m^3) "
           << (fluid.method->word == "flip"
                   ? "merge: contacts keep the fluid away, so the body floats up to a spacing too high; "
                   : "meet by contacts alone: these lift a body by less than the weight of the fluid in its "
                     "place, so it floats too deep or sinks; ")
           << remedy_for_floating(fluid, solid);
      notes.push_back(text.str());
    }
  return notes;
}

std::vector<std::string> notes_on_sliding_walls(const InitialState& initial) {
  const bool drags = std::any_of(initial.systems.begin(), initial.systems.end(), [](const SystemState& s) {
    return s.method->sticks_to_walls && s.method->sticks_to_walls(s);
  });
  std::vector<std::string> notes;
  for (size_t w = 0; w < initial.walls.size(); ++w) {
    const WallParameters& wall = initial.walls[w];
    if (!(magnitude(wall.velocity) > 0) || wall.friction > 0 || (wall.no_slip && drags)) continue;
    notes.push_back(
        "walls." + std::to_string(w) + (wall.name.empty() ? "" : " ('" + wall.name + "')") +
        " slides with its velocity and takes nothing along: " +
        (wall.no_slip ? "no fluid of sph or dfsph has a viscosity that noSlip could use"
                      : "its friction is 0 and noSlip is false") +
        "; set friction, or noSlip and a viscosity of the fluid; a wall that is to move has a motion");
  }
  return notes;
}

std::vector<std::string> notes_on_walls_in_walls(const InitialState& initial) {
  std::vector<std::string> notes;
  if (std::none_of(initial.systems.begin(), initial.systems.end(), is_fluid)) return notes;
  const std::vector<WallParameters>& walls = initial.walls;
  std::map<FlatPlace, size_t> first_flat;
  std::map<decltype(shape_of(WallParameters{})), size_t> first_of_shape;
  for (size_t w = 0; w < walls.size(); ++w) {
    size_t first = w;
    const auto meet = [&](size_t other) {
      if (walls[other].motion == walls[w].motion) first = std::min(first, other);
    };
    const std::vector<FlatPlace> places = flat_places(walls[w], 1e-3 * initial.particle_radius);
    for (const FlatPlace& place : places) meet(first_flat.try_emplace(place, w).first->second);
    if (places.empty()) meet(first_of_shape.try_emplace(shape_of(walls[w]), w).first->second);
    if (first == w) continue;
    notes.push_back("walls." + std::to_string(w) +
                    (walls[w].name.empty() ? "" : " ('" + walls[w].name + "')") + " lies in walls." +
                    std::to_string(first) + ", so fluids are pressed off twice; remove one of them");
  }
  return notes;
}

std::vector<std::string> notes_on_keys_without_effect(const InitialState& initial) {
  std::vector<std::string> notes;
  const auto note = [&](const std::string& path, const std::vector<BoundTable>& tables) {
    for (const std::string& key : keys_without_effect(tables))
      notes.push_back(path + "." + key + "; set that, or leave this key out");
  };
  for (const SystemState& system : initial.systems) {
    std::vector<BoundTable> tables;
    for (const Method::Keys& keys : system.method->keys)
      tables.push_back({keys.table, keys.bound_to(const_cast<SystemState&>(system))});
    note("systems." + system.name, tables);
  }
  note("coupling", {{&MergeSplitParameters::table(), &initial.coupling},
                    {&PairwiseContactParameters::table(), &initial.pairwise_contacts}});
  return notes;
}

std::vector<std::string> notes_of_methods(const InitialState& initial) {
  std::vector<std::string> notes;
  for (const SystemState& system : initial.systems)
    if (const std::string note = system.method->note ? system.method->note(system, initial) : "";
        !note.empty())
      notes.push_back(note);
  return notes;
}

}  // namespace merganser
