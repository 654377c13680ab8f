#include "solvers/core/emitter.h"

#include <cmath>

#include "device/launch.h"
#include "solvers/core/estimate.h"

MERGANSER_BEGIN

namespace {

/// All fields of the particles of a layer.
struct EmitLayer {
  static constexpr const char* name = "emit layer";
  View<const Vec3d> lattice;  ///< [m] from the middle
  EmittedLayer layer;
  Vec3d middle;              ///< [m]
  Vec3 velocity;             ///< [m/s]
  float mass, inverse_mass;  ///< [kg], [1/kg]
  float radius;              ///< [m]
  int first, id;             ///< of the layer's first particle: place and id
  int body, system;
  ParticleView particles;
  MERGANSER_METHOD void operator()(int k) const {
    const int i = first + k;
    particles.position[i] = to_float(middle + lattice[layer.place(k)]);
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
      replaces_(!fluid.kill_box.boxes.empty()),
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
  layer_ = disc_particles(emitter.radius, spacing_);
  if (!(layer_ > 0))
    throw InputError("emitter: radius is " + std::to_string(emitter.radius) +
                     " m, smaller than a particle's, " + std::to_string(fluid.particle_radius) + " m");
  struct Place {
    int a, b;
    int ring() const { return a * a + b * b; }
    double angle() const { return std::atan2(b, a); }
  };
  std::vector<Place> places;
  const int reach = static_cast<int>(emitter.radius / spacing_) + 2;
  for (int b = -reach; b <= reach; ++b)
    for (int a = -reach; a <= reach; ++a)
      if (a * a + b * b <= reach * reach) places.push_back({a, b});
  std::sort(places.begin(), places.end(), [](const Place& p, const Place& q) {
    return p.ring() != q.ring() ? p.ring() < q.ring() : p.angle() < q.angle();
  });
  for (size_t k = 0; k < places.size(); ++k) {
    if (k == 0 || places[k].ring() != places[k - 1].ring()) ring_.push_back(static_cast<int>(k));
    lattice_.push_back(across * (places[k].a * spacing_) + up * (places[k].b * spacing_));
  }
}

std::int64_t Emitter::particles_before(std::int64_t layer) const {
  return static_cast<std::int64_t>(particles_of_layers(static_cast<double>(layer), layer_));
}

EmittedLayer Emitter::layer_of(std::int64_t layer) const {
  const std::int64_t before = particles_before(layer);
  const int count = static_cast<int>(particles_before(layer + 1) - before);
  size_t r = 0;
  while (r + 1 < ring_.size() && ring_[r + 1] <= count) ++r;
  const int end = r + 1 < ring_.size() ? ring_[r + 1] : static_cast<int>(lattice_.size());
  const int on_ring = end - ring_[r];
  return {count, ring_[r], on_ring, static_cast<int>(before % on_ring)};
}

Emitter::Emitted Emitter::emit(double time, const Vec3& gravity, ParticleStore& particles) {
  Emitted emitted;
  const double interval = spacing_ / parameters_.velocity;
  const Vec3d centre{parameters_.position[0], parameters_.position[1], parameters_.position[2]};
  std::vector<std::pair<EmittedLayer, Vec3d>> layers;  // each with its middle [m]
  int count = 0;
  for (;; ++layers_) {
    const double left = parameters_.start_time + static_cast<double>(layers_) * interval;
    if (left > time || left >= parameters_.end_time) break;
    const EmittedLayer layer = layer_of(layers_);
    if (particles_ + layer.count > parameters_.max_particles) {
      if (replaces_) continue;  // it lapses, for its place has passed when there is room
      break;
    }
    layers.emplace_back(layer, centre + direction_ * (parameters_.velocity * (time - left)));
    particles_ += layer.count;
    count += layer.count;
  }
  if (count == 0) return emitted;
  if (points_.empty()) points_.assign(lattice_);
  int id = particles.id_end();
  int first = particles.add_room(system_index_, count).first;
  const Vec3 velocity = emitted_velocity(parameters_);
  const float mass = static_cast<float>(density0_ * spacing_ * spacing_ * spacing_);
  for (const auto& [layer, middle] : layers) {
    launch(layer.count, EmitLayer{points_.const_view(), layer, middle, velocity, mass, 1 / mass,
                                  static_cast<float>(0.5 * spacing_), first, id, parameters_.body,
                                  system_index_, particles.view()});
    first += layer.count;
    id += layer.count;
    for (int k = 0; k < layer.count; ++k) {
      const Vec3 position = to_float(middle + lattice_[size_t(layer.place(k))]);
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
