#pragma once
/// Moves all particles with their end-of-step velocities.
#include "device/kernel_report.h"
#include "device/particle_store.h"

MERGANSER_BEGIN

/// Where a particle at x [m] is after dt [s] with v [m/s], rounded.
MERGANSER_FN Vec3 advanced(const Vec3& x, const Vec3& v, float dt) { return x + dt * v; }

/// x += dt v for every particle ([MS] Fig. 1c: members of a group share v, so the group moves rigidly);
/// stores v. Reports not_a_number, and escape where a coordinate grows beyond
/// farthest_in_radii (coordinate_range.h), where float positions no longer resolve the particle.
void advance_particles(ParticleStore& particles, View<const Vec3> end_velocity, float dt, ReportView report);

MERGANSER_END
