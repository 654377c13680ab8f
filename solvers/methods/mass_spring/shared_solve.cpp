/// Springs as a part of a solve that is shared with other implicit systems.
#include <algorithm>

#include "solvers/methods/mass_spring/mass_spring.h"

MERGANSER_BEGIN

namespace {

struct MultiplySprings {
  static constexpr const char* name = "mass-spring product";
  SolveProgress progress;
  SpringRows matrix;
  View<const Vec3> u;
  View<Vec3> y;
  MERGANSER_METHOD void operator()(int i) const {
    if (!progress.stopped()) y[i] = matrix(i, u);
  }
};

/// D_i = sum_j B_ij.
struct SpringDiagonal {
  static constexpr const char* name = "mass-spring diagonal";
  View<const int> first;
  View<const SpringBlock> block;
  View<SymmetricMatrix3> diagonal;
  MERGANSER_METHOD void operator()(int i) const {
    SymmetricMatrix3 sum{};
    for (int s = first[i], end = first[i + 1]; s < end; ++s) sum += block[s].matrix();
    diagonal[i] = sum;
  }
};

}  // namespace

void MassSpring::right_side(const StepContext& step, const PartRows& rows, View<Vec3> b) {
  const SpringListView springs = springs_.view();
  launch(rows.particles.count, RightSide{.reach = {},
                                         .first = springs.first,
                                         .neighbor = springs.neighbor,
                                         .block = block_.view(),
                                         .impulse = impulse_.view(),
                                         .effective_mass = rows.effective_mass,
                                         .mass = rows.mass,
                                         .own_mass = step.particles.mass.const_view().subview(
                                             rows.particles.first, rows.particles.count),
                                         .start = rows.start,
                                         .gravity = step.gravity,
                                         .dt = float(step.dt),
                                         .air_damping = float(parameters_.air_damping),
                                         .right_side = b});
}

void MassSpring::diagonal(double, View<SymmetricMatrix3> blocks) {
  launch(blocks.count, SpringDiagonal{springs_.view().first, block_.view(), blocks});
}

void MassSpring::multiply(SolveProgress progress, double, const PartRows& rows, View<const Vec3> u,
                          View<Vec3> y) {
  const SpringListView springs = springs_.view();
  launch(u.count, MultiplySprings{progress,
                                  {.first = springs.first,
                                   .neighbor = springs.neighbor,
                                   .block = block_.view(),
                                   .effective_mass = rows.effective_mass,
                                   .own = {},
                                   .distance = {}},
                                  u,
                                  y});
}

void MassSpring::solved(int stage, const LinearSolveResult& result) {
  if (stage == 0) statistics_ = {};
  statistics_.iterations[stage] = expected_[stage] = result.iterations;
  statistics_.residual = std::max(statistics_.residual, result.residual);
  statistics_.tolerance_met = statistics_.tolerance_met && result.tolerance_met;
}

MERGANSER_END
