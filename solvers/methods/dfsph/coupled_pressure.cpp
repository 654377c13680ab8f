#include "solvers/methods/dfsph/coupled_pressure.h"

#include <algorithm>
#include <limits>

#include "device/sum_of.h"
#include "solvers/base/to_vec3.h"
#include "solvers/core/method.h"
#include "solvers/methods/dfsph/held_pressure.h"
#include "solvers/methods/dfsph/rest_curvature.h"

MERGANSER_BEGIN

namespace {

/// Of a spacing: by so much a solid that stands on a wall may be behind it.
constexpr float on_wall = 0.05f;

/// m v^2/2 [J] of particles that move.
struct UnionKineticEnergy {
  static constexpr const char* name = "dfsph union kinetic energy";
  View<const int> store_index;
  View<const float> mass, inverse_mass;
  View<const Vec3> velocity;  ///< of the store, as all before
  MERGANSER_METHOD double operator()(int s) const {
    const int i = store_index[s];
    return inverse_mass[i] > 0 ? 0.5 * mass[i] * norm_squared(to_double(velocity[i])) : 0;
  }
};
UnionKineticEnergy kinetic_energy(const ParticleStore& particles, View<const int> store_index) {
  return {store_index, particles.mass.const_view(), particles.inverse_mass.const_view(),
          particles.velocity.const_view()};
}

/// A range less those of `left_out`, ascending: what is left between them.
std::vector<Range> without(const Range& range, const std::vector<Range>& left_out) {
  std::vector<Range> parts;
  int first = range.first;
  for (const Range& out : left_out) {
    if (!range.contains(out.first)) continue;
    parts.push_back({first, out.first - first});
    first = out.end();
  }
  parts.push_back({first, range.end() - first});
  return parts;
}

/// Fluid on the way out of an emitter does not feel solids, so they do not feel it either.
struct NoDragAtNozzles {
  static constexpr const char* name = "dfsph no drag at nozzles";
  View<const float> in_fluid;  ///< [m^3/kg]
  View<float> viscosity;       ///< [Pa s] updated
  MERGANSER_METHOD void operator()(int s) const {
    if (viscosity[s] > 0 && !(in_fluid[s] > 0)) viscosity[s] = 0;
  }
};

/// Of a system's particles, from the union; 0 of those that are not there.
struct WriteField {
  static constexpr const char* name = "dfsph write field";
  int first;  ///< of the store
  View<const int> place;
  View<const float> of_union;
  View<float> field;  ///< written
  MERGANSER_METHOD void operator()(int k) const {
    const int i = first + k, s = i < place.count ? place[i] : -1;
    field[k] = s >= 0 && s < of_union.count ? of_union[s] : 0.0f;
  }
};

}  // namespace

CoupledPressure::CoupledPressure(const DfsphParameters& parameters, const InitialState& initial, int leader,
                                 const std::vector<int>& systems)
    : pressure_(parameters, initial.systems[size_t(leader)].fluid, initial),
      divergence_solve_(parameters.divergence_solve) {
  grid_.set_periodic(to_vec3(initial.periodic_origin), to_vec3(initial.periodic_length));
  float lightest = std::numeric_limits<float>::max();  // [kg/m^3]
  for (const int s : systems) {
    const SystemState& state = initial.systems[size_t(s)];
    members_.push_back(std::make_unique<Member>());
    Member& made = *members_.back();
    made.system = s;
    if (is_fluid(state)) {
      const auto& fluid = state.parameters.of<DfsphParameters>();
      made.density = static_cast<float>(state.fluid.density0);
      lightest = std::min(lightest, made.density);
      made.viscosity = static_cast<float>(fluid.viscosity * state.fluid.density0);
      made.implicit_viscosity = static_cast<float>(fluid.forces.implicit_viscosity);
      any_explicit_drag_ = any_explicit_drag_ || made.viscosity > 0;
      any_drag_ = any_drag_ || made.viscosity > 0 || made.implicit_viscosity > 0;
      nozzles_.add(state, 2 * pressure_.smoothing_length());
      continue;
    }
    any_solid_ = true;
    const bool rigid = state.method->word == "rigid";
    made.kind = rigid ? PressedKind::rigid : PressedKind::elastic;
    made.is_part = rigid || parameters.solids_compress;
    any_part_ = any_part_ || made.is_part;
    made.share = rest_shares(pressure_, state, made.is_part);
    made.curvature = rest_curvatures(initial, state);
    for (Array<float>* a : {&made.pressure, &made.steady, &made.excess}) a->resize(made.share.size());
  }
  if (any_solid_ && !parameters.solids_compress) pressure_.take_off_head(lightest);
  any_drag_ = any_drag_ && any_solid_;
  any_explicit_drag_ = any_explicit_drag_ && any_solid_;
  always_.assign(std::vector<int>{1});
}

