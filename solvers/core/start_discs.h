#pragma once
/// Discs of emitters at the start: where they emit particles.
#include "device/vector_math.h"
#include "solvers/core/initial_state.h"

namespace merganser {

/// The places of an emitter's layers: points (a, b) of a square lattice with a^2 + b^2 <= ring.
struct EmitterDisc {
  cpu::Vec3d centre;              ///< [m]
  cpu::Vec3d normal, across, up;  ///< unit vectors; the lattice lies along `across` and `up`
  double spacing;                 ///< [m] of the lattice
  long long ring;                 ///< square of the outermost places' distance from the centre, in spacings

  double reach() const;  ///< [m] from the centre to the outermost places
  /// [m] from the flat disc that the places lie in.
  double distance_to(const cpu::Vec3d& place) const;
  /// [m] From the centre to the place, or to the image of it that is next to the centre.
  cpu::Vec3d arm_to(const Float3& place, const Point3& period) const;
  /// Whether a particle at the end of the arm is nearer than a spacing to what is emitted.
  bool comes_upon(const cpu::Vec3d& arm) const;
};

/// Whether the disc's size is one that a run takes.
bool has_disc(const EmitterParameters& emitter, double spacing);
/// The disc of such an emitter; `spacing` [m] of its fluid.
EmitterDisc disc_of(const EmitterParameters& emitter, double spacing);
/// Whether a place of the disc and one of its image, moved by `offset` [m], are nearer than a spacing.
bool meets_image(const EmitterDisc& disc, const cpu::Vec3d& offset);
/// Emitters whose own particles, from another run, start nearer than a spacing to their discs begin later:
/// when these, at the emitter's speed, are a spacing ahead.
void begin_behind_own_fluid(SystemState& system, const InitialState& initial);
/// No place of an emitter's disc is nearer than a spacing to one of the disc's images across the period.
/// Throws InputError that names the emitter.
void expect_discs_in_period(const SystemState& system, const InitialState& initial);

}  // namespace merganser
