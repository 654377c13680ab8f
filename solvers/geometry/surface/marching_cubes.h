#pragma once
/// Marching cubes on bricks: one vertex an edge that the surface crosses, shared by the cells around it.
#include "device/array.h"
#include "device/scan.h"
#include "solvers/geometry/surface/brick_grid.h"

MERGANSER_BEGIN

/// Corners of a triangle, counter-clockwise seen from outside.
struct MeshTriangle {
  int a, b, c;
};

/// The end of a crossed edge that a vertex is found from: grid point and axis.
struct CrossedEdge {
  Int3 point;  ///< the lower end
  int axis;
};

class MarchingCubes {
 public:
  MarchingCubes();
  /// `value`: 64 a slot; `inside`: a word a rank (see SurfaceSearch). Vertices are ordered by brick, axis and
  /// point, triangles by brick and cell. Blocking. Throws DeviceError where a mesh has more than 2^31 - 1
  /// vertices or triangles.
  void run(const BrickGrid& bricks, View<const float> value, View<const Word64> inside, float cell);
  View<Vec3> vertex() { return vertex_.view(); }  ///< [m]
  View<const CrossedEdge> edge() const { return edge_.view(); }
  View<const MeshTriangle> triangle() const { return triangle_.view(); }

 private:
  Array<signed char> table_;
  Array<Word64> crossed_;  ///< three words a rank: edges along x, y, z that start in a point
  Array<int> vertex_first_, triangle_first_;
  Array<Vec3> vertex_;
  Array<CrossedEdge> edge_;
  Array<MeshTriangle> triangle_;
  Scratch scratch_;
};

MERGANSER_END
