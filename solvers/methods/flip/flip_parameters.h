#pragma once
/// Parameters of a FLIP fluid, beyond FluidParameters.
namespace merganser {

struct ParameterTable;

enum class FlipTransfer { flip, apic };

struct FlipParameters {
  /// Keys of scenes and what they are bound to.
  static const ParameterTable& table();
  FlipTransfer transfer = FlipTransfer::flip;
  double flip_blend = 0.97;  ///< share of FLIP, the rest is PIC; FLIP transfer only
  double cell_size = 2;      ///< edge of a cell / particle spacing; 2 = eight particles a cell
  double tolerance = 1e-6;   ///< divergence after / before the projection at which the solver stops
  int max_iterations = 100;
  double cfl = 1;  ///< cells that a particle may cross in a step
  /// Share of the density error that is taken back while the fastest particle crosses a cell, 0 = off.
  double volume_correction = 0.5;
  bool reseeding = false;  ///< particles of crowded cells move to sparse ones near by, see FlipReseeding
};

}  // namespace merganser
