#include "solvers/geometry/surface/smooth_mesh.h"

#include "device/launch.h"
#include "device/sort.h"

MERGANSER_BEGIN

namespace {

constexpr float shrink = 0.5f, inflate = -0.53f;

MERGANSER_FN int corner_vertex(const MeshTriangle& t, int corner) {
  return corner == 0 ? t.a : corner == 1 ? t.b : t.c;
}

struct CornerKeys {
  static constexpr const char* name = "surface corner keys";
  View<const MeshTriangle> triangle;
  View<unsigned> key;
  View<int> corner;
  MERGANSER_METHOD void operator()(int i) const {
    key[i] = static_cast<unsigned>(corner_vertex(triangle[i / 3], i % 3));
    corner[i] = i;
  }
};

/// first[v] = number of corners of vertices before v.
struct CornerRows {
  static constexpr const char* name = "surface corner rows";
  View<const unsigned> key;
  View<int> first;
  MERGANSER_METHOD void operator()(int v) const {
    int low = 0, high = key.count;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (key[middle] < static_cast<unsigned>(v))
        low = middle + 1;
      else
        high = middle;
    }
    first[v] = low;
  }
};

/// x + factor (mean of the neighbors - x). In a closed oriented mesh every neighbor follows the vertex in
/// exactly one triangle.
struct MoveVertices {
  static constexpr const char* name = "surface smooth";
  View<const MeshTriangle> triangle;
  View<const int> corner, first;
  float factor;
  View<const Vec3> vertex;
  View<Vec3> moved;
  MERGANSER_METHOD void operator()(int v) const {
    Vec3 sum{0, 0, 0};
    const int begin = first[v], end = first[v + 1];
    for (int i = begin; i < end; ++i)
      sum += vertex[corner_vertex(triangle[corner[i] / 3], (corner[i] + 1) % 3)] - vertex[v];
    moved[v] = begin < end ? vertex[v] + (factor / float(end - begin)) * sum : vertex[v];
  }
};

struct TriangleNormals {
  static constexpr const char* name = "surface triangle normals";
  View<const MeshTriangle> triangle;
  View<const int> corner, first;
  View<const Vec3> vertex;
  View<Vec3> normal;
  MERGANSER_METHOD void operator()(int v) const {
    Vec3 sum{0, 0, 0};
    for (int i = first[v]; i < first[v + 1]; ++i) {
      const MeshTriangle& t = triangle[corner[i] / 3];
      sum += cross(vertex[t.b] - vertex[t.a], vertex[t.c] - vertex[t.a]);
    }
    // Scaled to the size of one, because squares of areas leave the range of float.
    const float largest = most_of(fabsf(sum.x), most_of(fabsf(sum.y), fabsf(sum.z)));
    normal[v] = largest > 0 ? normalized_or_zero(sum / largest) : Vec3{0, 0, 0};
  }
};

}  // namespace

void MeshSmoother::run(int steps, View<const MeshTriangle> triangle, View<Vec3> vertex, View<Vec3> normal) {
  const int corners = 3 * triangle.count;
  key_.resize(corners);
  corner_.resize(corners);
  first_.resize(vertex.count + 1);
  moved_.resize(vertex.count);
  launch(corners, CornerKeys{triangle, key_.view(), corner_.view()});
  stable_sort_by_key(key_.view(), corner_.view(), scratch_);
  launch(vertex.count + 1, CornerRows{key_.const_view(), first_.view()});
  for (int step = 0; step < steps; ++step) {
    launch(vertex.count,
           MoveVertices{triangle, corner_.const_view(), first_.const_view(), shrink, vertex, moved_.view()});
    launch(vertex.count, MoveVertices{triangle, corner_.const_view(), first_.const_view(), inflate,
                                      moved_.const_view(), vertex});
  }
  launch(vertex.count, TriangleNormals{triangle, corner_.const_view(), first_.const_view(), vertex, normal});
}

MERGANSER_END
