#pragma once
/// Data of the second stage of a step beyond the first: which unknowns changed, a guess for them, and the
/// residual near them.
#include "solvers/methods/mass_spring/spring_operator.h"

MERGANSER_BEGIN

struct ForgetDistances {
  static constexpr const char* name = "second stage: forget distances";
  View<int> distance;
  MERGANSER_METHOD void operator()(int i) const { distance[i] = ActiveRows::far_away; }
};

/// Splits what is left of b - A u into rows that the changed groups touch and others: near = rows of A u
/// within reach (to be completed and subtracted from b) and zero elsewhere; far = the first stage's residual
/// elsewhere and zero within reach.
struct SplitResidual {
  static constexpr const char* name = "second stage: product";
  SpringRows matrix;
  ActiveRows reach;
  View<const Vec3> change;
  View<Vec3> near, far;
  MERGANSER_METHOD void operator()(int i) const {
    if (reach.contains(i)) {
      near[i] = matrix(i, change);
      far[i] = {0, 0, 0};
    } else {
      near[i] = {0, 0, 0};
    }
  }
};
/// r = b - r within reach.
struct SubtractFromRightSide {
  static constexpr const char* name = "second stage: residual";
  ActiveRows reach;
  View<const Vec3> b;
  View<Vec3> r;
  MERGANSER_METHOD void operator()(int i) const {
    if (reach.contains(i)) r[i] = b[i] - r[i];
  }
};
struct JoinResiduals {
  static constexpr const char* name = "second stage: whole residual";
  View<const Vec3> near;
  View<Vec3> r;
  MERGANSER_METHOD void operator()(int i) const { r[i] += near[i]; }
};

/// Number of rows within reach.
struct CountWithin {
  static constexpr const char* name = "second stage: rows within reach";
  ActiveRows reach;
  MERGANSER_METHOD int operator()(int i) const { return reach.contains(i) ? 1 : 0; }
};

MERGANSER_END
