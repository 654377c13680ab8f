#pragma once
/// Bodies of a resolved scene -> particles, appended to their system.
#include <array>

#include "host/json_reader.h"
#include "solvers/initial_state.h"
#include "solvers/sampling/mesh.h"
#include "solvers/sampling/shapes.h"

namespace merganser {

/// What all bodies of a scene share.
struct BodyContext {
  double particle_radius;  ///< [m] at the wanted resolution
  double resolution;
  std::uint32_t seed;
  int body;          ///< index of the body
  std::string path;  ///< of the body, for messages
  double particles_so_far = 0;
  double looked_at = 0;  ///< lattice points of a body that may be looked at to count its particles
};

constexpr double most_particles = 2e9;

/// A body of an SPH system.
void add_fluid_body(const Json& body, const BodyContext& context, SystemState& system);
/// A body of a peridynamics system.
void add_brittle_body(const Json& body, const BodyContext& context, SystemState& system);
/// A body of an elastic SPH system.
void add_elastic_body(const Json& body, const BodyContext& context, SystemState& system);
/// A sheet, cloth mesh or rope of a mass-spring system.
void add_solid_body(const Json& body, const BodyContext& context, SystemState& system);
/// Particles that fill a box, sphere, cylinder, torus, bowl or closed mesh.
std::vector<Float3> fill_shape(const Json& body, const Sampling& sampling, const BodyContext& context);
/// True where a closed mesh from a file gives the shape.
bool is_filled_mesh(const Json& body);
/// That mesh at its place. Throws InputError where it cannot be read or is not closed.
TriangleMesh filled_mesh(const Json& body, const BodyContext& context);
/// The mesh of a "clothMesh" at its place. Throws InputError where it cannot be read.
TriangleMesh cloth_mesh(const Json& body);
/// Any other shape that particles fill, at its place.
Shape shape_of(const Json& body);
/// Those of the positions, of particles of the given radius, that are in region["box"], float rounding
/// allowed for; where none is (a thin box at a low resolution), those that reach into it. Throws InputError
/// where there is none either.
std::vector<int> particles_in(const Json& region, const std::vector<Float3>& position, double radius,
                              const std::string& path);
/// A 1 for every particle of a body that "pinned" or a prescribed motion holds; adds its motions to the
/// system.
std::vector<char> held_particles(const Json& body, const std::vector<Float3>& position,
                                 const BodyContext& context, SystemState& system);
/// Appends particles of equal mass density0 * spacing^3; held ones at rest.
void add_lattice_particles(const Json& body, const std::vector<Float3>& position,
                           const std::vector<char>& held, const BodyContext& context, SystemState& system);
/// Adds the body's prescribed motions to the system; `held` gets a 1 for every particle that they move.
void add_prescribed_motions(const Json& body, const std::vector<Float3>& position, double radius,
                            const std::string& path, SystemState& system, std::vector<char>& held);
/// Particles along both edges of a sheet; along a rope, and 1.
std::array<double, 2> particles_along(const Json& body, const BodyContext& context);
/// About how many particles the body will have; 0 where only its mesh file knows.
double expected_particles(const Json& body, const BodyContext& context);
/// Throws InputError where so many more make the scene too large.
void expect_particle_count(double particles, const BodyContext& context);
Point3 point_of(const Json& value);

}  // namespace merganser
