#include "solvers/core/emitter.h"

#include <cmath>

#include "device/launch.h"

MERGANSER_BEGIN

namespace {

/// All fields of the particles of a layer.
struct EmitLayer {
  static constexpr const char* name = "emit layer";
  View<const Vec3d> lattice;  ///< [m] from the middle
  Vec3d middle;               ///< [m]
  Vec3 velocity;              ///< [m/s]
  float mass, inverse_mass;   ///< [kg], [1/kg]
  float radius;               ///< [m]
  int first, id;              ///< of the layer's first particle: place and id
  int body, system;
  ParticleView particles;
  MERGANSER_METHOD void operator()(int k) const {
    const int i = first + k;
    particles.position[i] = to_float(middle + lattice[k]);
    particles.velocity[i] = velocity;
    particles.mass[i] = mass;
    particles.inverse_mass[i] = inverse_mass;
    particles.radius[i] = radius;
    particles.id[i] = id + k;
    particles.body[i] = body;
    particles.system[i] = system;
  }
};

}  // namespace

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

/// [m] where the middle of each layer has come to that has left by `time` [s] and was not given out yet.
std::vector<Vec3d> Emitter::layers_left_by(double time) {
  std::vector<Vec3d> middles;
  const double interval = spacing_ / parameters_.velocity;
  const Vec3d centre{parameters_.position[0], parameters_.position[1], parameters_.position[2]};
  for (;; ++layers_) {
    const double left = parameters_.start_time + static_cast<double>(layers_) * interval;
    if (left > time || left >= parameters_.end_time) break;
    if (particles_ + particles_per_layer() > parameters_.max_particles) break;
    middles.push_back(centre + direction_ * (parameters_.velocity * (time - left)));
    particles_ += particles_per_layer();
  }
  return middles;
}

Emitter::Emitted Emitter::emit(double time, const Vec3& gravity, ParticleStore& particles) {
  Emitted emitted;
  const std::vector<Vec3d> middles = layers_left_by(time);
  if (middles.empty()) return emitted;
  if (points_.empty()) points_.assign(lattice_);
  const int layer = particles_per_layer();
  int id = particles.id_end();
  int first = particles.add_room(system_index_, layer * static_cast<int>(middles.size())).first;
  const Vec3 velocity = emitted_velocity(parameters_);
  const float mass = static_cast<float>(density0_ * spacing_ * spacing_ * spacing_);
  for (const Vec3d& middle : middles) {
    launch(layer, EmitLayer{points_.const_view(), middle, velocity, mass, 1 / mass,
                            static_cast<float>(0.5 * spacing_), first, id, parameters_.body, system_index_,
                            particles.view()});
    first += layer;
    id += layer;
    for (const Vec3d& x : lattice_) {
      const Vec3 position = to_float(middle + x);
      emitted.box = joined(emitted.box, {position, position});
      emitted.brings = emitted.brings + emission_of(mass, velocity, position, gravity);
    }
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
