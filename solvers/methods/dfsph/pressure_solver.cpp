#include "solvers/methods/dfsph/pressure_solver.h"

#include <algorithm>
#include <cmath>

#include "device/sum_of.h"
#include "solvers/base/to_vec3.h"
#include "solvers/methods/dfsph/closed_vessel.h"
#include "solvers/methods/dfsph/mechanical_pressure.h"
#include "solvers/methods/dfsph/sources.h"
#include "solvers/methods/dfsph/wall_offset.h"

MERGANSER_BEGIN

namespace {

/// Packs positions with a number each.
struct PackPositions {
  static constexpr const char* name = "dfsph pack positions";
  View<const Vec3> position;  ///< [m]
  View<const float> number;
  View<Quad> packed;
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 x = position[i];
    packed[i] = {x.x, x.y, x.z, number[i]};
  }
};

struct AddPressures {
  static constexpr const char* name = "dfsph add pressures";
  View<const float> a, b;  ///< [Pa]
  View<Quad> packed;       ///< w written
  MERGANSER_METHOD void operator()(int i) const { packed[i].w = a[i] + b[i]; }
};

/// Neighbors of a particle in the source's setting (h = 1 spacing), below which it has few.
constexpr double few_neighbors = 20;
/// A solve expects no fewer iterations than the last one less this: a look too early waits for the device,
/// iterations too many are skipped there.
constexpr double fewer_expected = 0.25;

/// The kernel of a solve, see lattice_density().
template <template <class> class Kernel>
Kernel<float> of_lattice(float spacing, float h) {
  Kernel<float> kernel(h);
  const float density = static_cast<float>(lattice_density(Kernel<double>(1), spacing, h));
  kernel.value_scale /= density;
  kernel.gradient_scale /= density;
  return kernel;
}

WallDensity wall_density(const DfsphParameters& parameters, float spacing, float h) {
  if (parameters.wall_pressure != DfsphWallPressure::conservative) return {};
  if (parameters.kernel == DfsphKernel::cubic_spline)
    return conservative_wall_density(CubicSpline<double>(1), spacing, h);
  return conservative_wall_density(WendlandC2<double>(1), spacing, h);
}

template <class Kernel>
WallVolumeMap volume_map(const Kernel& kernel, const InitialState& initial, float spacing, float h) {
  return {kernel, h, Walls(initial.walls), wall_offset(kernel, spacing, h), spacing};
}

}  // namespace

DfsphPressure::DfsphPressure(const DfsphParameters& parameters, const FluidParameters& fluid,
                             const InitialState& initial)
    : parameters_(parameters),
      density0_(fluid.density0),
      spacing_(static_cast<float>(2 * fluid.particle_radius)),
      h_(static_cast<float>(2 * fluid.particle_radius * parameters.smoothing_length_factor)),
      volume_(static_cast<float>(std::pow(2 * fluid.particle_radius, 3))),
      kernel_(parameters.kernel == DfsphKernel::cubic_spline
                  ? SmoothingKernel(of_lattice<CubicSpline>(spacing_, h_))
                  : SmoothingKernel(of_lattice<WendlandC2>(spacing_, h_))),
      central_viscosity_(spacing_, h_),
      fill_(parameters.kernel == DfsphKernel::cubic_spline
                ? volume_map(CubicSpline<double>(1), initial, spacing_, h_)
                : volume_map(WendlandC2<double>(1), initial, spacing_, h_)),
      wall_density_(wall_density(parameters, spacing_, h_)),
      measures_held_(std::any_of(initial.probes.begin(), initial.probes.end(), [](const ProbeParameters& p) {
        return p.type == "force" && p.wall.empty();
      })) {
  for (WallLoads& loads : loads_) loads = WallLoads(initial.walls);
  if (parameters.wall_pressure == DfsphWallPressure::images) images_.emplace(initial, 2 * h_);
  const Vec3 period = to_vec3(initial.periodic_length);
  image_ = {period, period.x > 0 || period.y > 0 || period.z > 0};
}

