#pragma once
/// Vertices of a surface that follow the particles around them.
#include "solvers/geometry/skinning/deformation.h"
#include "solvers/geometry/skinning/surface_pieces.h"

MERGANSER_BEGIN

/// x_k = sum_j W_kj (F_j X_kj + x_j) / sum_j W_kj ([ES] eq. 38, 39 with equal volumes) over the particles in
/// whose supports the vertex lies at rest and that its anchor p is tied to, and its rate. Without such
/// particles it moves with the anchor alone: x = x_p + F_p X. Sums refer to the anchor, so that they round in
/// lengths of a support and not of the scene.
struct FollowParticles {
  static constexpr const char* name = "skin follow particles";
  View<const FollowingVertex> vertex;
  View<const Vec3> rest_vertex;  ///< [m] at rest
  VertexSupportsView supports;
  View<const ParticleMotion> motion;
  Ties tied;
  View<Vec3> position, velocity;  ///< [m], [m/s], written

  MERGANSER_METHOD void operator()(int k) const {
    const int v = vertex[k].vertex, anchor = vertex[k].anchor;
    const Vec3 origin = motion[anchor].position, x = rest_vertex[v];
    Vec3 place{}, speed{};
    float sum = 0;
    for (int e = supports.first[v]; e < supports.first[v + 1]; ++e) {
      const int j = supports.particle[e];
      if (!tied(anchor, j)) continue;
      const float w = supports.weight[e];
      const Vec3 offset = x - tied.rest[j];
      place += w * motion[j].place(offset, origin);
      speed += w * motion[j].speed(offset);
      sum += w;
    }
    if (!(sum > 0)) {
      place = motion[anchor].place(x - tied.rest[anchor], origin);
      speed = motion[anchor].speed(x - tied.rest[anchor]);
      sum = 1;
    }
    position[k] = origin + place / sum;
    velocity[k] = speed / sum;
  }
};

MERGANSER_END
