#pragma once
/// Particle data of a fluid for pair loops, packed into 16-byte pieces.
#include "device/launch.h"
#include "solvers/methods/fluid/neighbor_sum.h"

MERGANSER_BEGIN

struct PackParticles {
  static constexpr const char* name = "sph pack";
  View<const Vec3> position, velocity;
  View<const float> compression;
  View<Quad> packed_position, packed_velocity;
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 x = position[i], v = velocity[i];
    packed_position[i] = {x.x, x.y, x.z, compression[i]};
    packed_velocity[i] = {v.x, v.y, v.z, 0};
  }
};

struct PackCompression {
  static constexpr const char* name = "sph pack compression";
  View<const float> compression;
  View<Quad> packed_position;
  MERGANSER_METHOD void operator()(int i) const { packed_position[i].w = compression[i]; }
};

struct PackVelocity {
  static constexpr const char* name = "sph pack velocity";
  View<const Vec3> velocity;
  View<Quad> packed_velocity;
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 v = velocity[i];
    packed_velocity[i] = {v.x, v.y, v.z, packed_velocity[i].w};
  }
};

MERGANSER_END