void DfsphPressure::find_factors(const UniformGridView& grid, View<const float> mobility,
                                 const PressureShapes& shapes, bool solves) {
  const int count = grid.position.count;
  if (images_) images_->find(walls_, grid.position, shapes.apart);
  for (Array<Quad>* a : {&position_, &acceleration_}) a->resize(count + (images_ ? images_->count() : 0));
  wall_.resize(count);
  for (Array<float>* a : {&compression_, &inverse_diagonal_, &part_, &source_, &last_pressure_,
                          &last_residual_, &density_pressure, &divergence_pressure, &rest_excess})
    a->resize(count);
  rows_.build(grid, 2 * h_, images_ ? images_->neighbors() : FurtherNeighbors{});
  neighbors_ = rows_.view().length;
  if (!shapes.part.empty() || shapes.apart.any_behind) {
    whole_length_.resize(count);
    launch(count, LeaveOutPairs{shapes.part, shapes.apart, rows_.view(), whole_length_.view(),
                                rows_.first_further()});
    neighbors_ = whole_length_.const_view();
  }
  fill_.find_near(walls_, grid.position);
  launch(count, PackPositions{grid.position, mobility, position_.view()});
  if (images_) images_->place(position_.view());
  if (starts_ && may_be_closed_) closed_ = !has_gap(grid, walls_, spacing_);
  const RestExcess excess{rest_excess.view(), starts_, smooth_bound()};
  const FindHeadLine line = prepare_heads(shapes.apart);
  std::visit(
      [&]<class Kernel, class Shapes>(const Kernel& kernel, const Shapes& walls) {
        const DfsphFactors<Kernel, Shapes> factors{
            .pairs = pairs(kernel),
            .walls = walls,
            .fill = shares(),
            .least_diagonal = least_diagonal_share / (float(density0_) * h_ * h_),
            .compression = compression_.view(),
            .inverse_diagonal = inverse_diagonal_.view(),
            .wall = wall_.view(),
            .share = shapes.share,
            .apart = shapes.apart,
            .excess = solves ? excess : RestExcess{}};
        if (line.position.empty())
          launch(count, factors);
        else
          head_line_.run(count, FactorsAndHeadLine<DfsphFactors<Kernel, Shapes>>{factors, line});
      },
      kernel_, as_found(solids()));
}

FindHeadLine DfsphPressure::prepare_heads(const ApartView& apart) {
  head_weight_ = head_density_ * (gravity_ - along_period(gravity_, image_.period));
  find_heads_ = {};
  if (!(norm(head_weight_) > 0)) return {};
  head_.resize(compression_.size());
  find_heads_ = {.weight = head_weight_,
                 .line = head_line_.result(),
                 .margin = HeadLine::margin * h_ * norm(head_weight_),
                 .onset = spacing_ * norm(head_weight_),
                 .position = position_.const_view(),
                 .apart = apart,
                 .head = head_.view(),
                 .pressure = starts_ ? density_pressure.view() : View<float>{},
                 .steady = starts_ ? steady_pressure.view() : View<float>{}};
  return {.weight = head_weight_,
          .passed = HeadLine::passed * h_ * norm(head_weight_),
          .position = position_.const_view(),
          .compression = compression_.const_view(),
          .apart = apart};
}

void DfsphPressure::pack(View<const Vec3> velocity) {
  launch(velocity.count, PackVelocities{velocity, acceleration_.view()});
  if (images_) images_->move(ImageMotion::mirrored, walls_, position_.const_view(), acceleration_.view());
}

