#include "solvers/core/start_notes.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <numbers>
#include <sstream>

#include "device/vector_math.h"
#include "solvers/base/to_vec3.h"
#include "solvers/core/body.h"
#include "solvers/core/coordinate_range.h"
#include "solvers/core/estimate.h"
#include "solvers/core/method.h"
#include "solvers/core/nearest_image.h"
#include "solvers/core/start_period.h"
#include "solvers/geometry/walls/wall_sides.h"

namespace merganser {

using cpu::Vec3d;

namespace {

Vec3d to_vec(const Point3& p) { return {p[0], p[1], p[2]}; }
Vec3d to_vec(const Float3& p) { return {p[0], p[1], p[2]}; }
Float3 to_float3(const Vec3d& v) { return {float(v.x), float(v.y), float(v.z)}; }

/// The middle of an emitter's disc and places along the outer particles' centres, in the domain.
std::vector<Float3> places_of(const EmitterParameters& emitter, double particle_radius,
                              const InitialState& initial) {
  constexpr int around = 16;
  const Vec3d n = normalized_or_zero(to_vec(emitter.direction));
  const Vec3d across = normalized_or_zero(cross(std::abs(n.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0}, n)),
              up = cross(n, across), centre = to_vec(emitter.position);
  const double reach = std::max(0.0, emitter.radius - particle_radius);
  std::vector<Float3> places{to_float3(centre)};
  for (int k = 0; k < around; ++k) {
    const double angle = 2 * std::numbers::pi * k / around;
    places.push_back(to_float3(centre + across * (reach * std::cos(angle)) + up * (reach * std::sin(angle))));
  }
  for (Float3& place : places) place = in_domain(place, initial);
  return places;
}

bool holds(const Region& region, const Float3& x) {
  for (size_t axis = 0; axis < 3; ++axis)
    if (x[axis] < float(region.box[0][axis]) || x[axis] > float(region.box[1][axis])) return false;
  return true;
}
bool any_holds(const Regions& regions, const Float3& x) {
  return std::any_of(regions.boxes.begin(), regions.boxes.end(),
                     [&](const Region& region) { return holds(region, x); });
}
bool touch(const Region& a, const Region& b) {
  for (size_t axis = 0; axis < 3; ++axis)
    if (a.box[0][axis] > b.box[1][axis] || b.box[0][axis] > a.box[1][axis]) return false;
  return true;
}

std::string path_of(const SystemState& system, const EmitterParameters& emitter,
                    const InitialState& initial) {
  return "systems." + system.name + ".emitters." + initial.bodies[size_t(emitter.body)].name;
}

std::string wall_text(const InitialState& initial, size_t w) {
  const std::string& name = initial.walls[w].name;
  return "walls." + std::to_string(w) + (name.empty() ? "" : " ('" + name + "')");
}

/// Discs that lie in one plane, to a particle radius, and have a part of it in common.
bool emit_from_one_place(const EmitterParameters& a, const EmitterParameters& b, double particle_radius,
                         const InitialState& initial) {
  const Vec3d n = normalized_or_zero(to_vec(a.direction)), m = normalized_or_zero(to_vec(b.direction));
  const auto place = [&](const EmitterParameters& emitter) {
    return to_vec(in_domain(to_float3(to_vec(emitter.position)), initial));
  };
  const Vec3d apart =
      to_double(nearest_image(to_float(place(b) - place(a)), cpu::to_vec3(initial.periodic_length)));
  const double reach = std::max(0.0, a.radius + b.radius - 2 * particle_radius);
  const bool in_plane =
      std::abs(dot(apart, n)) < particle_radius && norm(cross(n, m)) * reach < particle_radius;
  return in_plane && norm(apart) < reach + particle_radius;
}

std::vector<std::string> notes_on_pairs_of_emitters(const InitialState& initial) {
  struct Placed {
    const SystemState* system;
    const EmitterParameters* emitter;
  };
  std::vector<Placed> all;
  for (const SystemState& system : initial.systems)
    for (const EmitterParameters& emitter : system.emitters) all.push_back({&system, &emitter});
  std::vector<std::string> notes;
  for (size_t b = 0; b < all.size(); ++b)
    for (size_t a = 0; a < b; ++a) {
      const EmitterParameters &one = *all[a].emitter, &other = *all[b].emitter;
      const double radius =
          std::max(all[a].system->fluid.particle_radius, all[b].system->fluid.particle_radius);
      if (one.start_time >= other.end_time || other.start_time >= one.end_time ||
          !emit_from_one_place(one, other, radius, initial))
        continue;
      notes.push_back(path_of(*all[a].system, one, initial) + " and " +
                      path_of(*all[b].system, other, initial) +
                      " emit from one place at one time, particle upon particle; move one of them, or let it "
                      "start when the other has ended");
    }
  return notes;
}

}  // namespace

std::vector<std::string> notes_on_emitters(const InitialState& initial) {
  std::vector<std::string> notes = notes_on_pairs_of_emitters(initial);
  for (const SystemState& system : initial.systems)
    for (const EmitterParameters& emitter : system.emitters) {
      const std::vector<Float3> places = places_of(emitter, system.fluid.particle_radius, initial);
      const auto count = static_cast<std::ptrdiff_t>(places.size());
      const double layer =
          particles_of_layers(1, disc_particles(emitter.radius, 2 * system.fluid.particle_radius));
      // Of --from. Kill boxes may take some of them.
      const auto there = system.fluid.kill_box.boxes.empty()
                             ? std::count(system.body.begin(), system.body.end(), emitter.body)
                             : 0;
      if (double(there) + layer > emitter.max_particles) {
        std::ostringstream text;
        text << path_of(system, emitter, initial) << " emits nothing: ";
        if (there > 0) text << there << " of its particles are there, and ";
        text << "a layer has " << layer << " particles, more than maxParticles, " << emitter.max_particles
             << (there > 0 ? ", leaves" : "") << "; raise maxParticles or make the radius smaller";
        notes.push_back(text.str());
      }
      for (size_t w = 0; w < initial.walls.size(); ++w) {
        const double slack = 1e-3 * system.fluid.particle_radius;
        const auto behind = std::count_if(places.begin(), places.end(), [&](const Float3& x) {
          return signed_distance(initial.walls[w], x) < -slack;
        });
        if (behind == 0) continue;
        notes.push_back(
            path_of(system, emitter, initial) + (behind == count ? " lies" : " reaches") + " behind " +
            wall_text(initial, w) +
            ": the wall pushes out what is emitted there, particle upon particle; move the emitter, "
            "make its radius smaller, or turn the wall's normal or \"inside\"");
      }
      if (system.fluid.kill_box.boxes.empty()) continue;
      const auto kept = std::count_if(places.begin(), places.end(),
                                      [&](const Float3& x) { return any_holds(system.fluid.kill_box, x); });
      if (kept < count)
        notes.push_back(path_of(system, emitter, initial) + (kept == 0 ? " lies" : " reaches") +
                        " outside of the boxes of systems." + system.name +
                        ".killBox: what it emits there is removed at once; killBox names where fluid stays");
    }
  return notes;
}

std::vector<std::string> notes_on_late_bodies(const InitialState& initial) {
  std::vector<std::string> notes;
  for (const SystemState& system : initial.systems)
    for (const LateBody& late : system.late)
      if (late.start_time >= initial.end_time)
        notes.push_back("systems." + system.name + ".bodies." + initial.bodies[size_t(late.body)].name +
                        " never starts: its startTime is " + number_text(late.start_time) +
                        " s, and the run ends at simulation.endTime, " + number_text(initial.end_time) +
                        " s");
  return notes;
}

std::vector<std::string> notes_on_kill_boxes(const InitialState& initial) {
  std::vector<std::string> notes;
  for (const SystemState& system : initial.systems) {
    const std::vector<Region>& boxes = system.fluid.kill_box.boxes;
    if (boxes.empty()) continue;
    const std::string path = "systems." + system.name + ".killBox";
    const auto outside = std::count_if(system.position.begin(), system.position.end(),
                                       [&](const Float3& x) { return !any_holds(system.fluid.kill_box, x); });
    if (outside > 0)
      notes.push_back(path + ": " + std::to_string(outside) + " of " +
                      std::to_string(system.position.size()) +
                      " particles start in none of its boxes, and the first step removes them; killBox names "
                      "where fluid stays");
    for (size_t b = 0; b < boxes.size(); ++b) {
      const auto in_it = [&](const Float3& x) { return holds(boxes[b], x); };
      bool used = std::any_of(system.position.begin(), system.position.end(), in_it);
      for (const EmitterParameters& emitter : system.emitters) {
        const std::vector<Float3> places = places_of(emitter, system.fluid.particle_radius, initial);
        used = used || std::any_of(places.begin(), places.end(), in_it);
      }
      for (size_t other = 0; other < boxes.size(); ++other)
        used = used || (other != b && touch(boxes[b], boxes[other]));
      if (!used)
        notes.push_back(path + "." + std::to_string(b) +
                        " holds no particle and no emitter and touches no other box: no fluid comes into it");
    }
  }
  return notes;
}

namespace {

/// [m] of the points across the plane through three of them that are far apart; 0 where they lie in a plane
/// or line.
double width_across_plane(const std::vector<Float3>& points) {
  Vec3d mean{0, 0, 0};
  for (const Float3& p : points) mean = mean + to_vec(p) * (1.0 / double(points.size()));
  // The normal of a plane through three far points: the first, the one furthest from it, the one furthest
  // from their line.
  const Vec3d a = to_vec(points[0]);
  Vec3d b = a, c = a;
  for (const Float3& p : points)
    if (norm(to_vec(p) - a) > norm(b - a)) b = to_vec(p);
  const Vec3d along = normalized_or_zero(b - a);
  for (const Float3& p : points)
    if (norm(cross(to_vec(p) - a, along)) > norm(cross(c - a, along))) c = to_vec(p);
  const Vec3d normal = normalized_or_zero(cross(along, c - a));
  double low = 1e300, high = -1e300;
  for (const Float3& p : points) {
    const double h = dot(to_vec(p) - mean, normal);
    low = std::min(low, h), high = std::max(high, h);
  }
  return high - low;
}

}  // namespace

std::vector<std::string> notes_on_flat_bodies(const InitialState& initial) {
  std::vector<std::vector<Float3>> of_body(initial.bodies.size());
  std::vector<double> radius(initial.bodies.size(), 0);
  for (const SystemState& system : initial.systems) {
    if (system.method->emits || !system.springs.empty()) continue;  // fluids, cloths and ropes
    for (size_t i = 0; i < system.position.size(); ++i) {
      of_body[size_t(system.body[i])].push_back(system.position[i]);
      radius[size_t(system.body[i])] = system.radius[i];
    }
  }
  std::vector<std::string> notes;
  for (size_t b = 0; b < of_body.size(); ++b) {
    if (of_body[b].empty() || width_across_plane(of_body[b]) > 0.5 * radius[b]) continue;
    std::ostringstream text;
    text
        << "body '" << initial.bodies[b].name << "' is one particle thick (" << of_body[b].size()
        << " particles in one plane, spacing " << 2 * radius[b]
        << " m): it takes part in contacts with that thickness, whatever its shape says, and resists neither "
           "bending nor what comes through it as a solid does; solids need two particles across and more: "
           "thicken it, raise the resolution or lower simulation.particleRadius";
    notes.push_back(text.str());
  }
  return notes;
}

std::vector<std::string> notes_on_meeting_fluids(const InitialState& initial) {
  std::vector<std::string> notes;
  if (initial.coupling.method == ContactMethod::none) return notes;
  const int count = static_cast<int>(initial.systems.size());
  for (int a = 0; a < count; ++a)
    for (int b = a + 1; b < count; ++b) {
      const SystemState &one = initial.systems[size_t(a)], &other = initial.systems[size_t(b)];
      if (!is_fluid(one) || !is_fluid(other) || solved_together(initial, a, b)) continue;
      notes.push_back(
          "systems." + one.name + " and systems." + other.name +
          " are fluids that meet by contacts alone: neither's density counts the other's particles, "
          "so where they press on each other they go into each other and lose volume; make both "
          "dfsph and name the one in coupledTo of the other");
    }
  return notes;
}

std::vector<std::string> notes_on_far_places(const InitialState& initial) {
  std::vector<std::string> notes;
  for (const SystemState& system : initial.systems) {
    const std::string note =
        note_on_far_place(farthest_place(system, initial), {"scene", "simulation.particleRadius"});
    if (!note.empty()) notes.push_back(note);
  }
  return notes;
}

std::vector<std::string> notes_on_masses(const InitialState& initial) {
  std::vector<double> mass(initial.bodies.size(), 0);
  for (const SystemState& system : initial.systems)
    for (size_t i = 0; i < system.mass.size(); ++i) mass[size_t(system.body[i])] += double(system.mass[i]);
  struct Note {
    std::string where, what;
    int more;  ///< bodies after the first of which the same is true
  };
  std::vector<Note> made;
  for (size_t b = 0; b < mass.size(); ++b) {
    const BodyInfo& body = initial.bodies[b];
    const double error = mass[b] / body.mass - 1;
    if (!(body.mass > 0) || std::abs(error) <= usual_mass_error) continue;
    std::ostringstream text;
    text << std::setprecision(3) << "its particles weigh " << mass[b] << " kg, " << std::abs(100 * error)
         << " % " << (error < 0 ? "less" : "more") << " than the " << body.mass
         << " kg of its density times its volume; raise the resolution or lower simulation.particleRadius, "
            "or take a lattice that fits: packing cubic and sides of whole particle spacings, or sampling "
            "relaxed";
    const auto same =
        std::find_if(made.begin(), made.end(), [&](const Note& note) { return note.what == text.str(); });
    if (same != made.end())
      ++same->more;
    else
      made.push_back(
          {"systems." + initial.systems[size_t(body.system)].name + ".bodies." + body.name, text.str(), 0});
  }
  std::vector<std::string> notes;
  for (const Note& note : made)
    notes.push_back(note.where + (note.more > 0 ? " and " + std::to_string(note.more) + " more" : "") + ": " +
                    note.what);
  return notes;
}

}  // namespace merganser
