#pragma once
/// Bodies and walls of a resolved scene: their parameters, bodies with their meshes read from files.
#include <memory>

#include "host/scene/json_reader.h"
#include "solvers/core/method.h"

namespace merganser {

constexpr double most_particles = 2e9;

/// The parameters of a body of a system of the method, its mesh read, placed, and closed where it must be or
/// else welded; `path` names the body in messages, `spacing` [m] is the one of the scene's particles. Throws
/// InputError where the file cannot be read, the mesh is not closed where it must be, or lies where
/// coordinates cannot be told apart.
std::unique_ptr<BodyParameters> read_body(const Json& body, const Method& method, const std::string& path,
                                          double spacing);
/// The mesh of a wall at its place; `name` begins messages. Throws InputError where the file cannot be read,
/// or all of it lies where no particle can come.
TriangleMesh read_wall_mesh(const WallParameters& wall, double spacing, const std::string& name);
/// A system with the keys of its method; no particles, bodies or emitters.
SystemState read_system_keys(const Json& system);
/// A wall; the file of a mesh is not read yet.
WallParameters read_wall(const Json& wall);
EmitterParameters read_emitter(const Json& emitter);
/// Throws InputError where `particles` more than so_far make the scene too large.
void expect_particle_count(double particles, double so_far, const std::string& path);
Point3 point_of(const Json& value);

}  // namespace merganser
