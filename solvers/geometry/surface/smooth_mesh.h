#pragma once
/// Smoothing of closed triangle meshes, and normals from their triangles.
#include "device/array.h"
#include "device/scan.h"
#include "solvers/geometry/surface/marching_cubes.h"

MERGANSER_BEGIN

class MeshSmoother {
 public:
  /// Taubin's method (1995: A signal processing approach to fair surface design): each step moves vertices by
  /// 0.5 of the way to the mean of their neighbors and then by 0.53 away from it, so that noise goes and the
  /// volume stays. `normal` becomes the mean of the triangles' normals, weighted by area.
  void run(int steps, View<const MeshTriangle> triangle, View<Vec3> vertex, View<Vec3> normal);

 private:
  Array<unsigned> key_;
  Array<int> corner_, first_;
  Array<Vec3> moved_;
  Scratch scratch_;
};

MERGANSER_END