PressureSolveResult DfsphPressure::solve_divergence(View<const Vec3> velocity, View<const float> mobility,
                                                    double dt, const PressureConstraint& constraint) {
  pack(velocity);
  std::visit(
      [&]<class Kernel, class Shapes>(const Kernel& kernel, const Shapes& walls) {
        launch(velocity.count, DivergenceSource<Kernel, Shapes>{
                                   .pairs = pairs(kernel),
                                   .velocity = acceleration_.const_view(),
                                   .wall = wall_.const_view(),
                                   .walls = walls,
                                   .fill = shares(),
                                   .dt = static_cast<float>(dt),
                                   .least_neighbors = static_cast<float>(
                                       few_neighbors * std::pow(parameters_.smoothing_length_factor, 3)),
                                   .neighbors = neighbors_,
                                   .inverse_diagonal = inverse_diagonal_.const_view(),
                                   .source = source_.view(),
                                   .part = part_.view(),
                                   .follow = follow_});
      },
      kernel_, as_found(solids()));
  follow_ = {};
  if (closed_) find_closed_divergence(mobility, dt);
  const PressureSolveResult solved = run(divergence_, mobility, part_.const_view(), divergence_pressure,
                                         parameters_.max_divergence_error, dt, constraint);
  sum_pressure_load(divergence_load, mobility, part_.const_view(), dt);
  return solved;
}

void DfsphPressure::find_closed_divergence(View<const float> mobility, double dt) {
  moves_.resize(mobility.count);
  std::visit(
      [&]<class Kernel, class Shapes>(const Kernel& kernel, const Shapes& walls) {
        launch(mobility.count,
               ClosedDivergence<Kernel, Shapes>{.pairs = pairs(kernel),
                                                .velocity = acceleration_.const_view(),
                                                .wall = wall_.const_view(),
                                                .walls = walls,
                                                .fill = shares(),
                                                .h = h_,
                                                .dt = static_cast<float>(dt),
                                                .inverse_diagonal = inverse_diagonal_.const_view(),
                                                .part = part_.view(),
                                                .source = source_.view(),
                                                .move = moves_.view()});
      },
      kernel_, as_found(solids()));
}

void DfsphPressure::follow_pressures(View<const Vec3> velocity, View<const float> mobility,
                                     const Vec3& gravity, double dt) {
  const int count = density_pressure.size();
  const PackPressureChanges pack{density_pressure.const_view(), steady_pressure.const_view(),
                                 position_.view(), find_heads_};
  if (!find_carried_along_walls(mobility, gravity, pack)) launch(count, pack);
  if (images_) images_->follow(position_.view());
  const FollowPressures follow{.mean = part_.const_view(),
                               .velocity = velocity,
                               .per_spacing = static_cast<float>(dt) / spacing_,
                               .state = density_.state.const_view(),
                               .takes_level = fills_vessels_,
                               .steady = steady_pressure.view(),
                               .pressure = density_pressure.view()};
  if (parameters_.divergence_solve) {
    follow_ = follow;
    return;
  }
  find_neighbor_mean(part_);
  launch(count, follow);
}

void DfsphPressure::find_neighbor_mean(Array<float>& mean) {
  std::visit(
      [&]<class Kernel>(const Kernel& kernel) {
        launch(mean.size(), NeighborMean<Kernel>{pairs(kernel), mean.view()});
      },
      kernel_);
}

void DfsphPressure::pack_compression_mean() {
  for (int k = 0; k < compression_means; ++k) {
    if (k > 0) find_neighbor_mean(part_);
    const View<const float> from = k == 0 ? compression_.const_view() : part_.const_view();
    launch(from.count, PackFluidCompression{from, position_.view(),
                                            k == 0 ? rest_excess.const_view() : View<const float>{}});
    if (images_) images_->follow(position_.view());
  }
}

CompressionBounds DfsphPressure::bounds_within(double dt) const {
  CompressionBounds bounds;
  if (pace_.longest_step > 0)
    bounds.share = static_cast<float>(std::min(1.0, dt / (prompt_share * pace_.longest_step)));
  if (pace_.head > 0)
    bounds.most = static_cast<float>(fastest_share * dt * pace_.gravity / std::sqrt(pace_.head));
  return bounds;
}

