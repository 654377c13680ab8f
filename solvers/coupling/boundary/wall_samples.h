#pragma once
/// Positions of a wall's boundary samples.
#include <vector>

#include "solvers/geometry/walls/rigid_pose.h"
#include "solvers/geometry/walls/wall.h"

MERGANSER_BEGIN

/// One layer of points [m] in the wall's body frame, half a spacing behind the surface and about a spacing
/// apart: where the next layer of a fluid's lattice would be. Endless walls have a piece of the layer that
/// `repeats` along so many of its directions, every `period` [m]; the piece goes on beyond one period by the
/// `reach` [m] of a kernel on all sides, and its volumes are those of the sample next to `origin`.
struct WallSamples {
  std::vector<Point3> points = {};
  Point3 origin{0, 0, 0};
  Point3 direction[2]{};
  double period[2]{0, 0};
  int repeats = 0;
};

/// Planes: a square lattice. Cylinders, spheres, capsules: rings along the profile. Obstacle boxes: the
/// surface of a lattice that fits. Meshes: mesh_samples.h. Throws InputError where a mesh has room for none.
WallSamples sample_wall(const Wall& wall, const WallMesh* mesh, double spacing, double reach);

MERGANSER_END