std::vector<int> CoupledPressure::systems() const {
  std::vector<int> indices;
  for (const auto& member : members_) indices.push_back(member->system);
  return indices;
}

void CoupledPressure::use_fluid(int system, DfsphPressure& pressures) {
  for (auto& member : members_)
    if (member->system == system) member->kind = PressedKind::fluid, member->fluid = &pressures;
}

void CoupledPressure::use_viscosity(int system, ImplicitViscosity& viscosity,
                                    std::function<PackedFluid(const StepContext&)> packed) {
  for (auto& member : members_)
    if (member->system == system) member->implicit = &viscosity, member->packed = std::move(packed);
}

void CoupledPressure::use_bodies(int system, PressedBodies& bodies) {
  any_bodies_ = true;
  for (auto& member : members_)
    if (member->system == system) member->bodies = &bodies;
}

void CoupledPressure::lay_side_by_side(const StepContext& step) {
  const ParticleStore& particles = step.particles;
  count_ = 0;
  for (auto& member : members_) {
    member->first = count_;
    member->range = particles.range(member->system);
    member->present = without(member->range, step.waiting);
    for (const Range& part : member->present) count_ += part.count;
  }
  position_.resize(count_);
  for (Array<int>* a : {&flat_index_, &flat_kind_, &flat_part_, &store_index_, &kind_, &part_})
    a->resize(count_);
  for (Array<float>* a : {&flat_, &share_, &mobility_, &in_fluid_}) a->resize(count_);
  velocity_.resize(count_);
  for (auto& member : members_) {
    member->for_each_present([&](int place, int local, int count) {
      const Range part{member->range.first + local, count};
      copy_on_device(position_.data() + place, particles.position.data() + part.first,
                     sizeof(Vec3) * size_t(count));
      launch(count, FillUnion{.first = place,
                              .range = part,
                              .shape_of_body = member->is_part,
                              .kind = member->kind,
                              .body = particles.body.const_view(),
                              .store_index = flat_index_.view(),
                              .kinds = flat_kind_.view(),
                              .part = flat_part_.view()});
    });
  }
}

template <class T>
void CoupledPressure::gather(const Array<T>& side_by_side, Array<T>& sorted) {
  launch(count_, GatherSorted<T>{grid_.order(), side_by_side.const_view(), sorted.view()});
}

void CoupledPressure::sort() {
  grid_.build(position_.const_view(), 2 * pressure_.smoothing_length());
  gather(flat_index_, store_index_);
  gather(flat_kind_, kind_);
  gather(flat_part_, part_);
  flat_.zero();
  for (auto& member : members_)
    if (!member->share.empty())
      member->for_each_present([&](int place, int local, int count) {
        copy_on_device(flat_.data() + place, member->share.data() + local, sizeof(float) * size_t(count));
      });
  gather(flat_, share_);
}

void CoupledPressure::find_places(const ParticleStore& particles) {
  place_.resize(particles.count());
  launch(place_.size(), NoPlace{place_.view()});
  launch(count_, FindPlaces{store_index_.const_view(), place_.view()});
}

void CoupledPressure::find_mobility(const ParticleStore& particles, const MetaParticleView& groups) {
  launch(count_, UnionMobility{.store_index = store_index_.const_view(),
                               .kind = kind_.const_view(),
                               .mass = particles.mass.const_view(),
                               .inverse_mass = particles.inverse_mass.const_view(),
                               .groups = groups,
                               .nozzles = nozzles_.view(particles, pressure_.image()),
                               .volume = pressure_.volume(),
                               .mobility = mobility_.view(),
                               .in_fluid = in_fluid_.view()});
  pressure_.measure_held(in_fluid_.const_view());
}

void CoupledPressure::add_held_impulses(const StepContext& step, const MetaParticleView& groups,
                                        View<Vec3> impulse) {
  if (count_ == 0 || pressure_.held_impulse(1).count != count_) return;
  launch(count_,
         AddHeldPressure{.held = {step.particles.inverse_mass.const_view(), groups},
                         .store_index = store_index_.const_view(),
                         .divergence = divergence_solve_ ? pressure_.held_impulse(0) : View<const Vec3>{},
                         .density = pressure_.held_impulse(1),
                         .drag = pressure_.drag_impulse(),
                         .impulse = impulse});
}

