/// Results of a DFSPH step, and its state in checkpoints.
#include <cmath>

#include "device/sum_of.h"
#include "solvers/core/discarded_work.h"
#include "solvers/methods/dfsph/dfsph_fluid.h"
#include "solvers/methods/dfsph/held_pressure.h"

MERGANSER_BEGIN

namespace {

/// |v|^2.
struct DfsphSpeed {
  static constexpr const char* name = "dfsph largest speed";
  View<const Vec3> velocity;  ///< [m/s]
  MERGANSER_METHOD float operator()(int i) const { return norm_squared(velocity[i]); }
};

struct DfsphCompression {
  static constexpr const char* name = "dfsph largest compression";
  View<const float> compression;
  View<const float> in_fluid;  ///< counts where > 0; empty: all
  MERGANSER_METHOD float operator()(int i) const {
    return compression[i] > 0 && (in_fluid.empty() || in_fluid[i] > 0) ? compression[i] : 0.0f;
  }
};

/// rho0 (1 + compression); rho0 before the first step.
struct DfsphDensity {
  static constexpr const char* name = "dfsph density";
  float density0;  ///< [kg/m^3]
  View<const float> compression;
  View<float> density;  ///< [kg/m^3], written
  MERGANSER_METHOD void operator()(int i) const {
    density[i] = density0 * (1 + (i < compression.count ? compression[i] : 0.0f));
  }
};

/// [m^2/s^2] The greatest -g.x in the box: how high it reaches against g. Below -1e30 of no box.
double highest(const Bounds& box, const Vec3& g) {
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const auto of = [&](const Vec3& v) { return double(axis == 0 ? v.x : axis == 1 ? v.y : v.z); };
    if (of(g) != 0) sum += std::max(-of(g) * of(box.low), -of(g) * of(box.high));
  }
  return box.low.x > box.high.x ? -1e30 : sum;
}

/// What pressure, viscosity, further forces and walls take from the motion of a particle that is in no group:
/// the work of all that changes its velocity but gravity, over v' (DiscardedWork). It counts as integration,
/// for a fluid without compression keeps none of it. What is on its way out of an emitter the emitter
/// carries.
struct FluidExchange {
  static constexpr const char* name = "dfsph exchange";
  DiscardedWork work;
  NozzlesView nozzles;
  View<const Vec3> moves;  ///< [m] beside v', of own particles; empty: none
  Vec3 gravity;            ///< [m/s^2], whose work over them counts as well
  int first;               ///< of the store
  MERGANSER_METHOD StepExchange operator()(int k) const {
    StepExchange exchange;
    const int i = first + k;
    if (work.held.group(i) < 0 && nozzles.hold(i))
      exchange.give(-double(work.mass[i]) * work.free_change, to_double(work.end_velocity[i]));
    else
      exchange.integration = -work(i, {0, 0, 0});
    if (!moves.empty()) exchange.integration += double(work.mass[i]) * double(dot(gravity, moves[k]));
    return exchange;
  }
};

}  // namespace

void Dfsph::record_exchange(const StepContext& step, const MetaParticleView& groups,
                            View<const Vec3> end_velocity) {
  const Range own = step.particles.range(system_index_);
  exchange_.run(own.count, sum_of(FluidExchange{discarded_work(step, groups, end_velocity),
                                                nozzles_.view(step.particles, pressure_.image()),
                                                pressure_.moves(), step.gravity, own.first}));
}

void Dfsph::write_held_impulses(const StepContext& step, const MetaParticleView& groups, View<const Vec3>,
                                View<Vec3> impulse) {
  launch(impulse.count, HeldMembers{.held = {step.particles.inverse_mass.const_view(), groups},
                                    .mass = step.particles.mass.const_view(),
                                    .change = change_.const_view(),
                                    .pressure = is_coupled() ? View<const Vec3>{} : pressure_.held_impulse(1),
                                    .first = step.particles.range(system_index_).first,
                                    .impulse = impulse});
}

void Dfsph::add_held_impulses(const StepContext& step, const MetaParticleView& groups, View<Vec3> impulse) {
  if (leads()) own_solve_->add_held_impulses(step, groups, impulse);
}

void Dfsph::measure(const ParticleStore& particles, Measures what) {
  const Range own = particles.range(system_index_);
  motion_.run(own.count,
              together(maximum_of(DfsphSpeed{particles.velocity.const_view().subview(own.first, own.count)}),
                       PositionBounds{particles.position.const_view().subview(own.first, own.count)}));
  bounds_known_.measured();
  if (what == Measures::all) {
    const View<const float> compression = leads() ? own_solve_->compression() : pressure_.compression();
    const View<const float> in_fluid = leads() ? own_solve_->in_fluid() : View<const float>{};
    largest_compression_.run(is_coupled() && !leads() ? 0 : compression.count,
                             maximum_of(DfsphCompression{compression, in_fluid}));
  }
}

/// Of the fluids that share a solve: the greatest p/rho [m^2/s^2] of a fluid at rest, p the pressure under
/// one that reaches from the highest to the lowest place. Of one fluid alone g H.
double Dfsph::max_hydrostatic_head() const {
  double greatest = 0;
  std::vector<const Dfsph*> fluids{this};
  fluids.insert(fluids.end(), shares_solve_.begin(), shares_solve_.end());
  for (const Dfsph* pressed : fluids)
    for (const Dfsph* above : fluids) {
      const Bounds low = pressed->motion_.fetched().second, high = above->motion_.fetched().second;
      const double head = highest(high, gravity_) + highest(low, -gravity_);
      greatest = std::max(greatest, head * above->density0_ / pressed->density0_);
    }
  return greatest;
}

