#pragma once
/// Interface of a sheet to a pressure solve of a grid that its particles take part in. Arrays are indexed by
/// the particles of the system.
#include "solvers/core/system.h"

MERGANSER_BEGIN

/// What impulses of pressure meet: the sheet's implicit solve, so that its stiffness and damping know of them
/// within the step.
class PressedSheet {
 public:
  virtual ~PressedSheet() = default;
  /// After integrate(), before answers of a stage. added [kg]: what moves with the particles, by axis.
  /// tolerance: of the largest impulse J of the stage.
  virtual void begin_pressure(const StepContext& step, const MetaParticleView& groups, View<const Vec3> added,
                              double tolerance) = 0;
  /// Changes of velocity u [m/s] by impulses J [N s], 0 for what is held:
  ///   (M' + dt C + dt^2 K) u = J
  /// M': the matrix of masses of the sheet's own solve, and `added`.
  virtual void answer(View<const Vec3> impulse, View<Vec3> u) = 0;
};

MERGANSER_END
