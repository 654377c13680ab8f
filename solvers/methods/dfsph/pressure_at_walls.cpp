/// Terms of walls between the pressure solves of DFSPH, and their loads.
#include "solvers/methods/dfsph/held_pressure.h"
#include "solvers/methods/dfsph/hold_off_walls.h"
#include "solvers/methods/dfsph/image_loads.h"
#include "solvers/methods/dfsph/pressure_solver.h"
#include "solvers/methods/dfsph/sources.h"

MERGANSER_BEGIN

template <class Total>
void DfsphPressure::sum_total(int of, int count, const Total& total) {
  if (walls_.count == 0 || (of == density_load && headed_total_known_)) return;
  totals_[of].run(count, sum_of(total));
  total_known_[of] = true;
}

/// What the last step's pressures carry along walls. False where there is nothing to find, and nothing
/// packed.
bool DfsphPressure::find_carried_along_walls(View<const float> mobility, const Vec3& gravity,
                                             const PackPressureChanges& pack) {
  if (walls_.count == 0 || !(norm(gravity) > 0)) return false;
  carried_along_.resize(mobility.count);
  if (images_ || wall_density_.conservative()) {
    carried_along_.zero();
    return false;
  }
  std::visit(
      [&]<class Kernel, class Shapes>(const Kernel& kernel, const Shapes& walls) {
        launch(mobility.count, HeldAlongWalls<Kernel, Shapes>{.pairs = pairs(kernel),
                                                              .wall = wall_.const_view(),
                                                              .walls = walls,
                                                              .fill = shares(),
                                                              .mobility = mobility,
                                                              .pressure = carrying_pressure(),
                                                              .gravity = gravity,
                                                              .held = part_.view(),
                                                              .weight = source_.view(),
                                                              .pack = pack});
        launch(mobility.count, CarriedAlongWalls<Kernel>{pairs(kernel), part_.const_view(),
                                                         source_.const_view(), carried_along_.view()});
      },
      kernel_, as_found(walls_));
  return true;
}

void DfsphPressure::add_pressure_behind_walls(View<const float> mobility, const Vec3& gravity, double dt,
                                              View<Vec3> change) {
  if (images_ || walls_.count == 0 || !(norm(gravity) > 0)) return;
  std::visit(
      [&]<class Shapes>(const Shapes& walls) {
        const PressureBehindWalls<Shapes> behind{.position = position_.const_view(),
                                                 .wall = wall_.const_view(),
                                                 .walls = walls,
                                                 .fill = shares(),
                                                 .mobility = mobility,
                                                 .pressure = carrying_pressure(),
                                                 .carried_along = carried_along_.const_view(),
                                                 .gravity = gravity,
                                                 .reach = norm(gravity) * h_,
                                                 .dt = static_cast<float>(dt),
                                                 .head = head(),
                                                 .change = change};
        launch(change.count, behind);
        loads_[head_load].sum(change.count, time_, [&](const MeasuredWall& wall) {
          return DfsphHeadLoad<Shapes>{at_walls(wall, shares()), behind, volume_};
        });
        sum_total(head_load, change.count, WallHeadTotal<Shapes>{behind, volume_});
      },
      as_found(walls_));
}

ParticlesAtWalls DfsphPressure::at_walls(const MeasuredWall& wall, const DfsphWallFill& fill) const {
  return {position_.const_view(), wall_.const_view(), walls_, fill, wall};
}

void DfsphPressure::find_held_impulses(int of, View<const float> part, double dt) {
  held_impulse_[of].resize(part.count);
  std::visit(
      [&]<class Kernel>(const Kernel& kernel) {
        launch(part.count,
               HeldPressure<Kernel>{.pairs = pairs(kernel),
                                    .first_further = images_ ? rows_.first_further() : View<int>{},
                                    .free = free_,
                                    .part = part,
                                    .pressure = last_pressure_.const_view(),
                                    .head = of == density_load ? head() : HeadAtRest{},
                                    .dt = static_cast<float>(dt),
                                    .impulse = held_impulse_[of].view()});
      },
      kernel_);
}

template <class Visit>
void DfsphPressure::visit_solid_fluid(View<const float> viscosity, const Visit& visit) {
  std::visit(
      [&]<class Kernel>(const Kernel& kernel) {
        visit(SolidFluidPairs<Kernel>{pairs(kernel), viscosity, central_viscosity_});
      },
      kernel_);
}

void DfsphPressure::begin_solid_drag(int count) {
  drag_impulse_.resize(measures_held_ ? count : 0);
  drag_impulse_.zero();
}

