#pragma once
/// Springs under the pressure of a fluid's grid, see PressedSheet.
#include "solvers/core/pressed_sheet.h"
#include "solvers/linear/krylov/conjugate_gradient.h"
#include "solvers/methods/mass_spring/spring_operator.h"

MERGANSER_BEGIN

class PressedSprings {
 public:
  /// own_mass, added [kg], inverse_mass [1/kg]: of own particles, the first one at `first` of the store;
  /// block: see LinearizeSprings. Impulses are 0 where `added` is. The views last as long as answers are
  /// asked for.
  void begin(const SpringListView& springs, View<const SpringBlock> block, const MetaParticleView& groups,
             int first, View<const float> own_mass, View<const float> inverse_mass, float scale,
             View<const Vec3> added, const LinearSolveLimits& limits);
  void answer(View<const Vec3> impulse, View<Vec3> u);

 private:
  ActiveRows near() const;
  SpringListView springs_;
  View<const SpringBlock> block_;
  Array<Vec3> mass_, residual_;  ///< [kg] by axis, [N s]
  Array<SymmetricMatrix3> inverse_diagonal_;
  Array<int> distance_;  ///< springs from the nearest particle that `added` is not 0 of
  ConjugateGradient solver_;
  LinearSolveLimits limits_{};
  double reference_ = 0;  ///< [N s] the largest of the stage
};

MERGANSER_END