PressureSolveResult DfsphPressure::solve_density(View<const Vec3> velocity, View<const float> mobility,
                                                 double dt, const PressureConstraint& constraint) {
  pack_compression_mean();
  pack(velocity);
  std::visit(
      [&]<class Kernel, class Shapes>(const Kernel& kernel, const Shapes& walls) {
        launch(velocity.count, DensitySource<Kernel, Shapes>{.pairs = pairs(kernel),
                                                             .velocity = acceleration_.const_view(),
                                                             .wall = wall_.const_view(),
                                                             .walls = walls,
                                                             .fill = shares(),
                                                             .dt = static_cast<float>(dt),
                                                             .compression = compression_.const_view(),
                                                             .excess = rest_excess.const_view(),
                                                             .bound = smooth_bound(),
                                                             .bounds = bounds_within(dt),
                                                             .pressure = density_pressure.const_view(),
                                                             .mobility = mobility,
                                                             .reach = static_cast<float>(pace_.gravity) * h_,
                                                             .source = source_.view()});
      },
      kernel_, as_found(solids()));
  if (closed_) {
    source_mean_.run(velocity.count, sum_of(ElementsOf{source_.const_view()}));
    launch(velocity.count, LessMeanSource{source_mean_.result(), source_.view()});
  }
  const PressureSolveResult solved = run(density_, mobility, inverse_diagonal_.const_view(), density_pressure,
                                         parameters_.max_density_error, dt, constraint);
  constexpr double no_load = 0;
  sum_pressure_load(density_load, mobility, inverse_diagonal_.const_view(), closed_ ? no_load : dt);
  if (closed_)
    launch(mobility.count,
           AddToMoves{acceleration_.const_view(), mobility, static_cast<float>(dt), moves_.view()});
  return solved;
}

/// On the GPU iterations past the goal do nothing, and the host looks after as many as the last solve took.
PressureSolveResult DfsphPressure::run(Solve& solve, View<const float> mobility,
                                       View<const float> inverse_diagonal, Array<float>& pressure,
                                       double tolerance, double dt, const PressureConstraint& constraint) {
  constexpr int at_once = MERGANSER_GPU_HALF ? 4 : 1;
  const int count = mobility.count;
  if (count == 0) return {};
  const HeadAtRest head = &solve == &density_ ? this->head() : HeadAtRest{};
  launch(1, StartPressureState{.start = {.dt = static_cast<float>(dt),
                                         .momentum = 0,
                                         .stiffest = least_stiffness,
                                         .since_restart = 0,
                                         .iterations = 0,
                                         .active = 1,
                                         .min_iterations = parameters_.min_iterations,
                                         .max_iterations = parameters_.max_iterations,
                                         .tolerance_met = 0,
                                         .tolerance = tolerance,
                                         .error = 0,
                                         .level = 0,
                                         .any_sign = closed_ && &solve == &divergence_,
                                         .mean_pressure = 0,
                                         .mean_residual = 0},
                               .state = solve.state.view()});
  launch(count, StartPressures{.inverse_diagonal = inverse_diagonal,
                               .warm = parameters_.warm_start,
                               .state = solve.state.const_view(),
                               .takes_level = fills_vessels_ && &solve == &divergence_,
                               .pressure = pressure.view(),
                               .position = position_.view(),
                               .head = head});
  if (images_) images_->follow(position_.view());
  LaunchKey key = {rows_.view().near,     rows_.view().far,      rows_.view().length.data,
                   position_.data(),      acceleration_.data(),  wall_.data(),
                   mobility.data,         source_.data(),        inverse_diagonal.data,
                   pressure.data(),       residuals_.scratch(),  solve.state.data(),
                   last_pressure_.data(), last_residual_.data(), compression_.data()};
  for (int number : {count, rows_.view().room}) add_to_key(key, number);
  if (images_) add_to_key(key, images_->view());
  for (float component : {head.weight.x, head.weight.y, head.weight.z, head.onset})
    add_to_key(key, component);
  add_to_key(key, head.of);
  key.insert(key.end(), constraint.key.begin(), constraint.key.end());
  const auto iterations = [&] {
    for (int k = 0; k < at_once; ++k)
      std::visit(
          [&](const auto& kernel) {
            iterate(solve, kernel, mobility, inverse_diagonal, pressure, head, constraint);
          },
          kernel_);
  };
  PressureState seen{};
  const int expected = static_cast<int>(std::ceil(solve.expected));
  int blind = MERGANSER_GPU_HALF ? std::min(expected, parameters_.max_iterations) : 1;
  do {
    if (constraint.apply && constraint.key.empty())
      iterations();
    else
      solve.iterations.run(key, iterations);
    blind -= at_once;
    if (blind <= 0) seen = read_back(View<const PressureState>(solve.state.const_view()), 0);
  } while (blind > 0 || seen.active);
  solve.expected = std::max(double(seen.iterations), solve.expected - fewer_expected);
  if (closed_ && &solve == &divergence_) {
    wall_head_.run(count, FindWallHead{head_of_rest(), wall_.const_view()});
    launch(count, LessMeanPressure{.head = head_of_rest(),
                                   .wall_head = wall_head_.result(),
                                   .state = solve.state.view(),
                                   .pressure = pressure.view(),
                                   .at_walls = last_pressure_.view()});
  }
  return {seen.iterations, seen.error, seen.tolerance_met != 0};
}

