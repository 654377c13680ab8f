#pragma once
/// Deformation gradients of a body's particles, from its rest shape.
#include "device/uniform_grid.h"
#include "solvers/core/smoothing_kernels.h"
#include "solvers/geometry/skinning/local_map.h"

MERGANSER_BEGIN

/// Motion of a particle with its surroundings, which a surface follows. Offsets X at rest go to F X.
struct ParticleMotion {
  Vec3 position, velocity;            ///< [m], [m/s]
  Matrix3<float> gradient{}, rate{};  ///< F [1], dF/dt [1/s]

  /// Place to which the motion takes the offset X at rest, relative to `origin`; speed() is its velocity.
  MERGANSER_METHOD Vec3 place(const Vec3& offset, const Vec3& origin) const {
    return gradient * offset + (position - origin);
  }
  MERGANSER_METHOD Vec3 speed(const Vec3& offset) const { return rate * offset + velocity; }
};

/// Ties between particles of a broken body that hold together. Those of different fragments do not, and those
/// further apart than whole bonds bear do not, although both sides of a crack may belong to one fragment.
struct Ties {
  View<const Vec3> rest, position;  ///< [m]
  View<const int> fragment;
  float most_ratio2;  ///< square of the greatest ratio of distance now to distance at rest; may be infinite
  MERGANSER_METHOD bool operator()(int i, int j) const {
    if (fragment[i] != fragment[j]) return false;
    return !(norm_squared(position[i] - position[j]) > most_ratio2 * norm_squared(rest[i] - rest[j]));
  }
};

/// F_j and its rate ([ES] eq. 7, 8) over the neighbors at rest that the particle is tied to.
struct DeformationGradients {
  static constexpr const char* name = "skin deformation gradients";
  UniformGridView grid;  ///< of rest positions; particles are numbered in its order
  CubicSpline<float> kernel;
  float support;  ///< [m]
  View<const Vec3> velocity;
  Ties tied;
  View<ParticleMotion> motion;

  MERGANSER_METHOD void operator()(int j) const {
    const Vec3d at = to_double(tied.position[j]), velocity_there = to_double(velocity[j]);
    OffsetMoments moments;
    grid.for_each_neighbor(grid.position[j], support, [&](int i, const Vec3& from_i, float r2) {
      if (i == j || !tied(i, j)) return;
      moments.add(-kernel.gradient_factor(sqrtf(r2)), -to_double(from_i), to_double(tied.position[i]) - at,
                  to_double(velocity[i]) - velocity_there);
    });
    const LocalMap map = local_map(moments);
    motion[j] = {tied.position[j], velocity[j], narrowed(map.value), narrowed(map.rate)};
  }

 private:
  MERGANSER_METHOD static Matrix3<float> narrowed(const Matrix3<double>& a) {
    return {to_float(a.x), to_float(a.y), to_float(a.z)};
  }
};

MERGANSER_END
