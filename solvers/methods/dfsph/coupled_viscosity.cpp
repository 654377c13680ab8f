#include "solvers/methods/dfsph/coupled_viscosity.h"

MERGANSER_BEGIN

namespace {

struct UnknownScales {
  static constexpr const char* name = "coupled viscosity scales";
  View<const float> viscosity, mobility;
  float fluid_mobility;  ///< [m^3/kg]
  View<float> scale;     ///< written
  MERGANSER_METHOD void operator()(int s) const {
    scale[s] = viscosity[s] < 0 ? square_root(mobility[s] / fluid_mobility) : 1.0f;
  }
};

/// `from`: of the fluid, or of the union.
struct TakeFluidRows {
  static constexpr const char* name = "coupled viscosity fluid rows";
  View<const int> place;
  View<const Vec3> from;
  View<Vec3> own;  ///< written
  MERGANSER_METHOD void operator()(int k) const { own[k] = from[place[k]]; }
};
struct PutFluidRows {
  static constexpr const char* name = "coupled viscosity put rows";
  View<const int> place;
  View<const Vec3> own;
  View<Vec3> to;  ///< of the union, written
  MERGANSER_METHOD void operator()(int k) const { to[place[k]] = own[k]; }
};

/// Velocities of unknowns.
struct ScaleUnknowns {
  static constexpr const char* name = "coupled viscosity velocities";
  View<const float> scale;
  View<const Vec3> unknown;
  View<Vec3> velocity;  ///< written
  MERGANSER_METHOD void operator()(int s) const { velocity[s] = scale[s] * unknown[s]; }
};

/// x - dt/scale a: rows of the product without the fluid's own part.
struct DragRows {
  static constexpr const char* name = "coupled viscosity rows";
  View<const float> scale;
  View<const Vec3> x;  ///< empty: 0, and a counts with the other sign
  View<const Quad> acceleration;
  float dt;
  SolveProgress progress;
  View<Vec3> y;  ///< written
  MERGANSER_METHOD void operator()(int s) const {
    if (progress.stopped()) return;
    const Quad& a = acceleration[s];
    const Vec3 drag = scale[s] > 0 ? (dt / scale[s]) * Vec3{a.x, a.y, a.z} : Vec3{0, 0, 0};
    y[s] = x.empty() ? drag : x[s] - drag;
  }
};
/// The fluid's own part of the product: y += A v - v.
struct AddFluidRows {
  static constexpr const char* name = "coupled viscosity add rows";
  View<const int> place;
  View<const Vec3> own, product;
  SolveProgress progress;
  View<Vec3> y;  ///< of the union
  MERGANSER_METHOD void operator()(int k) const {
    if (!progress.stopped()) y[place[k]] += product[k] - own[k];
  }
};

/// Residuals of the fluid's rows: b - A v, and what the drag does is there.
struct AddFluidResiduals {
  static constexpr const char* name = "coupled viscosity residuals";
  View<const int> place;
  View<const Vec3> right_side, product;
  View<Vec3> residual;  ///< of the union
  MERGANSER_METHOD void operator()(int k) const { residual[place[k]] += right_side[k] - product[k]; }
};

/// What the tolerance refers to: |v*| of all unknowns.
struct ReferenceRows {
  static constexpr const char* name = "coupled viscosity reference";
  View<const float> viscosity, scale;
  View<const Vec3> velocity;
  View<Vec3> reference;  ///< written
  MERGANSER_METHOD void operator()(int s) const {
    const bool counts = viscosity[s] != 0 && scale[s] > 0;
    reference[s] = counts ? (1 / scale[s]) * velocity[s] : Vec3{0, 0, 0};
  }
};

/// Inverse blocks of solids; of rigid bodies 1.
struct SolidBlocks {
  static constexpr const char* name = "coupled viscosity blocks";
  View<const int> kind;
  View<SymmetricMatrix3> block;  ///< that of the drag before, the inverse after; the fluid's stays
  MERGANSER_METHOD void operator()(int s) const {
    const PressedKind of = static_cast<PressedKind>(kind[s]);
    if (of == PressedKind::fluid) return;
    SymmetricMatrix3 whole = scaled_identity(1);
    if (of == PressedKind::elastic) whole += block[s];
    block[s] = inverse(whole);
  }
};
struct FluidBlocks {
  static constexpr const char* name = "coupled viscosity fluid blocks";
  View<const int> place;
  View<const SymmetricMatrix3> inverse_block;
  View<SymmetricMatrix3> block;  ///< of the union, likewise
  MERGANSER_METHOD void operator()(int k) const {
    SymmetricMatrix3 whole = inverse(inverse_block[k]);
    whole += block[place[k]];
    block[place[k]] = inverse(whole);
  }
};

/// v + scale x.
struct AddUnknowns {
  static constexpr const char* name = "coupled viscosity solution";
  View<const float> scale;
  View<const Vec3> unknown;
  View<Vec3> velocity;  ///< updated
  MERGANSER_METHOD void operator()(int s) const { velocity[s] += scale[s] * unknown[s]; }
};

/// b - A v of the fluid with the drag at the solution.
struct LastResiduals {
  static constexpr const char* name = "coupled viscosity last residuals";
  View<const int> place;
  View<const Vec3> right_side, product;
  View<const Quad> acceleration;
  float dt;
  View<Vec3> left;  ///< of the fluid, written
  MERGANSER_METHOD void operator()(int k) const {
    const Quad& a = acceleration[place[k]];
    left[k] = right_side[k] - product[k] + dt * Vec3{a.x, a.y, a.z};
  }
};
struct FluidAccelerations {
  static constexpr const char* name = "coupled viscosity accelerations";
  View<const int> place;
  View<const float> mobility;
  View<const Vec3> change;  ///< [m/s]
  float per_dt;             ///< [1/s]
  View<Quad> acceleration;  ///< [m/s^2] of the union, written
  MERGANSER_METHOD void operator()(int k) const {
    const float free = mobility[place[k]] > 0 ? per_dt : 0.0f;
    acceleration[place[k]] = {free * change[k].x, free * change[k].y, free * change[k].z, 0};
  }
};

}  // namespace

