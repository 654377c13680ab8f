#include "solvers/methods/fluid/forces/implicit_viscosity.h"

#include <algorithm>
#include <cmath>

#include "solvers/methods/fluid/forces/viscosity_wall_load.h"

MERGANSER_BEGIN

void ViscosityOperator::multiply(SolveProgress progress, View<const Vec3> x, View<Vec3> y) const {
  fluid.pack(x);
  const ViscosityProduct term{.viscosity = viscosity, .wall_block = wall_block, .product = y};
  launch(x.count, SumWhileActive<SphSum<ViscosityProduct>>{fluid.sum(h, term), progress});
}

ImplicitViscosity::ImplicitViscosity(const FluidForcesParameters& parameters, double density0, float mass,
                                     float h)
    : parameters_(parameters),
      h_(h),
      nu_(static_cast<float>(parameters.implicit_viscosity / density0)),
      wall_nu_(static_cast<float>(parameters.wall_viscosity / density0)),
      mass_(mass),
      central_(std::cbrt(mass / density0), h),
      fill_(CubicSpline<double>(1), h) {}

ViscosityOperator ImplicitViscosity::matrix(const PackedFluid& fluid) {
  return {.fluid = fluid,
          .h = h_,
          .viscosity = {.central = central_, .scale = dt_ * nu_},
          .wall_block = wall_block_.const_view()};
}

void ImplicitViscosity::prepare(const PackedFluid& fluid, float dt, View<const Vec3> velocity) {
  const int count = fluid.count();
  dt_ = dt;
  const bool walls_rub = wall_nu_ > 0 && fluid.walls.count > 0;
  inverse_block_.resize(count);
  wall_block_.resize(walls_rub ? count : 0);
  for (Array<Vec3>* vector : {&right_side_, &solution_, &residual_}) vector->resize(count);
  fluid.pack(velocity);
  launch(count, fluid.sum(h_, ViscosityBlocks{.viscosity = matrix(fluid).viscosity,
                                              .drag = drag(),
                                              .walls = fluid.walls,
                                              .fill = fill_.view(),
                                              .inverse_block = inverse_block_.view(),
                                              .wall_block = wall_block_.view(),
                                              .right_side = right_side_.view()}));
}

void ImplicitViscosity::sum_wall_loads(const PackedFluid& fluid, View<const Vec3> velocity) {
  loads_.sum(wall_block_.empty() ? 0 : fluid.count(), fluid.time, [&](const MeasuredWall& wall) {
    return ViscosityWallLoad{.position = fluid.position,
                             .compression = fluid.compression,
                             .velocity = velocity,
                             .mass = mass_,
                             .drag = drag(),
                             .walls = fluid.walls,
                             .fill = fill_.view(),
                             .measured = wall};
  });
}

LinearSolveLimits ImplicitViscosity::limits() const {
  return {.tolerance = parameters_.viscosity_tolerance,
          .max_iterations = parameters_.viscosity_iterations,
          .reference = -1,
          .expected = std::max(solved_.iterations, 1)};
}

void ImplicitViscosity::finish(const PackedFluid& fluid, const LinearSolveResult& solved,
                               View<const Vec3> solution, View<const Vec3> residual, View<Vec3> velocity) {
  solved_ = solved;
  sum_wall_loads(fluid, solution);
  launch(fluid.count(), TakeViscousVelocity{solution, residual, velocity, change_.view()});
}

void ImplicitViscosity::apply(const PackedFluid& fluid, float dt, View<Vec3> velocity) {
  const int count = fluid.count();
  if (count == 0) {
    solved_ = {};
    return sum_wall_loads(fluid, {});
  }
  prepare(fluid, dt, velocity);
  launch(count, WarmStart{velocity, change_.const_view(), solution_.view()});
  const ViscosityOperator product = matrix(fluid);
  product.multiply({}, solution_.const_view(), residual_.view());
  launch(count, ViscosityResidual{right_side_.const_view(), residual_.view()});
  const SolveRows rows{.representative = {}, .count = count, .reach = {}};
  solver_.refer_to(rows, right_side_.const_view());
  const LinearSolveResult solved = solver_.solve(product, InverseBlocks{inverse_block_.const_view()}, rows,
                                                 residual_.view(), solution_.view(), limits());
  finish(fluid, solved, solution_.const_view(), residual_.const_view(), velocity);
}

MERGANSER_END
