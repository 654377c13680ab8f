#include "solvers/methods/flip/other_particles.h"

MERGANSER_BEGIN

void OtherParticles::find(const ParticleStore& store, const FlipGrid& grid, const GridShape& lattice,
                          const std::vector<Range>& without, double particle_mass) {
  foreign_.find(store, grid, lattice, without);
  count_ = foreign_.index().count;
  particle_mass_ = static_cast<float>(particle_mass);
  if (count_ == 0) return;
  have_room(ease_, count_);
  launch(count_, EaseOfOthers{.inverse_mass = store.inverse_mass.const_view(),
                              .index = foreign_.index(),
                              .order = view().order,
                              .particle_mass = particle_mass_,
                              .to = ease_.view()});
}

FaceViews<const float> OtherParticles::join(const FlipPressure& pressure, FaceViews<const float> u,
                                            FaceViews<const float> face_mass, View<const Vec3> end_velocity) {
  for (FaceArrays<float>* faces : {&of_faces_, &drag_, &drag_of_others_})
    faces->resize(pressure.grid().box.count());
  launch_cells(pressure.grid().cells, JoinFaces{.grid = pressure.grid(),
                                                .kind = pressure.kind(),
                                                .others = view(),
                                                .ease = ease(),
                                                .at = pressure.others(),
                                                .index = foreign_.index(),
                                                .velocity = end_velocity,
                                                .u = u,
                                                .face_mass = face_mass,
                                                .density = pressure.face_density(),
                                                .joint = of_faces_.view(),
                                                .drag = drag_.view(),
                                                .drag_of_others = drag_of_others_.view()});
  return of_faces_.const_view();
}

OtherChanges OtherParticles::changes(const FlipPressure& pressure) const {
  return {view(), ease(), pressure.others(), of_faces_.const_view(), drag_of_others_.const_view()};
}

void OtherParticles::take(FlipPressure& pressure) {
  const FlipGrid& grid = pressure.grid();
  launch_cells(grid.cells, PartChanges{.grid = grid,
                                       .ease = pressure.others().ease,
                                       .density = pressure.face_density(),
                                       .drag = drag_.const_view(),
                                       .kind = pressure.kind(),
                                       .known = pressure.writable_known(),
                                       .change = pressure.writable_change(),
                                       .push = of_faces_.view(),
                                       .drag_of_others = drag_of_others_.view()});
  launch_cells(grid.cells, ExtendBehindWalls{.grid = grid,
                                             .behind = pressure.behind_walls(),
                                             .push = of_faces_.view(),
                                             .drag_of_others = drag_of_others_.view()});
  have_room(taken_, count_);
  launch(count_, TakeChanges{grid, changes(pressure), particle_mass_, taken_.view()});
}

void OtherParticles::give(const StepContext& step, const MetaParticleView& groups, View<Vec3> end_velocity) {
  const ParticleStore& store = step.particles;
  if (!rigid_.empty()) {
    std::vector<Range> ranges;
    for (const RigidSystem& of : rigid_) ranges.push_back(store.range(of.system));
    ranges_.assign(ranges);
    active_.assign(std::vector<int>{1});
    acceleration_.resize(store.count());
    place_.resize(store.count());
    launch(store.count(), PlaceInStore{store.system.const_view(), place_.view(), acceleration_.view()});
  }
  launch(count_, GiveChanges{.taken = taken_.const_view(),
                             .index = foreign_.index(),
                             .rigid = ranges_.const_view(),
                             .mass = store.mass.const_view(),
                             .held = {store.inverse_mass.const_view(), groups},
                             .dt = static_cast<float>(step.dt),
                             .end_velocity = end_velocity,
                             .acceleration = acceleration_.view()});
  for (const RigidSystem& of : rigid_) {
    const Range own = store.range(of.system);
    of.bodies->prepare_pressure(step, groups);
    of.bodies->move_as_bodies(active_.const_view(), store.mass.const_view().subview(own.first, own.count),
                              place_.const_view().subview(own.first, own.count), acceleration_.view());
    of.bodies->press(step, groups, end_velocity);
  }
}

void OtherParticles::add_held_impulses(const HeldParticles& held, View<Vec3> impulse) const {
  launch(count_, AddHeldChanges{taken_.const_view(), foreign_.index(), held, impulse});
}

MERGANSER_END