ApartView CoupledPressure::find_apart(const StepContext& step) {
  const bool any_behind = any_solid_ && step.walls.count > 0;
  if (!any_behind && !nozzles_.any()) return {};
  apart_.resize(count_);
  launch(count_, UnionApart{.store_index = store_index_.const_view(),
                            .kind = kind_.const_view(),
                            .position = step.particles.position.const_view(),
                            .walls = step.walls,
                            .nozzles = nozzles_.view(step.particles, pressure_.image()),
                            .depth = on_wall * pressure_.spacing(),
                            .apart = apart_.view()});
  const ApartView apart{apart_.const_view(), any_behind};
  if (any_behind && any_part_)
    std::visit(
        [&]<class Kernel>(const Kernel& kernel) {
          launch(count_,
                 TakeOffBehindWalls<Kernel>{kernel, pressure_.volume(), 2 * pressure_.smoothing_length(),
                                            grid_.view(), part_.const_view(), apart, share_.view()});
        },
        pressure_.kernel());
  return apart;
}

void CoupledPressure::gather_kept(Array<float>& (Member::*kept)(), Array<float>& of_union) {
  for (auto& member : members_)
    member->for_each_present([&](int place, int local, int count) {
      copy_on_device(flat_.data() + place, (*member.*kept)().data() + local, sizeof(float) * size_t(count));
    });
  of_union.resize(count_);
  gather(flat_, of_union);
}

void CoupledPressure::scatter_kept(Array<float>& (Member::*kept)(), const Array<float>& of_union) {
  launch(count_, ScatterSorted<float>{grid_.order(), of_union.const_view(), flat_.view()});
  for (auto& member : members_)
    member->for_each_present([&](int place, int local, int count) {
      copy_on_device((*member.*kept)().data() + local, flat_.data() + place, sizeof(float) * size_t(count));
    });
}

PressureSolveResult CoupledPressure::prepare(const StepContext& step, const CompressionPace& pace) {
  ParticleStore& store = step.particles;
  pressure_.begin_step(step);
  pressure_.set_pace(pace);
  lay_side_by_side(step);
  if (count_ == 0) return {};
  sort();
  find_places(store);
  find_mobility(store, {});
  gather_kept(&Member::kept, pressure_.density_pressure);
  gather_kept(&Member::kept_steady, pressure_.steady_pressure);
  gather_kept(&Member::kept_excess, pressure_.rest_excess);
  const ApartView apart = find_apart(step);
  pressure_.find_factors(grid_.view(), mobility_.const_view(),
                         {any_part_ ? part_.const_view() : View<const int>{}, share_.const_view(), apart});
  launch(count_,
         GatherVelocities{store_index_.const_view(), store.velocity.const_view(), {}, velocity_.view()});
  pressure_.follow_pressures(velocity_.const_view(), in_fluid_.const_view(), step.gravity, step.dt);
  // A warm start would repeat the last impact, and few particles of many may do so within the tolerance.
  pressure_.divergence_pressure.zero();
  if (!divergence_solve_ && !any_drag_) return {};
  kinetic_before_.run(count_, sum_of(kinetic_energy(store, store_index_.const_view())));
  PressureSolveResult solved;
  const PressureConstraint as_bodies = constraint(step, {}, pressure_.divergence_active());
  if (divergence_solve_) {
    solved = pressure_.solve_divergence(velocity_.const_view(), mobility_.const_view(), step.dt, as_bodies);
    give(step, pressure_.acceleration());
  }
  if (any_drag_) solved.tolerance_met = add_viscosities(step) && solved.tolerance_met;
  kinetic_after_.run(count_, sum_of(kinetic_energy(store, store_index_.const_view())));
  return solved;
}

void CoupledPressure::give(const StepContext& step, View<const Quad> acceleration) {
  launch(count_, GiveAccelerations{store_index_.const_view(), kind_.const_view(), acceleration,
                                   static_cast<float>(step.dt), step.particles.velocity.view()});
  for (auto& member : members_)
    if (member->bodies) member->bodies->push(step);
}

