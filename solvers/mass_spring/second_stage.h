#pragma once
/// What the second stage of a step needs beyond the first: which unknowns changed, a guess for them, and the
/// residual near them.
#include "solvers/mass_spring/spring_operator.h"

MERGANSER_BEGIN

/// Unknowns of a stage; see PrepareRows.
struct RowsView {
  View<const int> representative;
  View<const float> mass;
  View<const Vec3> start;
};

/// Gives the own members of groups that are not what they were in the first stage distance 0 and a guess: the
/// change of velocity u with which the springs give the group the impulses that they gave its members in the
/// first stage,
///   u = dt g + sum_i m_i (u_i - dt g) / M,   m_i, u_i: row mass and solution of the first stage, M: sum of
///   the row masses now.
/// Groups only grow between the stages, so other rows have not changed.
struct GuessChangedGroups {
  static constexpr const char* name = "second stage: changed groups";
  OwnMembersView own;
  RowsView before, now;
  Vec3 gravitation;    ///< [m/s^2]
  float dt;            ///< [s]
  View<Vec3> change;   ///< [m/s] u, solution of the first stage, updated
  View<int> distance;  ///< Reach::far_away before
  MERGANSER_METHOD void operator()(int g) const {
    bool same = true;
    Vec3d impulse{0, 0, 0};
    double mass = 0;
    const Vec3 free_change = dt * gravitation;
    for (int m = own.begin[g]; m < own.end[g]; ++m) {
      const int i = own.local(m);
      same = same && before.representative[i] == now.representative[i] && before.mass[i] == now.mass[i] &&
             before.start[i] == now.start[i];
      impulse += double(before.mass[i]) * to_double(change[i] - free_change);
      mass += now.mass[i];
    }
    if (same) return;
    const bool moves = now.representative[own.local(own.begin[g])] >= 0;
    const Vec3 guess = moves ? free_change + to_float(impulse / mass) : Vec3{0, 0, 0};
    for (int m = own.begin[g]; m < own.end[g]; ++m) {
      distance[own.local(m)] = 0;
      change[own.local(m)] = guess;
    }
  }
};

struct ForgetDistances {
  static constexpr const char* name = "second stage: forget distances";
  View<int> distance;
  MERGANSER_METHOD void operator()(int i) const { distance[i] = Reach::far_away; }
};

/// Splits what is left of b - A u into rows that the changed groups touch and others: near = rows of A u
/// within reach (to be completed and subtracted from b) and zero elsewhere; far = the first stage's residual
/// elsewhere and zero within reach.
struct SplitResidual {
  static constexpr const char* name = "second stage: product";
  SpringRows matrix;
  Reach reach;
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
  Reach reach;
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
  using Value = int;
  Reach reach;
  MERGANSER_METHOD int operator()(int i) const { return reach.contains(i) ? 1 : 0; }
  MERGANSER_METHOD static int identity() { return 0; }
  MERGANSER_METHOD static int combine(int a, int b) { return a + b; }
};

MERGANSER_END
