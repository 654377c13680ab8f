#include "solvers/core/emitter.h"

#include <cmath>

MERGANSER_BEGIN

Vec3d direction_of(const EmitterParameters& emitter) {
  return normalized_or_zero(Vec3d{emitter.direction[0], emitter.direction[1], emitter.direction[2]});
}
Vec3 emitted_velocity(const EmitterParameters& emitter) {
  return to_float(direction_of(emitter) * emitter.velocity);
}

Emitter::Emitter(const EmitterParameters& emitter, const FluidParameters& fluid, int system_index)
    : parameters_(emitter),
      spacing_(2 * fluid.particle_radius),
      density0_(fluid.density0),
      system_index_(system_index),
      direction_(direction_of(emitter)) {
  if (norm_squared(direction_) == 0) throw InputError("emitter: direction must not be the zero vector");
  if (!(emitter.velocity > 0))
    throw InputError("emitter: velocity must be positive, but is " + std::to_string(emitter.velocity) +
                     " m/s");
  if (!(emitter.radius < 2e4 * spacing_))
    throw InputError(
        "emitter: a disc of radius " + std::to_string(emitter.radius) +
        " m takes more than a billion particles a layer; make it smaller or the particles larger");
  const Vec3d& n = direction_;
  const Vec3d other = std::abs(n.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
  const Vec3d across = normalized_or_zero(cross(other, n)), up = cross(n, across);
  const double room = emitter.radius - 0.5 * spacing_ + 1e-9 * spacing_;
  const int reach = static_cast<int>(emitter.radius / spacing_) + 1;
  for (int b = -reach; b <= reach; ++b)
    for (int a = -reach; a <= reach; ++a) {
      const Vec3d x = across * (a * spacing_) + up * (b * spacing_);
      if (norm(x) <= room) lattice_.push_back(x);
    }
  if (lattice_.empty())
    throw InputError("emitter: radius is " + std::to_string(emitter.radius) +
                     " m, smaller than a particle's, " + std::to_string(fluid.particle_radius) + " m");
}

HostParticles Emitter::emit(double time, int next_id) {
  HostParticles emitted;
  const double interval = spacing_ / parameters_.velocity;
  const Vec3d centre{parameters_.position[0], parameters_.position[1], parameters_.position[2]};
  const Vec3 velocity = emitted_velocity(parameters_);
  const float mass = static_cast<float>(density0_ * spacing_ * spacing_ * spacing_);
  for (;; ++layers_) {
    const double left = parameters_.start_time + static_cast<double>(layers_) * interval;
    if (left > time || left >= parameters_.end_time) break;
    if (particles_ + particles_per_layer() > parameters_.max_particles) break;
    const Vec3d middle = centre + direction_ * (parameters_.velocity * (time - left));
    for (const Vec3d& x : lattice_) {
      emitted.position.push_back(to_float(middle + x));
      emitted.velocity.push_back(velocity);
      emitted.mass.push_back(mass);
      emitted.inverse_mass.push_back(1 / mass);
      emitted.radius.push_back(static_cast<float>(0.5 * spacing_));
      emitted.id.push_back(next_id++);
      emitted.body.push_back(parameters_.body);
      emitted.system.push_back(system_index_);
    }
    particles_ += particles_per_layer();
  }
  return emitted;
}

void Emitter::save(StateArchive& archive, const std::string& prefix) const {
  archive.put(prefix + "/emitted", std::vector<std::int64_t>{layers_, particles_});
}
void Emitter::load(const StateArchive& archive, const std::string& prefix) {
  const auto state = archive.get<std::int64_t>(prefix + "/emitted");
  if (state.size() != 2) throw FileError("checkpoint: '" + prefix + "/emitted' must have two elements");
  layers_ = state[0], particles_ = state[1];
}

MERGANSER_END
