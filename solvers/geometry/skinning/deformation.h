#pragma once
/// Deformation gradients of a body's particles, from its rest shape.
#include "device/uniform_grid.h"
#include "solvers/core/smoothing_kernels.h"
#include "solvers/geometry/skinning/local_map.h"

MERGANSER_BEGIN

/// What a surface follows: a particle's motion with its surroundings. Offsets X at rest go to F X.
struct ParticleMotion {
  Vec3 position, velocity;            ///< [m], [m/s]
  Matrix3<float> gradient{}, rate{};  ///< F [1], dF/dt [1/s]
  int fragment = 0;

  /// Where the motion takes the offset X at rest, relative to `origin`, and how fast.
  MERGANSER_METHOD Vec3 place(const Vec3& offset, const Vec3& origin) const {
    return gradient * offset + (position - origin);
  }
  MERGANSER_METHOD Vec3 speed(const Vec3& offset) const { return rate * offset + velocity; }
};

/// F_j and its rate ([ES] eq. 7, 8) over the neighbors at rest that belong to the same fragment. Particles in
/// the grid's order.
struct DeformationGradients {
  static constexpr const char* name = "skin deformation gradients";
  UniformGridView grid;  ///< of rest positions, which are permuted
  CubicSpline<float> kernel;
  float support;  ///< [m]
  View<const Vec3> position, velocity;
  View<const int> fragment;
  View<ParticleMotion> motion;

  MERGANSER_METHOD void operator()(int j) const {
    const Vec3d at = to_double(position[j]), velocity_there = to_double(velocity[j]);
    OffsetMoments moments;
    grid.for_each_neighbor(grid.position[j], support, [&](int i, const Vec3& from_i, float r2) {
      if (i == j || fragment[i] != fragment[j]) return;
      moments.add(-kernel.gradient_factor(sqrtf(r2)), -to_double(from_i), to_double(position[i]) - at,
                  to_double(velocity[i]) - velocity_there);
    });
    const LocalMap map = local_map(moments);
    motion[j] = {position[j], velocity[j], narrowed(map.value), narrowed(map.rate), fragment[j]};
  }

 private:
  MERGANSER_METHOD static Matrix3<float> narrowed(const Matrix3<double>& a) {
    return {to_float(a.x), to_float(a.y), to_float(a.z)};
  }
};

MERGANSER_END