void CoupledViscosity::find_drag(const UnionOfViscosity& all, SolveProgress progress, bool last,
                                 View<const Vec3> velocity, View<Quad> acceleration) {
  all.pressure.find_solid_drag(all.drag, velocity, progress, last, acceleration);
  const SolveState* state = progress.now.data;
  all.as_bodies(state ? View<const int>{&state->active, 1} : View<const int>{}, acceleration);
}

void CoupledViscosity::Operator::multiply(SolveProgress progress, View<const Vec3> x, View<Vec3> y) const {
  const int own = all.fluid_place.count;
  launch(own, TakeFluidRows{all.fluid_place, x, solve.own_.view()});
  fluid.multiply(progress, solve.own_.const_view(), solve.product_.view());
  launch(x.count, ScaleUnknowns{solve.scale_.const_view(), x, solve.scaled_.view()});
  solve.find_drag(all, progress, false, solve.scaled_.const_view(), acceleration);
  launch(x.count, DragRows{solve.scale_.const_view(), x, acceleration, all.drag.dt, progress, y});
  launch(own,
         AddFluidRows{all.fluid_place, solve.own_.const_view(), solve.product_.const_view(), progress, y});
}

void CoupledViscosity::apply(const UnionOfViscosity& all, ImplicitViscosity& viscosity,
                             const PackedFluid& fluid, View<Vec3> velocity, View<Quad> acceleration) {
  const int count = velocity.count, own = all.fluid_place.count;
  for (Array<Vec3>* a : {&unknown_, &residual_, &reference_, &scaled_}) a->resize(count);
  for (Array<Vec3>* a : {&start_, &own_, &product_, &solution_, &left_}) a->resize(own);
  scale_.resize(count);
  inverse_block_.resize(count);
  const View<const int> place = all.fluid_place;
  const View<const float> scale = scale_.const_view();
  launch(count, UnknownScales{all.drag.viscosity, all.drag.mobility, 1 / all.density, scale_.view()});
  launch(count, ReferenceRows{all.drag.viscosity, scale, velocity, reference_.view()});

  // The start: v* and what the last step's viscosity did to the fluid.
  launch(own, TakeFluidRows{place, velocity, start_.view()});
  viscosity.prepare(fluid, all.drag.dt, start_.const_view());
  launch(own, WarmStart{start_.const_view(), viscosity.change().const_view(), solution_.view()});
  launch(own, PutFluidRows{place, solution_.const_view(), velocity});
  const ViscosityOperator matrix = viscosity.matrix(fluid);
  matrix.multiply({}, solution_.const_view(), product_.view());
  find_drag(all, {}, false, velocity, acceleration);
  launch(count, DragRows{scale, {}, acceleration, all.drag.dt, {}, residual_.view()});
  launch(own, AddFluidResiduals{place, viscosity.right_side(), product_.const_view(), residual_.view()});

  all.pressure.find_drag_blocks(all.drag, inverse_block_.view());
  launch(count, SolidBlocks{all.kind, inverse_block_.view()});
  launch(own, FluidBlocks{place, viscosity.inverse_block(), inverse_block_.view()});
  unknown_.zero();
  const SolveRows rows{.representative = {}, .count = count, .reach = {}};
  solver_.refer_to(rows, reference_.const_view());
  const LinearSolveResult solved =
      solver_.solve(Operator{*this, all, matrix, acceleration}, InverseBlocks{inverse_block_.const_view()},
                    rows, residual_.view(), unknown_.view(), viscosity.limits());

  // The forces at the solution, of both sides of each pair.
  launch(count, AddUnknowns{scale, unknown_.const_view(), velocity});
  launch(own, TakeFluidRows{place, velocity, solution_.view()});
  matrix.multiply({}, solution_.const_view(), product_.view());
  find_drag(all, {}, true, velocity, acceleration);
  launch(own, LastResiduals{place, viscosity.right_side(), product_.const_view(), acceleration, all.drag.dt,
                            left_.view()});
  viscosity.finish(fluid, solved, solution_.const_view(), left_.const_view(), start_.view());
  launch(own, FluidAccelerations{place, all.drag.mobility, viscosity.change().const_view(), 1 / all.drag.dt,
                                 acceleration});
}

MERGANSER_END
