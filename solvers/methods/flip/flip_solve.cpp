#include "solvers/methods/flip/flip_solve.h"

#include <algorithm>
#include <cmath>

#include "solvers/methods/flip/particle_to_grid.h"
#include "solvers/methods/flip/wall_face_load.h"

MERGANSER_BEGIN

void FlipSolve::begin_step() {
  statistics_ = {};
  volume_corrected_ = false;
  solved_dt_ = 0;
}

FlipFluids FlipSolve::particles() const {
  FlipFluids all;
  for (const SolvedFluid& fluid : fluids_) all.of[all.count++] = fluid.sorted->view();
  return all;
}

GatheredFluids FlipSolve::gathered() const {
  GatheredFluids all;
  for (const SolvedFluid& fluid : fluids_)
    all.of[all.count++] = {.particles = fluid.sorted->view(),
                           .velocity = fluid.velocities->free_velocity(),
                           .affine = std::as_const(*fluid.velocities).affine(),
                           .density = static_cast<float>(fluid.density0 / density0_)};
  return all;
}

/// Others may have permuted their particles since prepare().
void FlipSolve::mark(const StepContext& step, std::vector<SolvedFluid> fluids,
                     const std::vector<int>& without, double crossing_rate) {
  fluids_ = std::move(fluids);
  const ParticleStore& store = step.particles;
  std::vector<View<const Vec3>> positions;
  std::vector<Range> ranges;
  std::vector<float> densities;
  Bounds bounds = fluids_.front().sorted->bounds();
  for (const SolvedFluid& fluid : fluids_) {
    positions.push_back(store.position.const_view().subview(fluid.own.first, fluid.own.count));
    ranges.push_back(fluid.own);
    densities.push_back(static_cast<float>(fluid.density0 / density0_));
    bounds = joined(bounds, fluid.sorted->bounds());
  }
  for (const int system : without) ranges.push_back(store.range(system));
  for (const int system : sheets_.systems()) ranges.push_back(store.range(system));
  if (std::all_of(densities.begin(), densities.end(), [](float d) { return d == 1; })) densities.clear();

  const GridShape lattice = fluids_.front().sorted->view().shape;
  const auto [low, cells] = placement_.around(positions, bounds, dx_);
  pressure_.place(low, cells, dx_, step.walls, step.walls_move);
  others_.find(store, pressure_.grid(), lattice, ranges, particle_mass());
  bodies_.find(store, pressure_.grid(), lattice, pressure_.open(), spacing_, cell_mass());
  sheets_.find(store, pressure_.grid(), passage_of_bodies(), cell_mass());
  GatheredFluids moving = gathered();
  for (int k = 0; k < moving.count; ++k) {
    const Range own = fluids_[size_t(k)].own;
    moving.of[k].velocity = store.velocity.const_view().subview(own.first, own.count);
  }
  pressure_.mark(particles(), others_.view(), bodies_.view(), step.walls, spacing_, passage(), densities,
                 others_.ease(), moving, norm(step.gravity));
  crossings_ = crossing_rate * step.dt;
  const double speed = crossing_rate * double(dx_) - std::sqrt(double(norm(step.gravity)) * double(dx_));
  rounding_ = 1e-8 / parameters_.tolerance * std::max(speed, 0.0) * std::sqrt(pressure_.grid().inner_cells());
  if (!corrects_volume()) return;
  volume_corrected_ = true;
  // Density errors grow while particles cross cells, so that is the time in which they are taken back.
  const double share = std::min(1.0, parameters_.volume_correction * crossings_);
  volume_.find(pressure_, step.walls, share);
  for (size_t k = 0; k < fluids_.size(); ++k) {
    fluids_[k].displacement->resize(fluids_[k].own.count);
    displace(pressure_, particles(), spacing_, share, lattice, step.walls, positions[k],
             fluids_[k].displacement->view());
  }
}

void FlipSolve::set_faces(const StepContext& step, const MetaParticleView& groups) {
  const FlipGrid& grid = pressure_.grid();
  u_.resize(grid.box.count());
  reached_.resize(grid.box.count());
  face_mass_.resize(sheets_.any() || bodies_.any() || others_.any() ? grid.box.count() : 0);
  if (!MERGANSER_GPU_HALF)
    for (Array<float>* row : {&row_weight_, &row_momentum_}) row->resize(grid.box.count());
  for (const SolvedFluid& fluid : fluids_) fluid.velocities->fall(step, groups, fluid.own);
  const GatheredFluids fluids = gathered();
  for (int axis = 0; axis < 3; ++axis) {
    const ParticlesToFaces gather{.grid = grid,
                                  .fluids = fluids,
                                  .axis = axis,
                                  .u = u_.axis[axis].view(),
                                  .reached = reached_.axis[axis].view(),
                                  .face_mass = face_mass_.of_faces().axis[axis],
                                  .weight = row_weight_.view(),
                                  .momentum = row_momentum_.view()};
    launch_gather(gather);
    extrapolate_two_layers(grid, u_.axis[axis], reached_.axis[axis], pressure_.between_layers());
  }
}

void FlipSolve::find_convergence(const StepContext& step, FaceViews<const float> u,
                                 FaceViews<float> carried) {
  const FlipGrid& grid = pressure_.grid();
  std::visit(
      [&]<class Shapes>(const Shapes& walls) {
        launch_cells(grid.cells,
                     Convergence<Shapes>{.grid = grid,
                                         .walls = walls,
                                         .kind = pressure_.kind(),
                                         .fluids = gathered(),
                                         .open = pressure_.open(),
                                         .passage = passage(),
                                         .u = u,
                                         .offset = pressure_.offset(),
                                         .carried = {{carried.axis[0], carried.axis[1], carried.axis[2]}},
                                         .right_side = pressure_.right_side()});
      },
      by_shape(step.walls));
}

