#pragma once
/// Largest distance from the origin at which float positions resolve particles.
#include <string>

#include "solvers/core/initial_state.h"
#include "solvers/geometry/sampling/mesh.h"

namespace merganser {

/// Particle radii from the origin beyond which a run ends (Condition::escape): neighboring coordinates are a
/// sixteenth to an eighth of a radius apart there.
inline constexpr float farthest_in_radii = 1e6f;
/// Particle spacings from the origin up to which a thousand or more coordinates lie in a spacing. Further off
/// what moves less than half of their distance a step stands still, and an SPH fluid, whose steps are short,
/// loses volume: a dam break 2 % of its height at 50,000 spacings, a quarter at 150,000.
inline constexpr double resolved_in_spacings = 8192;

/// What of a system or of a mesh lies furthest off at the start: the largest coordinate of any particle,
/// emitter or vertex over the particle's radius.
struct FarthestPlace {
  double coordinate = 0;  ///< [m] without sign
  double radius = 1;      ///< [m] of the particle
  std::string path = {};  ///< systems.NAME.bodies.NAME or .emitters.NAME, or the mesh's file
  double in_radii() const { return coordinate / radius; }
};
FarthestPlace farthest_place(const SystemState& system, const InitialState& initial);
/// Of a mesh that is to be filled with particles so far apart [m].
FarthestPlace farthest_place(const TriangleMesh& mesh, double spacing, const std::string& path);

/// The place in the mesh's box that is nearest to the origin: of walls, which may reach far.
FarthestPlace nearest_place(const TriangleMesh& mesh, double spacing, const std::string& path);

/// What a message advises: what to bring to the origin, and what to raise.
struct RangeRemedy {
  std::string bring, raise;
};
/// Throws InputError where it is beyond farthest_in_radii, as a step would find (Condition::escape).
void expect_in_range(const FarthestPlace& far, const RangeRemedy& remedy);
/// "" up to resolved_in_spacings.
std::string note_on_far_place(const FarthestPlace& far, const RangeRemedy& remedy);

}  // namespace merganser