void CoupledPressure::gather_viscosities(float Member::*viscosity, const Member* of_one) {
  viscosity_.resize(count_);
  for (auto& member : members_) {
    const float own = (*member).*viscosity;
    member->for_each_present([&](int place, int local, int count) {
      if (!member->curvature.empty())
        copy_on_device(flat_.data() + place, member->curvature.data() + local, sizeof(float) * size_t(count));
      else
        launch(count, FillNumber{place, of_one && of_one != member.get() ? 0 : own, flat_.view()});
    });
  }
  gather(flat_, viscosity_);
}

void CoupledPressure::move_as_bodies(View<const float> mass, View<const int> active,
                                     View<Quad> acceleration) {
  for (auto& member : members_)
    if (const Range range = member->range; member->bodies)
      member->bodies->move_as_bodies(active.empty() ? always_.const_view() : active,
                                     mass.subview(range.first, range.count),
                                     place_.const_view().subview(range.first, range.count), acceleration);
}

bool CoupledPressure::add_viscosities(const StepContext& step) {
  pressure_.begin_solid_drag(count_);
  drag_.resize(count_);
  if (any_explicit_drag_) add_explicit_drag(step);
  bool tolerance_met = true;
  for (auto& member : members_)
    if (member->implicit) tolerance_met = add_implicit_viscosity(step, *member) && tolerance_met;
  return tolerance_met;
}

void CoupledPressure::add_explicit_drag(const StepContext& step) {
  launch(count_, GatherVelocities{
                     store_index_.const_view(), step.particles.velocity.const_view(), {}, velocity_.view()});
  gather_viscosities(&Member::viscosity, nullptr);
  pressure_.find_explicit_drag({viscosity_.const_view(), mobility_.const_view(), static_cast<float>(step.dt)},
                               velocity_.const_view(), drag_.view());
  move_as_bodies(step.particles.mass.const_view(), {}, drag_.view());
  give(step, drag_.const_view());
}

bool CoupledPressure::add_implicit_viscosity(const StepContext& step, Member& fluid) {
  const ParticleStore& store = step.particles;
  gather_viscosities(&Member::implicit_viscosity, &fluid);
  launch(count_, NoDragAtNozzles{in_fluid_.const_view(), viscosity_.view()});
  launch(count_,
         GatherVelocities{store_index_.const_view(), store.velocity.const_view(), {}, velocity_.view()});
  const PackedFluid packed = fluid.packed(step);
  const UnionOfViscosity all{
      .pressure = pressure_,
      .drag = {viscosity_.const_view(), mobility_.const_view(), static_cast<float>(step.dt)},
      .density = fluid.density,
      .kind = kind_.const_view(),
      .fluid_place = place_.const_view().subview(fluid.range.first, fluid.range.count),
      .as_bodies = [&](View<const int> active, View<Quad> acceleration) {
        move_as_bodies(store.mass.const_view(), active, acceleration);
      }};
  coupled_viscosity_.apply(all, *fluid.implicit, packed, velocity_.view(), drag_.view());
  give(step, drag_.const_view());
  return fluid.implicit->last_solve().tolerance_met;
}

/// What is left to do after forces: walls' pressure beyond the fluid's own, and members of groups as one.
void CoupledPressure::predict(const StepContext& step, const MetaParticleView& groups,
                              View<Vec3> end_velocity) {
  const ParticleStore& store = step.particles;
  if (groups.group_count > 0) find_mobility(store, groups);
  launch(count_, GatherVelocities{store_index_.const_view(), end_velocity, groups, velocity_.view()});
  pressure_.add_pressure_behind_walls(in_fluid_.const_view(), step.gravity, step.dt, velocity_.view());
  launch(count_, ScatterVelocities{store_index_.const_view(), in_fluid_.const_view(), velocity_.const_view(),
                                   end_velocity});
  launch_group_sums(groups.group_count,
                    UnionGroupPrediction{{groups, {place_.const_view(), kind_.const_view()}},
                                         store.mass.const_view(),
                                         end_velocity,
                                         velocity_.view()});
}