/// cfl d = dt (v + dt |g|): what gravity adds on the way counts. And the pressure p of a fluid at rest acts
/// on where particles were: within dt it moves a disorder of a spacing d by dt^2 p/(rho d) of it, so
///   dt <= b d/sqrt(p/rho), b = 0.55,
/// or deep columns fly apart from rest (60 layers at b = 1.06; at 0.69 they shake), and bubbles of a light
/// fluid in a heavy one.
double Dfsph::longest_step() const {
  const double spacing = pressure_.spacing(), reach = parameters_.cfl * spacing;
  const double gravity = norm(to_double(gravity_));
  const double speed = std::sqrt(double(motion_.fetched().first));
  const double root = speed + std::sqrt(speed * speed + 4 * gravity * reach);
  double dt = root > 0 ? 2 * reach / root : 1e30;
  if (const double head = max_hydrostatic_head(); head > 0)
    dt = std::min(dt, dfsph_depth_bound * spacing / std::sqrt(head));
  return dt;
}

CompressionPace Dfsph::pace_of_shared_solve() const {
  CompressionPace pace{longest_step(), norm(to_double(gravity_)), max_hydrostatic_head()};
  for (const Dfsph* other : shares_solve_)
    pace.longest_step = std::min(pace.longest_step, other->longest_step());
  return pace;
}

double Dfsph::time_step_limit() const {
  double dt = std::max(longest_step(), parameters_.min_time_step);
  const double h = pressure_.smoothing_length();
  if (parameters_.viscosity > 0) dt = std::min(dt, 0.125 * h * h / parameters_.viscosity);
  return std::min(dt, forces_.time_step_limit());
}

SystemStatistics Dfsph::measured() const {
  SystemStatistics result = statistics_;
  result.density_error = largest_compression_.fetched();
  result.exchange = exchange_.fetched();
  result.exchange.wall_impulse += pressure_.wall_impulse();
  if (leads()) {
    result.exchange.wall_impulse += own_solve_->wall_impulse();
    result.exchange.integration += own_solve_->loss_before_step();
  }
  return result;
}

WallLoad Dfsph::wall_load(int k) const {
  WallLoad load;
  if (!is_coupled() || has_forces()) {
    load = pressure_.wall_load(k);
    load += forces_.wall_load(k);
  }
  if (leads()) load += own_solve_->wall_load(k);
  return load;
}

void Dfsph::particles_added(const ParticleStore& particles, int, const Bounds& box) {
  bounds_known_.add(box);
  resize(particles.range(system_index_).count);
}

void Dfsph::particles_removed(View<const int> kept) {
  bounds_known_.forget();
  pressure_.keep(kept);
  forces_.keep(kept);
  resize(kept.count);
}

void Dfsph::write_density(View<float> density) const {
  View<const float> compression = pressure_.compression();
  Array<float> of_union(is_coupled() ? density.count : 0);
  if (is_coupled()) {
    coupled_->write_compression(system_index_, of_union.view());
    compression = of_union.const_view();
  }
  launch(density.count, DfsphDensity{static_cast<float>(density0_), compression, density});
  if (is_coupled()) synchronize();  // what the kernel reads ends here
}

void Dfsph::write_pressure(View<float> pressure) const {
  if (is_coupled())
    coupled_->write_pressure(system_index_, pressure);
  else
    pressure_.find_mechanical_pressure(pressure);
}

std::vector<std::pair<std::string, std::vector<float>>> Dfsph::frame_fields() const {
  Array<float> density(pressure_.density_pressure.size()), pressure(density.size());
  density.zero(), pressure.zero();  // before the first step there are none
  write_density(density.view());
  write_pressure(pressure.view());
  return {{"density", density.to_host()}, {"pressure", pressure.to_host()}};
}

void Dfsph::save(StateArchive& archive, const std::string& prefix) const {
  archive.put(prefix + "/density_pressure", pressure_.density_pressure.to_host());
  archive.put(prefix + "/steady_pressure", pressure_.steady_pressure.to_host());
  archive.put(prefix + "/rest_excess", pressure_.rest_excess.to_host());
  archive.put(prefix + "/stiffness", pressure_.kept_of_solves());
  archive.put(prefix + "/closed", std::vector<std::int32_t>{pressure_.is_closed()});
  archive.put(prefix + "/divergence_pressure", pressure_.divergence_pressure.to_host());
  forces_.save(archive, prefix);
  if (leads()) own_solve_->save(archive, prefix);
}

void Dfsph::load(const StateArchive& archive, const std::string& prefix) {
  const auto density = archive.get<float>(prefix + "/density_pressure");
  const auto divergence = archive.get<float>(prefix + "/divergence_pressure");
  const auto steady = archive.get<float>(prefix + "/steady_pressure");
  const auto excess = archive.get<float>(prefix + "/rest_excess");
  const auto solves = archive.get<float>(prefix + "/stiffness");
  const auto closed = archive.get<std::int32_t>(prefix + "/closed");
  if (density.size() != divergence.size() || density.size() != steady.size() ||
      density.size() != excess.size() || solves.size() != 4 || closed.size() != 1)
    throw FileError("checkpoint: the fluid's arrays under '" + prefix + "' do not belong together");
  resize(static_cast<int>(density.size()));
  bounds_known_.forget();
  pressure_.density_pressure.assign(density);
  pressure_.divergence_pressure.assign(divergence);
  pressure_.steady_pressure.assign(steady);
  pressure_.rest_excess.assign(excess);
  pressure_.set_kept_of_solves(solves);
  pressure_.set_closed(closed[0] != 0);
  forces_.load(archive, prefix);
  if (leads()) own_solve_->load(archive, prefix);
}

MERGANSER_END
