#pragma once
/// Operator and preconditioner of a shared solve, put together from the parts'.
#include "device/launch.h"
#include "solvers/coupling/implicit/implicit_coupling.h"
#include "solvers/coupling/implicit/implicit_kernels.h"
#include "solvers/coupling/implicit/wall_preconditioner.h"

MERGANSER_BEGIN

/// A u for conjugate gradients, part by part; rows of one unknown are summed.
struct ImplicitCoupling::Matrix {
  const ImplicitCoupling& solids;
  const StepContext& step;
  OwnMembersView own;
  void multiply(SolveProgress progress, View<const Vec3> u, View<Vec3> product) const {
    for (ImplicitSystem* part : solids.parts_) {
      const PartRows rows = solids.rows_of(step, *part);
      const int first = rows.particles.first - solids.range_.first, count = rows.particles.count;
      part->multiply(progress, step.dt, rows, u.subview(first, count), product.subview(first, count));
    }
    add_walls(progress, u, product);
  }
  void add_walls(SolveProgress progress, View<const Vec3> u, View<Vec3> product) const {
    if (solids.near_walls_)
      launch(u.count, AddWallProduct{progress, solids.wall_stiffness_.view(), u, product});
  }
  /// What precondition() inverts is known of sums of its results, where these are all of z.
  bool knows() const { return solids.preconditioned_ && solids.own_rows_ && !solids.near_walls_; }
  void multiply_known(View<const Vec3> u, View<const Vec3> known, View<Vec3> product) const {
    for (ImplicitSystem* part : solids.parts_) {
      const PartRows rows = solids.rows_of(step, *part);
      const int first = rows.particles.first - solids.range_.first, count = rows.particles.count;
      if (part->preconditions())
        part->multiply_known(step.dt, rows, u.subview(first, count), known.subview(first, count),
                             product.subview(first, count));
      else
        part->multiply({}, step.dt, rows, u.subview(first, count), product.subview(first, count));
    }
  }
  void complete(View<Vec3> rows, const ActiveRows& reach) const {
    launch_group_sums(own.begin.count, SumGroupRows{.own = own, .reach = reach, .rows = rows});
  }
  void add_to_key(LaunchKey& key) const {
    for (const ImplicitSystem* part : solids.parts_) part->add_to_key(step.dt, key);
    key.push_back(solids.rows_.effective_mass().data);
    key.push_back(solids.near_walls_ ? solids.wall_stiffness_.data() : nullptr);
    own.add_to_key(key);
  }
};

/// z = B r for a PreconditionedConjugateGradient: every part's own, or its blocks' inverses.
struct ImplicitCoupling::PartPreconditioners {
  ImplicitCoupling& solids;
  const StepContext& step;
  OwnMembersView own;
  void add_to_key(LaunchKey& key) const {
    for (const void* address : {static_cast<const void*>(solids.share_.data()),
                                static_cast<const void*>(solids.shared_residual_.data()),
                                static_cast<const void*>(solids.inverse_diagonal_.data()),
                                static_cast<const void*>(solids.wall_yield_.data()),
                                static_cast<const void*>(solids.wall_held_.data())})
      key.push_back(address);
  }
  void apply(View<const Vec3> r, View<Vec3> z) {
    const bool grouped = own.begin.count > 0, walls = solids.near_walls_;
    const View<const float> share = solids.share_.view();
    const View<Vec3> shared = solids.shared_residual_.view();
    if (walls)
      launch(r.count, YieldToWalls{solids.wall_yield_.view(), share, r, shared});
    else if (grouped)
      launch(r.count, ScaleRows{share, r, shared});
    const View<const Vec3> from = grouped || walls ? View<const Vec3>(shared) : r;
    for (ImplicitSystem* part : solids.parts_) {
      const PartRows rows = solids.rows_of(step, *part);
      const int first = rows.particles.first - solids.range_.first, count = rows.particles.count;
      if (part->preconditions())
        part->precondition(rows, from.subview(first, count), z.subview(first, count));
      else
        launch(count, ApplyBlocks{solids.inverse_diagonal_.const_view().subview(first, count),
                                  from.subview(first, count), z.subview(first, count)});
    }
    if (walls) launch(z.count, HoldByWalls{solids.wall_yield_.view(), solids.wall_held_.view(), share, r, z});
    if (!grouped) return;
    launch(z.count, ScaleRows{share, z, z});
    launch_group_sums(own.begin.count, SumGroupRows{.own = own, .reach = {}, .rows = z});
  }
};

MERGANSER_END
