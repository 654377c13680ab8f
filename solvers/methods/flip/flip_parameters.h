#pragma once
/// Parameters of a FLIP fluid, beyond FluidParameters.
#include <cmath>
#include <string>
#include <vector>

namespace merganser {

struct InitialState;
struct ParameterTable;
struct SystemState;

constexpr int most_flip_fluids = 8;  ///< that are solved together

enum class FlipTransfer { flip, apic };

struct FlipParameters {
  /// Keys of scenes and what they are bound to.
  static const ParameterTable& table();
  FlipTransfer transfer = FlipTransfer::flip;
  double flip_blend = 0.7;  ///< share of FLIP left while the fastest particle crosses a cell, the rest is PIC
  double cell_size = 2;     ///< edge of a cell / particle spacing; 2 = eight particles a cell
  double tolerance = 1e-6;  ///< divergence after / before the projection at which the solver stops
  int max_iterations = 100;
  double cfl = 1;  ///< cells that a particle may cross in a step
  /// Share of the density error that is taken back while the fastest particle crosses a cell, 0 = off.
  double volume_correction = 0.5;
  bool reseeding = false;  ///< particles of crowded cells move to sparse ones near by, see FlipReseeding
  std::vector<std::string> coupled_to;  ///< systems of rigid bodies that take part in the pressure solve
};

/// [1/s] Cells of edge dx [m] that a particle may cross in a second: sqrt(|g| dx) is what it may gain on the
/// way.
inline double flip_crossing_rate(double speed, double gravity, double dx) {
  return (speed + std::sqrt(gravity * dx)) / dx;
}

/// Systems of the pressure solve of a fluid: FLIP fluids with equal particles and cells in the order of the
/// scene, then the bodies that they are coupled to; none where it solves alone.
std::vector<int> coupled_indices_of_flip(const SystemState& fluid, const InitialState& initial);

}  // namespace merganser