void DfsphPressure::find_explicit_drag(const SolidDragOf& of, View<const Vec3> velocity,
                                       View<Quad> acceleration) {
  launch(velocity.count, PackVelocities{velocity, acceleration_.view()});
  visit_solid_fluid(of.viscosity, [&]<class Kernel>(const SolidFluidPairs<Kernel>& solid_fluid) {
    launch(of.mobility.count,
           SolidDragRate<Kernel>{
               .solid_fluid = solid_fluid, .mobility = of.mobility, .dt = of.dt, .rate = source_.view()});
    launch_solid_drag(solid_fluid, of, {}, source_.const_view(), acceleration, drag_impulse_.view());
  });
}

void DfsphPressure::find_solid_drag(const SolidDragOf& of, View<const Vec3> velocity, SolveProgress progress,
                                    bool last, View<Quad> acceleration) {
  launch(velocity.count, PackVelocities{velocity, acceleration_.view()});
  visit_solid_fluid(of.viscosity, [&]<class Kernel>(const SolidFluidPairs<Kernel>& solid_fluid) {
    launch_solid_drag(solid_fluid, of, progress, {}, acceleration,
                      last ? drag_impulse_.view() : View<Vec3>{});
  });
}

template <class Kernel>
void DfsphPressure::launch_solid_drag(const SolidFluidPairs<Kernel>& solid_fluid, const SolidDragOf& of,
                                      SolveProgress progress, View<const float> rate, View<Quad> acceleration,
                                      View<Vec3> impulse) {
  launch(of.mobility.count, SolidDrag<Kernel>{.solid_fluid = solid_fluid,
                                              .velocity = acceleration_.const_view(),
                                              .mobility = of.mobility,
                                              .rate = rate,
                                              .dt = of.dt,
                                              .progress = progress,
                                              .acceleration = acceleration,
                                              .impulse = impulse});
}

void DfsphPressure::find_drag_blocks(const SolidDragOf& of, View<SymmetricMatrix3> block) {
  visit_solid_fluid(of.viscosity, [&]<class Kernel>(const SolidFluidPairs<Kernel>& solid_fluid) {
    launch(of.mobility.count,
           SolidDragBlocks<Kernel>{
               .solid_fluid = solid_fluid, .mobility = of.mobility, .dt = of.dt, .block = block});
  });
}

/// Of the pressures whose accelerations the last solve ended with.
void DfsphPressure::sum_pressure_load(int of, View<const float> mobility, View<const float> part, double dt) {
  if (measures_held_ && free_.count == part.count) find_held_impulses(of, part, dt);
  if (of == density_load) add_heads_at_walls(mobility, part, dt);
  if (images_) return sum_image_load(of, mobility, image_pressure(part, last_pressure_.const_view(), dt));
  loads_[of].sum(mobility.count, time_, [&](const MeasuredWall& wall) {
    return DfsphPressureLoad{at_walls(wall, shares()), mobility, part, last_pressure_.const_view(),
                             static_cast<float>(2 * dt) * volume_};
  });
  sum_total(of, mobility.count,
            WallPressureTotal{wall_.const_view(), mobility, part, last_pressure_.const_view(),
                              2 * dt * double(volume_)});
}

ImagePressure DfsphPressure::image_pressure(View<const float> part, View<const float> pressure,
                                            double dt) const {
  return {images_->view(), part, pressure, static_cast<float>(dt) * volume_ * volume_};
}

template <class Total>
void DfsphPressure::sum_headed_total(int count, const Total& found, const Total& at_rest, double dt) {
  headed_total_.run(count, sum_of(FindHeadedTotal<Total>{head(), found, at_rest, dt * double(volume_)}));
  headed_total_known_ = true;
  if (!loads_[density_load].empty())
    launch(count, AddHeadsAtWalls{head(), headed_total_.result(), last_pressure_.view()});
}

void DfsphPressure::add_heads_at_walls(View<const float> mobility, View<const float> part, double dt) {
  if (head().of.empty() || walls_.count == 0 || (images_ && images_->count() == 0)) return;
  const View<const float> found = last_pressure_.const_view();
  if (!images_) {
    const auto total = [&](View<const float> pressure) {
      return WallPressureTotal{wall_.const_view(), mobility, part, pressure, 2 * dt * double(volume_)};
    };
    return sum_headed_total(mobility.count, total(found), total(head().of), dt);
  }
  std::visit(
      [&]<class Kernel>(const Kernel& kernel) {
        const auto total = [&](View<const float> pressure) {
          return ImageTotal<Kernel, ImagePressure>{{.pairs = pairs(kernel),
                                                    .image = images_->view(),
                                                    .first_image = rows_.first_further(),
                                                    .mobility = mobility,
                                                    .impulse = image_pressure(part, pressure, dt)}};
        };
        sum_headed_total(mobility.count, total(found), total(head().of), dt);
      },
      kernel_);
}

