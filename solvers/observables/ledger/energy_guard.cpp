#include "solvers/observables/ledger/energy_guard.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "device/errors.h"
#include "solvers/methods/dfsph/dfsph_parameters.h"
#include "solvers/methods/sph/sph_parameters.h"

MERGANSER_BEGIN

namespace {
double length_of(const Point3& p) { return std::hypot(p[0], p[1], p[2]); }

/// [m/s] bound of a held particle's speed.
double bound_of_speed(const PrescribedMotion& motion, const std::vector<Float3>& position) {
  double reach = 0;
  for (const int i : motion.particles) {
    const Float3& x = position[size_t(i)];
    reach = std::max(reach,
                     std::hypot(x[0] - motion.centre[0], x[1] - motion.centre[1], x[2] - motion.centre[2]));
  }
  return length_of(motion.velocity) + length_of(motion.angular_velocity) * reach;
}

const FluidForcesParameters* forces_of(const SystemState& system) {
  if (const auto* p = system.parameters.find<SphParameters>()) return &p->forces;
  if (const auto* p = system.parameters.find<DfsphParameters>()) return &p->forces;
  return nullptr;
}
}  // namespace

EnergyGuard::EnergyGuard(const InitialState& initial) : gravity_(length_of(initial.gravity)) {
  double low = 1e300, high = -1e300;
  for (const SystemState& system : initial.systems) {
    systems_.push_back(system.name);
    const auto look_at = [&](const auto& x, double radius) {
      const Point3& g = initial.gravity;
      const double fall = g[0] * x[0] + g[1] * x[1] + g[2] * x[2];
      low = std::min(low, fall), high = std::max(high, fall);
      radius_ = std::min(radius_, radius);
    };
    for (size_t i = 0; i < system.position.size(); ++i) look_at(system.position[i], system.radius[i]);
    for (const EmitterParameters& emitter : system.emitters)
      look_at(emitter.position, system.fluid.particle_radius);
    if (const FluidForcesParameters* forces = forces_of(system)) {
      if (forces->air_drag > 0) driven_speed_ = std::max(driven_speed_, length_of(forces->air_velocity));
      const double tension = std::max(forces->surface_tension, forces->adhesion);
      surface_energy_ =
          std::max(surface_energy_, 6 * tension / (system.fluid.density0 * 2 * system.fluid.particle_radius));
    }
    for (const PrescribedMotion& motion : system.prescribed)
      driven_speed_ = std::max(driven_speed_, bound_of_speed(motion, system.position));
  }
  for (const WallParameters& wall : initial.walls)
    driven_speed_ = std::max(driven_speed_, length_of(wall.velocity));
  const double spacing = 2 * initial.particle_radius / initial.resolution;
  height_ = spacing + (gravity_ > 0 && high > low ? (high - low) / gravity_ / 50 : 0);
}

void EnergyGuard::receive(double energy, double kinetic) {
  state_.given += energy;
  state_.received += std::abs(kinetic);
}

bool EnergyGuard::observe(const GuardedStep& step) {
  State& s = state_;
  s.given += step.work;
  s.received += std::abs(step.work) * std::max(1.0, step.elapsed / step.dt);
  s.speed = std::max({s.speed, driven_speed_, step.speed_of_walls});
  s.way += std::max(driven_speed_, step.speed_of_walls) * step.elapsed;
  s.longest_step = std::max(s.longest_step, step.dt);
  const double balance = step.energy - s.given;
  s.least = std::min(s.least, balance);
  appeared_ = balance - s.least;
  s.held = std::max(s.held, step.held - appeared_);
  const double u = 0.01 * radius_ / s.longest_step;
  const double summed = std::abs(step.energy) + std::abs(s.given) + std::abs(s.least);
  allowed_ =
      s.held + s.received + rounding * summed +
      step.mass * (gravity_ * (height_ + s.way) + 2 * s.speed * s.speed + 0.5 * u * u + surface_energy_);
  if (!(appeared_ > allowed_)) return false;
  if (s.rows++ == 0) s.step = double(step.step), s.time = step.time;
  if (appeared_ > s.most) s.most = appeared_, s.most_allowed = allowed_;
  return true;
}

void EnergyGuard::blame(const std::vector<double>& held) {
  blamed_ = int(std::max_element(held.begin(), held.end()) - held.begin());
  if (state_.system < 0) state_.system = blamed_;
}

std::string EnergyGuard::warning() const {
  const State& s = state_;
  if (s.rows == 0) return "";
  std::ostringstream text;
  text.precision(4);
  text << "energy appears: systems." << systems_[size_t(s.system)]
       << " gains more than the scene has held or received, "
       << "first in step " << (long long)(s.step) << " (t = " << s.time << " s), in " << (long long)(s.rows)
       << (s.rows == 1 ? " row" : " rows") << " so far; at most " << s.most << " J that nobody gave, beside "
       << s.most_allowed << " J";
  return text.str();
}

std::string EnergyGuard::explosion_text() const {
  if (!(appeared_ > explosion * allowed_)) return "";
  std::ostringstream text;
  text.precision(4);
  text << "systems." << systems_[size_t(blamed_)] << " explodes: " << appeared_
       << " J have appeared that nobody gave, more than " << explosion << " times the " << allowed_
       << " J that the scene has held or received";
  return text.str();
}

template <class AnyState, class Visitor>
void EnergyGuard::visit(AnyState& s, Visitor visitor) {
  for (auto* value : {&s.given, &s.least, &s.held, &s.received, &s.speed, &s.way, &s.longest_step, &s.rows,
                      &s.step, &s.time, &s.system, &s.most, &s.most_allowed})
    visitor(*value);
}

std::vector<double> EnergyGuard::save() const {
  std::vector<double> values;
  visit(state_, [&](double value) { values.push_back(value); });
  return values;
}

void EnergyGuard::load(const std::vector<double>& values) {
  size_t count = 0;
  visit(state_, [&](double) { ++count; });
  if (values.size() != count) throw FileError("checkpoint: its guard on energy is that of another version");
  auto value = values.begin();
  visit(state_, [&](double& kept) { kept = *value++; });
}

MERGANSER_END
