#include "solvers/core/emitter.h"

#include <cmath>

#include "solvers/core/estimate.h"

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
    if (k == 0 || places[k].ring() != places[k - 1].ring()) ring_.push_back(k);
    lattice_.push_back(across * (places[k].a * spacing_) + up * (places[k].b * spacing_));
  }
}

std::int64_t Emitter::particles_before(std::int64_t layer) const {
  return static_cast<std::int64_t>(particles_of_layers(static_cast<double>(layer), layer_));
}

std::vector<Vec3d> Emitter::places_of(std::int64_t layer) const {
  const std::int64_t before = particles_before(layer);
  const size_t count = static_cast<size_t>(particles_before(layer + 1) - before);
  size_t r = 0;
  while (r + 1 < ring_.size() && ring_[r + 1] <= count) ++r;
  std::vector<Vec3d> places(lattice_.begin(), lattice_.begin() + std::ptrdiff_t(ring_[r]));
  const size_t first = ring_[r], end = r + 1 < ring_.size() ? ring_[r + 1] : lattice_.size();
  const size_t on_ring = end - first, rest = count - first;
  for (size_t k = 0; k < rest; ++k)
    places.push_back(lattice_[first + (size_t(before) + k * on_ring / rest) % on_ring]);
  return places;
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
    const std::vector<Vec3d> places = places_of(layers_);
    if (particles_ + std::int64_t(places.size()) > parameters_.max_particles) break;
    const Vec3d middle = centre + direction_ * (parameters_.velocity * (time - left));
    for (const Vec3d& x : places) {
      emitted.position.push_back(to_float(middle + x));
      emitted.velocity.push_back(velocity);
      emitted.mass.push_back(mass);
      emitted.inverse_mass.push_back(1 / mass);
      emitted.radius.push_back(static_cast<float>(0.5 * spacing_));
      emitted.id.push_back(next_id++);
      emitted.body.push_back(parameters_.body);
      emitted.system.push_back(system_index_);
    }
    particles_ += std::int64_t(places.size());
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
