#pragma once
/// Bodies of a resolved scene -> particles, appended to their system.
#include "host/json_reader.h"
#include "solvers/initial_state.h"

namespace merganser {

/// What all bodies of a scene share.
struct BodyContext {
  double particle_radius;  ///< [m] at the wanted resolution
  double resolution;
  std::uint32_t seed;
  int body;          ///< index of the body
  std::string path;  ///< of the body, for messages
  double particles_so_far = 0;
};

constexpr double most_particles = 2e9;

/// A body of an SPH system.
void add_fluid_body(const Json& body, const BodyContext& context, SystemState& system);
/// A sheet, cloth mesh or rope of a mass-spring system.
void add_solid_body(const Json& body, const BodyContext& context, SystemState& system);
/// About how many particles the body will have; 0 where only its mesh file knows.
double expected_particles(const Json& body, const BodyContext& context);
/// Throws InputError where so many more make the scene too large.
void expect_particle_count(double particles, const BodyContext& context);
Point3 point_of(const Json& value);

}  // namespace merganser
