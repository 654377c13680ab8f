#pragma once
/// How far from the origin float positions tell particles apart.
#include <string>

#include "solvers/core/initial_state.h"

namespace merganser {

/// Particle radii from the origin beyond which a run ends (Condition::escape): neighboring coordinates are a
/// sixteenth to an eighth of a radius apart there.
inline constexpr float farthest_in_radii = 1e6f;
/// Particle spacings from the origin up to which a thousand or more coordinates lie in a spacing. Further off
/// what moves less than half of their distance a step stands still, and an SPH fluid, whose steps are short,
/// loses volume: a dam break 2 % of its height at 50,000 spacings, a quarter at 150,000.
inline constexpr double resolved_in_spacings = 8192;

/// What of a system lies furthest off at the start: the largest coordinate of any particle or emitter over
/// the particle's radius.
struct FarthestPlace {
  double coordinate = 0;  ///< [m] without sign
  double radius = 1;      ///< [m] of the particle
  std::string path = {};  ///< systems.NAME.bodies.NAME or .emitters.NAME
  double in_radii() const { return coordinate / radius; }
};
FarthestPlace farthest_place(const SystemState& system, const InitialState& initial);

}  // namespace merganser