PressureConstraint CoupledPressure::constraint(const StepContext& step, const MetaParticleView& groups,
                                               View<const int> active) {
  if (!any_bodies_ && groups.group_count == 0) return {};
  for (auto& member : members_)
    if (member->bodies) member->bodies->prepare_pressure(step, groups);
  const UnionPlaces places{place_.const_view(), kind_.const_view()};
  const View<const float> mass = step.particles.mass.const_view();
  int rows = 0;
  if (groups.group_count > 0) {
    have_room(groups_, group_rows(groups.group_count));
    rows = groups_.size();
    launch(rows, FindUnionGroups{{groups, places}, groups_.view()});
  }
  PressureConstraint moved;
  moved.apply = [this, rows, places, active, mass, row = groups_.const_view(),
                 member = groups.member.data](View<Quad> acceleration) {
    move_as_bodies(mass, active, acceleration);
    launch_group_sums(rows, UnionGroupAcceleration{row, member, places, active, mass, acceleration});
  };
  add_to_key(moved.key, rows);
  add_to_key(moved.key, groups_.const_view());
  moved.key.push_back(groups.member.data);
  add_to_key(moved.key, places.place);
  add_to_key(moved.key, places.kind);
  add_to_key(moved.key, mass);
  for (auto& one : members_)
    if (const Range range = one->range; one->bodies) {
      for (const int number : {range.first, range.count}) add_to_key(moved.key, number);
      one->bodies->add_pressure_key(moved.key);
    }
  return moved;
}

PressureSolveResult CoupledPressure::integrate(const StepContext& step, const MetaParticleView& groups,
                                               View<Vec3> end_velocity) {
  if (count_ == 0) return {};
  predict(step, groups, end_velocity);
  const PressureSolveResult solved =
      pressure_.solve_density(velocity_.const_view(), mobility_.const_view(), step.dt,
                              constraint(step, groups, pressure_.density_active()));
  launch(count_, GiveAccelerations{store_index_.const_view(), kind_.const_view(), pressure_.acceleration(),
                                   static_cast<float>(step.dt), end_velocity});
  launch_group_sums(groups.group_count, CarryMembers{{groups, {place_.const_view(), kind_.const_view()}},
                                                     pressure_.acceleration(),
                                                     static_cast<float>(step.dt),
                                                     end_velocity});
  const View<const int> group_of = groups.group_count > 0 ? groups.group_of : View<const int>{};
  pressure_.hold_off_walls(in_fluid_.const_view(), store_index_.const_view(), group_of, step.dt, 0,
                           end_velocity);
  for (auto& member : members_)
    if (member->bodies) member->bodies->press(step, groups, end_velocity);
  scatter_kept(&Member::kept, pressure_.density_pressure);
  scatter_kept(&Member::kept_steady, pressure_.steady_pressure);
  scatter_kept(&Member::kept_excess, pressure_.rest_excess);
  return solved;
}

void CoupledPressure::write_field(int system, View<const float> of_union, View<float> field) {
  for (auto& member : members_)
    if (member->system == system)
      launch(field.count, WriteField{member->range.first, place_.const_view(), of_union, field});
}

void CoupledPressure::write_compression(int system, View<float> compression) {
  write_field(system, pressure_.compression(), compression);
}

void CoupledPressure::write_pressure(int system, View<float> pressure) {
  field_.resize(pressure_.density_pressure.size());
  pressure_.find_mechanical_pressure(field_.view());
  write_field(system, field_.const_view(), pressure);
}

void CoupledPressure::save(StateArchive& archive, const std::string& prefix) const {
  archive.put(prefix + "/coupled_stiffness", pressure_.kept_of_solves());
  for (const auto& member : members_) {
    if (member->fluid) continue;
    const std::string path = prefix + "/coupled/" + std::to_string(member->system);
    archive.put(path + "/pressure", member->pressure.to_host());
    archive.put(path + "/steady_pressure", member->steady.to_host());
    archive.put(path + "/rest_excess", member->excess.to_host());
  }
}

void CoupledPressure::load(const StateArchive& archive, const std::string& prefix) {
  const auto solves = archive.get<float>(prefix + "/coupled_stiffness");
  if (solves.size() != 4)
    throw FileError("checkpoint: '" + prefix + "/coupled_stiffness' must hold four numbers");
  pressure_.set_kept_of_solves(solves);
  for (auto& member : members_) {
    if (member->fluid) continue;
    const std::string path = prefix + "/coupled/" + std::to_string(member->system);
    for (const auto& [name, array] :
         {std::pair{"/pressure", &member->pressure}, std::pair{"/steady_pressure", &member->steady},
          std::pair{"/rest_excess", &member->excess}}) {
      const auto values = archive.get<float>(path + name);
      if (values.size() != size_t(array->size()))
        throw FileError("checkpoint: '" + path + name + "' is not one number a particle");
      array->assign(values);
    }
  }
}

MERGANSER_END
