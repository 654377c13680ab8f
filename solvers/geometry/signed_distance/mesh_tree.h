#pragma once
/// A triangle mesh prepared for questions about its surface: a tree of boxes around its triangles, and the
/// directions that tell its sides apart.
#include <vector>

#include "solvers/geometry/sampling/mesh.h"

namespace merganser {

/// A box around some triangles [m]. Inner nodes have two children, `first` and `first` + 1.
struct TreeNode {
  float low[3], high[3];
  int first;  ///< of a leaf's triangles, or of the children
  int count;  ///< of a leaf's triangles, 0 = inner node
};

/// A triangle as the search reads it. `normal` holds the unit pseudonormals of its three corners, of its
/// edges (0 1), (1 2) and (2 0), and of its face.
struct TreeTriangle {
  float corner[3][3];  ///< [m]
  float normal[7][3];
};

/// Node 0 is the root; triangles stand in the order of the leaves. `source` names the mesh's triangle of
/// each.
///
/// Pseudonormals (Baerentzen and Aanaes 2005, eq. 4): that of a corner is the sum of the normals of the faces
/// around it, each weighted by its angle there; that of an edge the sum of the normals of its faces. A point
/// is outside of a closed mesh where its way from the nearest surface point runs along that point's
/// pseudonormal.
struct MeshTree {
  static constexpr int leaf_size = 4, most_depth = 60;
  std::vector<TreeNode> nodes;
  std::vector<TreeTriangle> triangles;
  std::vector<int> source;
};

/// A solid made of a mesh, and how it is sampled on a grid.
struct FieldParameters {
  double thickness = 0;  ///< [m] > 0: all within half of it of the surface; 0: what a closed mesh encloses
  bool inside = false;   ///< particles live inside of the closed mesh: the solid is all the rest
  double cell = 0;       ///< [m] of the grid
  double reach = 0;      ///< [m] around the surface, where the grid is that fine
};

/// Triangles without an area are left out. Throws InputError where none is left.
MeshTree make_mesh_tree(const TriangleMesh& mesh);

}  // namespace merganser