template <class Impulse>
void DfsphPressure::sum_image_load(int of, View<const float> mobility, const Impulse& impulse) {
  const int count = images_->count() > 0 ? mobility.count : 0;
  std::visit(
      [&]<class Kernel>(const Kernel& kernel) {
        const ImageImpulses<Kernel, Impulse> impulses{.pairs = pairs(kernel),
                                                      .image = images_->view(),
                                                      .first_image = rows_.first_further(),
                                                      .mobility = mobility,
                                                      .impulse = impulse};
        loads_[of].sum(count, time_, [&](const MeasuredWall& wall) {
          return ImageLoad<Kernel, Impulse>{impulses, walls_, wall};
        });
        sum_total(of, count, ImageTotal<Kernel, Impulse>{impulses});
      },
      kernel_);
}

void DfsphPressure::hold_off_walls(View<const float> mobility, View<const int> store_index,
                                   View<const int> group_of, double dt, int first_velocity,
                                   View<Vec3> velocity) {
  if (!images_ || walls_.count == 0) return;
  const int count = mobility.count;
  const HoldOffWalls hold{.walls = walls_,
                          .images = images_->seen(),
                          .position = position_.const_view(),
                          .mobility = mobility,
                          .store_index = store_index,
                          .group_of = group_of,
                          .least = least_image_distance * h_,
                          .dt = static_cast<float>(dt),
                          .volume = volume_,
                          .first_velocity = first_velocity,
                          .velocity = velocity};
  loads_[hold_load].sum(count, time_, [&](const MeasuredWall& wall) { return HoldOffLoad{hold, wall}; });
  sum_total(hold_load, count, HoldOffTotal{hold});
  launch(count, hold);
}

template <class Kernel>
VelocityField DfsphPressure::find_gradients(const Kernel& kernel, int particles) {
  const int count = acceleration_.size();
  gradient_.resize(3 * count);
  launch(particles, VelocityGradient<Kernel>{pairs(kernel), acceleration_.const_view(), gradient_.view()});
  if (images_)
    launch(images_->count(), GradientsOfImages{images_->view(), walls_, particles, count, gradient_.view()});
  return {acceleration_.const_view(), gradient_.const_view()};
}

/// Pairs with images continue the fluid's velocity; walls have no part besides.
void DfsphPressure::add_viscosity_of_images(View<const float> mobility, double dt, View<Vec3> change) {
  const float dynamic_viscosity = static_cast<float>(parameters_.viscosity * density0_);
  images_->move(ImageMotion::viscous, walls_, position_.const_view(), acceleration_.view());
  VelocityField flow;
  std::visit(
      [&]<class Kernel>(const Kernel& kernel) {
        flow = find_gradients(kernel, change.count);
        launch(change.count, ExplicitViscosity<Kernel, PlaneWallView>{.pairs = pairs(kernel),
                                                                      .flow = flow,
                                                                      .wall = wall_.const_view(),
                                                                      .walls = {},
                                                                      .fill = fill_.view(),
                                                                      .mobility = mobility,
                                                                      .dynamic_viscosity = dynamic_viscosity,
                                                                      .least_wall_distance = 0.25f * h_,
                                                                      .dt = static_cast<float>(dt),
                                                                      .change = change});
      },
      kernel_);
  sum_image_load(drag_load, mobility, ImageDrag{flow, 2 * float(dt) * dynamic_viscosity * volume_ * volume_});
}

void DfsphPressure::add_viscosity(View<const float> mobility, double dt, View<Vec3> change) {
  if (images_) return add_viscosity_of_images(mobility, dt, change);
  std::visit(
      [&]<class Kernel, class Shapes>(const Kernel& kernel, const Shapes& walls) {
        const ExplicitViscosity<Kernel, Shapes> viscosity{
            .pairs = pairs(kernel),
            .flow = find_gradients(kernel, change.count),
            .wall = wall_.const_view(),
            .walls = walls,
            .fill = fill_.view(),
            .mobility = mobility,
            .dynamic_viscosity = static_cast<float>(parameters_.viscosity * density0_),
            .least_wall_distance = 0.25f * h_,
            .dt = static_cast<float>(dt),
            .change = change};
        launch(change.count, viscosity);
        loads_[drag_load].sum(change.count, time_, [&](const MeasuredWall& wall) {
          return DfsphDragLoad<Kernel, Shapes>{at_walls(wall, fill_.view()), viscosity};
        });
        sum_total(drag_load, change.count, WallDragTotal<Kernel, Shapes>{viscosity});
      },
      kernel_, as_found(walls_));
}

MERGANSER_END
