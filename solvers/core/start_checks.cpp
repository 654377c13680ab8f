#include "solvers/core/start_checks.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "device/errors.h"
#include "solvers/base/parameter_table.h"
#include "solvers/core/coordinate_range.h"
#include "solvers/core/held_parts.h"
#include "solvers/core/method.h"
#include "solvers/core/start_discs.h"
#include "solvers/core/start_overlaps.h"
#include "solvers/core/start_period.h"
#include "solvers/geometry/walls/wall_sides.h"

namespace merganser {

/// The grid's rule (UniformGrid), rounding allowed for.
void expect_three_cells(const InitialState& initial, float cell, const std::string& why) {
  std::ostringstream least;  // six digits
  least << 3 * double(cell);
  const Point3& length = initial.periodic_length;
  for (const double period : length)
    if (period > 0 && std::floor(double(float(period)) / cell * 1.000001) < 3)
      throw InputError("simulation.periodic.length: is [" + number_text(length[0]) + "," +
                       number_text(length[1]) + "," + number_text(length[2]) +
                       "], a period must be 0 (open) or at least " + least.str() + " m, three times " + why +
                       "; make it longer, raise the resolution or lower simulation.particleRadius");
}

static bool is_point_in_fluid(const std::string& type) {
  return type == "pressure" || type == "density" || type == "velocity";
}

void expect_sound_start(const InitialState& initial) {
  float greatest = 0;
  bool contacts = initial.systems.size() > 1;
  for (const SystemState& system : initial.systems) {
    contacts = contacts || system.self_contact;
    for (const float radius : system.radius) greatest = std::max(greatest, radius);
    if (is_fluid(system)) greatest = std::max(greatest, float(system.fluid.particle_radius));
    expect_in_range(farthest_place(system, initial), {"scene", "simulation.particleRadius"});
    if (system.method->expect_start) system.method->expect_start(system, initial);
    expect_discs_in_period(system, initial);
  }
  if (contacts) expect_three_cells(initial, 2 * greatest * 1.00001f, "the largest particle's diameter");
  for (const ProbeParameters& probe : initial.probes) {
    if (is_point_in_fluid(probe.type)) expect_in_domain(probe, initial);
    if (probe.type == "force" && !probe.body.empty()) (void)held_for(probe, initial);
  }
}

void expect_in_domain(const ProbeParameters& probe, const InitialState& initial) {
  const std::string path = "probes." + probe.name + ".point: ";
  for (size_t axis = 0; axis < 3; ++axis) {
    const double low = initial.periodic_origin[axis], length = initial.periodic_length[axis];
    if (length > 0 && !(probe.point[axis] >= low && probe.point[axis] <= low + length))
      throw InputError(path + "its " + "xyz"[axis] + " is " + number_text(probe.point[axis]) +
                       " m, must be in the periodic domain, from " + number_text(low) + " to " +
                       number_text(low + length) + " m");
  }
  const double most = 4 * initial.particle_radius / initial.resolution;  // no kernel reaches much further
  const Float3 point{float(probe.point[0]), float(probe.point[1]), float(probe.point[2])};
  for (size_t w = 0; w < initial.walls.size(); ++w)
    if (const double depth = -signed_distance(initial.walls[w], point);
        depth > most && !initial.walls[w].motion.moves())
      throw InputError(path + "it is " + number_text(depth) + " m behind walls." + std::to_string(w) +
                       ", where no fluid comes; at most " + number_text(most) +
                       " m, two particle spacings, are allowed");
}

void expect_before_walls(const SystemState& system, const InitialState& initial) {
  // A wall puts all of them on its surface in the first step: of a layer this deep so many lie on one
  // another, and a solid is flung away.
  constexpr int most_layers = 10;
  const Ball ball = ball_around(system.position);
  const double most = most_layers * 2 * system.fluid.particle_radius;
  for (size_t w = 0; w < initial.walls.size(); ++w) {
    if (!is_periodic(initial) && all_before(initial.walls[w], ball)) continue;
    for (size_t i = 0; i < system.position.size(); ++i) {
      if (!system.immobile.empty() && system.immobile[i]) continue;
      const double depth = -signed_distance(initial.walls[w], in_domain(system.position[i], initial));
      if (depth > most)
        throw InputError(
            "systems." + system.name + ".bodies." + initial.bodies[size_t(system.body[i])].name +
            ": a particle of it starts " + number_text(depth) + " m behind walls." + std::to_string(w) +
            ", at most " + number_text(most) + " m (" + std::to_string(most_layers) +
            " particle spacings) are allowed; move the body or the wall, or turn the wall's normal "
            "or \"inside\"");
    }
  }
}

/// A run may put some of its particles into one place, such as a corner, and another may begin with those.
static bool are_many(const BodyOverlap& doubled, const InitialState& initial) {
  constexpr double many = 0.01;  // of the body's particles
  const std::vector<int>& body = initial.systems[size_t(initial.bodies[size_t(doubled.body_b)].system)].body;
  return double(doubled.pairs) >= many * double(std::count(body.begin(), body.end(), doubled.body_b));
}

void expect_apart(const std::vector<int>& systems, const InitialState& initial) {
  const SystemState& first = initial.systems[size_t(systems.at(0))];
  const double spacing = 2 * first.fluid.particle_radius, nearest = 0.01 * spacing;
  const std::vector<BodyOverlap> doubled = find_doubled(systems, nearest, initial);
  const auto first_many = std::find_if(doubled.begin(), doubled.end(),
                                       [&](const BodyOverlap& of) { return are_many(of, initial); });
  if (first_many == doubled.end()) return;
  const BodyOverlap& found = *first_many;
  const BodyInfo &a = initial.bodies[size_t(found.body_a)], &b = initial.bodies[size_t(found.body_b)];
  const bool one = found.body_a == found.body_b, periodic = is_periodic(initial);
  throw InputError("systems." + initial.systems[size_t(b.system)].name + ".bodies." + b.name + ": " +
                   std::to_string(found.pairs) + (found.more ? " or more" : "") +
                   " of its particles overlap: they lie in " +
                   (one ? "places of others of its own" : "places of particles of '" + a.name + "'") +
                   (periodic ? ", images across the period included" : "") + ", nearer than " +
                   number_text(nearest) + " m; a fluid keeps such pairs together, with twice its density; " +
                   (!one       ? "move one of the bodies, or leave out what they share"
                    : periodic ? "make it no longer than simulation.periodic.length"
                               : "give each place one particle"));
}

std::vector<long long> count_behind_walls(const InitialState& initial) {
  std::vector<Ball> balls;
  for (const SystemState& system : initial.systems) balls.push_back(ball_around(system.position));
  std::vector<long long> counts;
  for (const WallParameters& wall : initial.walls) {
    counts.push_back(0);
    for (size_t s = 0; s < balls.size(); ++s) {
      if (!is_periodic(initial) && all_before(wall, balls[s])) continue;
      for (const Float3& position : initial.systems[s].position)
        counts.back() += signed_distance(wall, in_domain(position, initial)) < 0;
    }
  }
  return counts;
}

}  // namespace merganser