template <class Kernel>
void DfsphPressure::iterate(Solve& solve, const Kernel& kernel, View<const float> mobility,
                            View<const float> inverse_diagonal, Array<float>& pressure,
                            const HeadAtRest& head, const PressureConstraint& constraint) {
  const int count = mobility.count;
  launch(count, PressureAcceleration<Kernel>{.pairs = pairs(kernel),
                                             .state = solve.state.const_view(),
                                             .mobility = mobility,
                                             .wall = wall_.const_view(),
                                             .acceleration = acceleration_.view(),
                                             .head = head});
  if (constraint.apply) constraint.apply(acceleration_.view().subview(0, count));
  if (images_) images_->mirror(acceleration_.view());
  residuals_.run(count, PressureUpdate<Kernel>{.pairs = pairs(kernel),
                                               .state = solve.state.view(),
                                               .acceleration = acceleration_.const_view(),
                                               .source = source_.const_view(),
                                               .inverse_diagonal = inverse_diagonal,
                                               .wall = wall_.const_view(),
                                               .compression = compression_.const_view(),
                                               .count = count,
                                               .pressure = pressure.view(),
                                               .last_pressure = last_pressure_.view(),
                                               .last_residual = last_residual_.view(),
                                               .position = position_.view(),
                                               .head = head});
  if (images_) images_->follow(position_.view());
}

void DfsphPressure::find_mechanical_pressure(View<float> pressure) {
  const int count = std::min(pressure.count, compression_.size());
  if (closed_)
    launch(count, PackAboveLevel{divergence_pressure.const_view(), divergence_.state.const_view(),
                                 position_.view()});
  else
    launch(count,
           AddPressures{density_pressure.const_view(), divergence_pressure.const_view(), position_.view()});
  if (images_) images_->follow(position_.view());
  std::visit(
      [&]<class Kernel, class Shapes>(const Kernel& kernel, const Shapes& walls) {
        launch(count, MechanicalPressure<Kernel, Shapes>{pairs(kernel), walls, shares(), pressure});
      },
      kernel_, as_found(solids()));
  if (closed_) launch(count, AddHead{head_of_rest(), wall_head_.result(), pressure});
}

std::vector<float> DfsphPressure::kept_of_solves() const {
  std::vector<float> kept;
  for (const Solve* solve : {&divergence_, &density_}) {
    const PressureState state = read_back(solve->state.const_view(), 0);
    kept.insert(kept.end(), {state.stiffest, state.level});
  }
  return kept;
}

void DfsphPressure::set_kept_of_solves(const std::vector<float>& kept) {
  size_t k = 0;
  for (Solve* solve : {&divergence_, &density_}) {
    PressureState state{};
    state.stiffest = kept[k++];
    state.level = kept[k++];
    solve->state.assign(std::vector<PressureState>{state});
  }
}

MERGANSER_END
