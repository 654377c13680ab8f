#pragma once
/// Moves all particles with their end-of-step velocities.
#include "device/kernel_report.h"
#include "device/particle_store.h"

MERGANSER_BEGIN

/// x += dt v for every particle ([MS] Fig. 1c: members of a group share v, so the group moves rigidly);
/// stores v. On periodic axes (period > 0) positions are wrapped into [origin, origin + period). Reports
/// not_a_number, and escape where a coordinate grows beyond 1e6 times the particle radius, where float
/// positions no longer resolve it.
void advance_particles(ParticleStore& particles, View<const Vec3> end_velocity, float dt,
                       Vec3 periodic_origin, Vec3 periodic_length, ReportView report);

MERGANSER_END
