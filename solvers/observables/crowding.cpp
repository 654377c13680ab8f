#include "solvers/observables/crowding.h"

#include <algorithm>
#include <cstdio>

#include "device/launch.h"
#include "device/uniform_grid.h"
#include "solvers/base/to_vec3.h"
#include "solvers/core/method.h"
#include "solvers/core/smoothing_kernels.h"

MERGANSER_BEGIN

namespace {

/// Share of a Wendland kernel behind a plane, at a distance of s smoothing lengths before it.
MERGANSER_FN float share_behind_plane(float s) {
  const float t = 2 - fabsf(s);
  if (!(t > 0)) return s > 0 ? 0.0f : 1.0f;
  const float t2 = t * t, share = t2 * t2 * t2 * (3 * s * s + 6 * fabsf(s) + 4) * (1.0f / 512);
  return s > 0 ? share : 1 - share;
}

struct ShareOfRoom {
  static constexpr const char* name = "crowding: share of room";
  /// Particles that are larger by more than this do not count by the kernel of the smaller one: there is no
  /// room within them.
  static constexpr float larger = 2;
  ParticleConstView particles;
  UniformGridView grid;
  WallView walls;
  WendlandC2<float> unit_kernel;
  float smoothing_radii;  ///< smoothing length in radii
  float greatest_radius;  ///< [m]
  bool all;               ///< particles of other systems take room as well
  View<float> share;      ///< written

  MERGANSER_METHOD void operator()(int i) const {
    if (particles.system[i] < 0) {
      share[i] = 1;
      return;
    }
    const float radius = particles.radius[i], h = smoothing_radii * radius;
    const Vec3 x = particles.position[i];
    float open = 1;
    for (int k = 0; k < walls.count; ++k) {
      const Wall& wall = walls.data[k];
      if (wall.is_far(x, 2 * h)) continue;
      const float distance = wall.at(x).distance;
      if (distance < -radius) {
        share[i] = 0;
        return;
      }
      open *= 1 - share_behind_plane(distance / h);
    }
    float filled = 0;
    bool within = false;
    grid.for_each_neighbor(x, most_of(2 * h, greatest_radius), [&](int sorted, const Vec3&, float r2) {
      const int j = grid.order[sorted];
      if (particles.system[j] < 0 || !(all || particles.system[j] == particles.system[i])) return;
      const float other = particles.radius[j];
      if (other > larger * radius) {
        within = within || r2 < other * other;
        return;
      }
      filled += 8 * other * other * other * unit_kernel.value(sqrtf(r2) / h);
    });
    const float crowded = filled / (h * h * h * most_of(open, 0.05f));
    share[i] = within ? 0.0f : crowded > 1 ? 1 / crowded : 1.0f;
  }
};

std::string three_digits(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace

Crowding::Crowding(const InitialState& initial)
    : part_of_(initial.bodies.size(), -1),
      period_origin_(to_vec3(initial.periodic_origin)),
      period_(to_vec3(initial.periodic_length)),
      bodies_meet_(initial.coupling.method != ContactMethod::none) {
  for (size_t s = 0; s < initial.systems.size(); ++s) {
    const SystemState& system = initial.systems[s];
    const double least = system.method->least_room;
    std::vector<size_t> bodies;
    for (size_t b = 0; b < initial.bodies.size(); ++b)
      if (initial.bodies[b].system == int(s)) bodies.push_back(b);
    const bool together = is_fluid(system) && bodies.size() > 1;
    if (together) parts_.push_back({"systems." + system.name, least});
    for (const size_t b : bodies) {
      if (!together)
        parts_.push_back({"systems." + system.name + ".bodies." + initial.bodies[b].name, least});
      part_of_[b] = static_cast<int>(parts_.size()) - 1;
    }
  }
}

/// 3, or less where a period must hold three supports.
float Crowding::smoothing_radii(float greatest_radius) const {
  float most = 3;
  for (const float period : {period_.x, period_.y, period_.z})
    if (period > 0) most = std::min(most, 0.999f * period / (6 * greatest_radius));
  return most;
}

std::vector<RoomOfBody> Crowding::measure(const ParticleStore& particles, const WallView& walls) const {
  std::vector<RoomOfBody> rooms;
  for (const Part& part : parts_) rooms.push_back({part.path, 0, 0, {0, 0, 0}});
  if (particles.count() == 0) return rooms;
  const auto radius = particles.radius.to_host();
  const auto body = particles.body.to_host(), system = particles.system.to_host();
  const auto position = particles.position.to_host();
  const float greatest = *std::max_element(radius.begin(), radius.end());
  const float smoothing = smoothing_radii(greatest);
  if (smoothing < 2) {  // the period holds too few particles
    for (size_t i = 0; i < radius.size(); ++i)
      rooms[size_t(part_of_[size_t(body[i])])].needed += 8.0 * radius[i] * radius[i] * radius[i];
    for (RoomOfBody& room : rooms) room.there = room.needed;
    return rooms;
  }
  UniformGrid grid;
  grid.set_periodic(period_origin_, period_);
  grid.build(particles.position.const_view(), 2 * smoothing * greatest);
  Array<float> shares(particles.count());
  launch(particles.count(), ShareOfRoom{.particles = particles.const_view(),
                                        .grid = grid.view(),
                                        .walls = walls,
                                        .unit_kernel = WendlandC2<float>(1),
                                        .smoothing_radii = smoothing,
                                        .greatest_radius = greatest,
                                        .all = bodies_meet_,
                                        .share = shares.view()});
  const auto share = shares.to_host();
  std::vector<double> lacking(rooms.size(), 0);
  for (size_t i = 0; i < share.size(); ++i) {
    if (system[i] < 0) continue;
    const auto part = size_t(part_of_[size_t(body[i])]);
    const double volume = 8.0 * radius[i] * radius[i] * radius[i], lacks = volume * (1.0 - double(share[i]));
    rooms[part].needed += volume;
    rooms[part].there += volume - lacks;
    lacking[part] += lacks;
    const Vec3d x = to_double(position[i]);
    rooms[part].place[0] += lacks * x.x;
    rooms[part].place[1] += lacks * x.y;
    rooms[part].place[2] += lacks * x.z;
  }
  for (size_t k = 0; k < rooms.size(); ++k)
    for (double& x : rooms[k].place) x = lacking[k] > 0 ? x / lacking[k] : 0;
  return rooms;
}

std::vector<std::string> Crowding::new_warnings(const ParticleStore& particles, const WallView& walls) {
  std::vector<std::string> said;
  const std::vector<RoomOfBody> rooms = measure(particles, walls);
  for (size_t k = 0; k < rooms.size(); ++k) {
    const RoomOfBody& room = rooms[k];
    if (!(room.there < parts_[k].least * room.needed) || !named_.insert(room.path).second) continue;
    said.push_back(room.path + " needs a volume of " + three_digits(room.needed) + " m^3 and has " +
                   three_digits(room.there) + " m^3, around (" + three_digits(room.place[0]) + ", " +
                   three_digits(room.place[1]) + ", " + three_digits(room.place[2]) +
                   ") m: particles lie in each other or behind walls; make room for it, or take less of it");
  }
  return said;
}

MERGANSER_END