LinearSolveResult FlipSolve::solve_pressure(bool start_over, int expected,
                                            const std::function<void()>& look) {
  const bool coupled = bodies_.any() || sheets_.any();
  return pressure_.solve(pressure_.right_side(), parameters_.tolerance, parameters_.max_iterations,
                         start_over, expected, coupled ? this : nullptr, look, rounding_);
}

void FlipSolve::project(const StepContext& step, const MetaParticleView& groups, int stage,
                        View<Vec3> end_velocity) {
  set_faces(step, groups);
  const FlipGrid& grid = pressure_.grid();
  FaceViews<const float> u = faces();
  if (others_.any()) u = others_.join(pressure_, u, std::as_const(face_mass_).of_faces(), end_velocity);
  FaceViews<float> carried = {};
  if (bodies_.any()) {
    bodies_.begin_solve(step, groups, pressure_.kind(), pressure_.open());
    bodies_.carry(end_velocity);
    carried = bodies_.carried();
  }
  if (sheets_.any() || bodies_.any())
    face_mass_.gather(grid, pressure_.kind(), pressure_.open(),
                      bodies_.any() ? bodies_.covered() : FaceViews<const float>{});
  if (sheets_.any()) {
    if (!bodies_.any()) {
      carried_.resize(grid.box.count());
      carried = carried_.view();
    }
    sheets_.join(step, groups, end_velocity, pressure_.kind(), pressure_.open(), faces(),
                 face_mass_.gathered(), particle_mass(), 0.1 * parameters_.tolerance, carried);
  }
  find_convergence(step, u, carried);
  // Beside solids that merge, a step added 14 % of the energy where cells parted (fig09_flip_brittle).
  const bool parts = !others_.any();
  const double least = -least_tension(step.dt);
  std::function<void()> look;
  if (parts) look = [&] { pressure_.count_parted(least, passage()); };
  LinearSolveResult solved = solve_pressure(stage == 0, expected_[stage], look);
  if (parts && pressure_.part_from_walls(least, passage())) {
    find_convergence(step, u, carried);
    const int before = solved.iterations;
    solved = solve_pressure(false, expected_parted_);
    expected_parted_ = solved.iterations;
    solved.iterations += before;
  }
  if (others_.any()) others_.take(pressure_);
  if (sheets_.any())
    sheets_.press(pressure_.pressure(), end_velocity, faces(), face_mass_.gathered(), particle_mass(),
                  pressure_.writable_change());
  if (bodies_.any())
    bodies_.press(step, groups, pressure_.pressure(), end_velocity, faces(), face_mass_.gathered(),
                  particle_mass(), pressure_.mobility(), pressure_.writable_change(),
                  pressure_.writable_known());
  pressure_.extrapolate(step.walls, gathered());
  solved_dt_ = step.dt;
  expected_[stage] = solved.iterations;
  statistics_.iterations[stage] = solved.iterations;
  statistics_.residual = solved.residual;
  statistics_.tolerance_met = statistics_.tolerance_met && solved.tolerance_met;
  sum_wall_loads(step);
}

void FlipSolve::add_held_impulses(const HeldParticles& held, View<Vec3> impulse) const {
  if (!(solved_dt_ > 0)) return;
  if (others_.any()) others_.add_held_impulses(held, impulse);
  if (bodies_.any()) bodies_.add_held_impulses(held, impulse);
  if (sheets_.any())
    sheets_.add_held_impulses(held, faces(), face_mass_.gathered(), particle_mass(), impulse);
}

void FlipSolve::add(View<const float> p, View<float> q) {
  if (bodies_.any()) bodies_.add(p, q);
  if (sheets_.any()) sheets_.add(p, q);
}

void FlipSolve::sum_wall_loads(const StepContext& step) {
  const FlipGrid& grid = pressure_.grid();
  std::visit(
      [&]<class Shapes>(const Shapes& walls) {
        loads_.sum(grid.inner_cells(), step.time, [&](const MeasuredWall& wall) {
          return WallFaceLoad<Shapes>{.grid = grid,
                                      .walls = walls,
                                      .kind = pressure_.kind(),
                                      .open = pressure_.open(),
                                      .pressure = pressure_.pressure(),
                                      .cell_mass = cell_mass(),
                                      .measured = wall};
        });
        near_walls_.sum(grid.inner_cells(), step.time, [&](const MeasuredWall& wall) {
          FaceDifferenceLoad<Shapes> load{.grid = grid,
                                          .walls = walls,
                                          .kind = pressure_.kind(),
                                          .corner_distance = pressure_.corner_distance(),
                                          .open = pressure_.open(),
                                          .change = pressure_.change(),
                                          .pressure = pressure_.pressure(),
                                          .own = particles(),
                                          .others = {},
                                          .particle_mass = {},
                                          .cell_mass = cell_mass(),
                                          .measured = wall};
          for (size_t k = 0; k < fluids_.size(); ++k)
            load.particle_mass[k] = fluids_[k].density0 * std::pow(double(spacing_), 3);
          if (others_.any()) load.others = others_.changes(pressure_);
          return load;
        });
      },
      by_shape(step.walls));
}

MERGANSER_END
