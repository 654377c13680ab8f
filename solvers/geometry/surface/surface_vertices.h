#pragma once
/// The field at a mesh's vertices: exact places on the surface, normals, velocities.
#include "solvers/geometry/surface/field_particles.h"
#include "solvers/geometry/surface/marching_cubes.h"
#include "solvers/geometry/surface/surface_parameters.h"

MERGANSER_BEGIN

/// Moves vertices along their edges towards field = C, by secant steps that keep the crossing enclosed.
void refine_vertices(const FieldParticles& particles, const SurfaceParameters& parameters,
                     View<const CrossedEdge> edge, View<Vec3> vertex);

/// normal = -grad field/|grad field|, where `normal` has room for it; velocity [m/s] = sum f_j v_j / sum f_j,
/// of what is linked to the fluid at the vertex.
void sample_vertices(const FieldParticles& particles, View<const Vec3> vertex, View<Vec3> normal,
                     View<Vec3> velocity);

MERGANSER_END
