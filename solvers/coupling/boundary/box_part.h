#pragma once
/// The part of a kernel in a box, exact for faces, edges and corners, however thin the box.
#include "solvers/coupling/boundary/wall_part.h"

MERGANSER_BEGIN

/// Integrals of W over the block between the kernel's centre and (a, b, c), and over the face at a of it, all
/// lengths in units of h.
struct BlockSample {
  float volume;  ///< int_0^a int_0^b int_0^c W
  float face;    ///< int_0^b int_0^c W at x = a
};

/// A box is the signed sum of eight blocks between the kernel's centre and its corners. The kernel is even in
/// every coordinate, so a block's integral is odd in each of a, b, c; beyond the support nothing is added.
struct BoxPartView {
  View<const BlockSample> sample;  ///< over a, b, c in [0, 2], equal spacing, c fastest
  int nodes = 0;                   ///< along an axis

  /// Of a box between low and high, relative to the kernel's centre, in units of h.
  MERGANSER_METHOD WallPart at(const Vec3& low, const Vec3& high) const {
    const float bound[3][2] = {{low.x, high.x}, {low.y, high.y}, {low.z, high.z}};
    float volume = 0, face[3][2] = {{0, 0}, {0, 0}, {0, 0}};
    for (int corner = 0; corner < 8; ++corner) {
      const int side[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
      const float p[3] = {bound[0][side[0]], bound[1][side[1]], bound[2][side[2]]};
      float sign[3];
      for (int axis = 0; axis < 3; ++axis)
        sign[axis] = (side[axis] ? 1.0f : -1.0f) * (p[axis] < 0 ? -1.0f : 1.0f);
      for (int axis = 0; axis < 3; ++axis) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        const BlockSample s = block(fabsf(p[axis]), fabsf(p[u]), fabsf(p[v]));
        face[axis][side[axis]] += sign[u] * sign[v] * s.face;
        if (axis == 0) volume += sign[0] * sign[1] * sign[2] * s.volume;
      }
    }
    WallPart part{volume, {face[0][0] - face[0][1], face[1][0] - face[1][1], face[2][0] - face[2][1]}, 0};
    for (int axis = 0; axis < 3; ++axis)
      part.moment += bound[axis][1] * face[axis][1] - bound[axis][0] * face[axis][0];
    return part;
  }

 private:
  /// Trilinear.
  MERGANSER_METHOD BlockSample block(float a, float b, float c) const {
    float t[3];
    const int i = place(a, t[0]), j = place(b, t[1]), k = place(c, t[2]);
    BlockSample sum{0, 0};
    for (int corner = 0; corner < 8; ++corner) {
      const int x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
      const float weight = (x ? t[0] : 1 - t[0]) * (y ? t[1] : 1 - t[1]) * (z ? t[2] : 1 - t[2]);
      const BlockSample s = sample.data[((i + x) * nodes + j + y) * nodes + k + z];
      sum.volume += weight * s.volume;
      sum.face += weight * s.face;
    }
    return sum;
  }
  /// Cell of a coordinate, and the share of the way through it.
  MERGANSER_METHOD int place(float a, float& share) const {
    const int cells = nodes - 1;
    const float at = least_of(0.5f * a, 1.0f) * static_cast<float>(cells);
    const int k = at < static_cast<float>(cells - 1) ? static_cast<int>(at) : cells - 1;
    share = at - static_cast<float>(k);
    return k;
  }
};

inline constexpr int box_part_nodes = 49;
std::vector<BlockSample> tabulate_blocks(UnitKernel kernel);

MERGANSER_END
