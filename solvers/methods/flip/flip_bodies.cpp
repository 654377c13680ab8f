#include "solvers/methods/flip/flip_bodies.h"

MERGANSER_BEGIN

void FlipBodies::find(const ParticleStore& store, const FlipGrid& grid, const GridShape& lattice,
                      FaceViews<const float> open, float spacing, double cell_mass) {
  count_ = 0;
  if (members_.empty()) return;
  grid_ = grid;
  lattice_ = lattice;
  spacing_ = spacing;
  cell_mass_ = static_cast<float>(cell_mass);
  std::vector<Range> ranges;
  for (const Member& member : members_) ranges.push_back(store.range(member.system));
  ranges_.assign(ranges);
  for (Array<int>* a : {&flag_, &index_, &place_}) a->resize(store.count());
  total_.resize(1);
  launch(store.count(),
         FlagCoupled{ranges_.const_view(), store.system.const_view(), flag_.view(), place_.view()});
  compact_indices(flag_.const_view(), index_.view(), total_.view(), offset_, scratch_);
  count_ = read_back(total_.const_view(), 0);
  if (count_ == 0) return;
  position_.resize(count_);
  velocity_.resize(count_);
  acceleration_.resize(count_);
  launch(count_, GatherForeign{store.position.const_view(), index_.const_view(), position_.view()});
  launch(count_, PlaceOfBodies{index_.const_view().subview(0, count_), place_.view()});
  sorted_.build(position_.const_view(), grid.dx);
  for (FaceArrays<float>* faces : {&share_, &norm_, &carried_, &response_, &passage_, &difference_})
    faces->resize(grid.box.count());
  launch_cells(grid.cells, FindCovered{cubes(), sorted_.view(), share_.view(), norm_.view()});
  launch_cells(grid.cells, UncoveredShare{grid, open, share_.const_view(), passage_.view()});
}

void FlipBodies::carry(View<const Vec3> end_velocity) {
  launch(count_, GatherForeign{end_velocity, index_.const_view(), velocity_.view()});
  launch_cells(grid_.cells, CarriedThrough<Vec3>{cubes(), sorted_.view(), velocity_.const_view(),
                                                 norm_.const_view(), carried_.view()});
}

void FlipBodies::begin_solve(const StepContext& step, const MetaParticleView& groups,
                             View<const signed char> kind, FaceViews<const float> open) {
  step_ = &step;
  kind_ = kind;
  open_ = open;
  active_.assign(std::vector<int>{1});
  for (const Member& member : members_) member.bodies->prepare_pressure(step, groups);
}

CoveredPressure FlipBodies::by(View<const float> p) const {
  return {.cubes = cubes(),
          .lattice = lattice_,
          .position = position_.const_view(),
          .store_index = index_.const_view(),
          .pressure = p,
          .open = open_,
          .norm = norm_.const_view()};
}

void FlipBodies::accelerate(View<const float> p) {
  const ParticleStore& store = step_->particles;
  launch(count_, PushCovered{.pressure = by(p),
                             .mass = store.mass.const_view(),
                             .cell_mass = cell_mass_ / static_cast<float>(step_->dt),
                             .acceleration = acceleration_.view()});
  move_bodies();
}

void FlipBodies::move_bodies() {
  const ParticleStore& store = step_->particles;
  for (const Member& member : members_) {
    const Range range = store.range(member.system);
    member.bodies->move_as_bodies(
        active_.const_view(), store.mass.const_view().subview(range.first, range.count),
        place_.const_view().subview(range.first, range.count), acceleration_.view());
  }
}

void FlipBodies::add(View<const float> p, View<float> q) {
  accelerate(p);
  launch_cells(grid_.cells, CarriedThrough<Quad>{cubes(), sorted_.view(), acceleration_.const_view(),
                                                 norm_.const_view(), response_.view()});
  launch_cells(grid_.cells,
               AddCarriedFlow{grid_, static_cast<float>(step_->dt), kind_, open_, response_.const_view(), q});
}

CoveredDifference FlipBodies::differences() const {
  return {.cubes = cubes(),
          .lattice = lattice_,
          .position = position_.const_view(),
          .store_index = index_.const_view(),
          .difference = difference_.const_view()};
}

void FlipBodies::press(const StepContext& step, const MetaParticleView& groups, View<const double> pressure,
                       View<Vec3> end_velocity, FaceViews<const float> u, FaceViews<const float> face_mass,
                       double particle_mass, FaceViews<const float> mobility, FaceViews<float> change,
                       FaceViews<signed char> known) {
  pressure_.resize(pressure.count);
  launch(pressure.count, FloatOfDouble{pressure, pressure_.view()});
  accelerate(pressure_.const_view());
  for (const Member& member : members_) member.bodies->press(step, groups, end_velocity);
  carry(end_velocity);
  const ParticleStore& store = step.particles;
  const Vec3 fall = static_cast<float>(step.dt) * step.gravity;
  launch_cells(grid_.cells, CoveredMass{.cubes = cubes(),
                                        .bodies = sorted_.view(),
                                        .store_index = index_.const_view(),
                                        .mass = store.mass.const_view(),
                                        .inverse_mass = store.inverse_mass.const_view(),
                                        .share = share_.const_view(),
                                        .norm = norm_.const_view(),
                                        .to = difference_.view()});
  launch_cells(grid_.cells, FollowBodies{.grid = grid_,
                                         .share = share_.const_view(),
                                         .carried = carried_.const_view(),
                                         .u = u,
                                         .face_mass = face_mass,
                                         .particle_mass = static_cast<float>(particle_mass),
                                         .fall = fall,
                                         .change = change,
                                         .known = known,
                                         .given = difference_.view()});
  launch_cells(grid_.cells, BodyDifferences{.grid = grid_,
                                            .kind = kind_,
                                            .share = share_.const_view(),
                                            .norm = norm_.const_view(),
                                            .passage = passage(),
                                            .mobility = mobility,
                                            .pressure = pressure_.const_view(),
                                            .face_mass = face_mass,
                                            .cell_mass = cell_mass_,
                                            .particle_mass = static_cast<float>(particle_mass),
                                            .fall = fall,
                                            .difference = difference_.view()});
  launch(count_, PushDifferences{differences(), store.mass.const_view(), static_cast<float>(particle_mass),
                                 static_cast<float>(step.dt), acceleration_.view()});
  move_bodies();
  for (const Member& member : members_) member.bodies->press(step, groups, end_velocity);
}

void FlipBodies::add_held_impulses(const HeldParticles& held, View<Vec3> impulse) const {
  launch(count_, AddHeldPush{by(pressure_.const_view()), differences(), held, cell_mass_, impulse});
}

MERGANSER_END
