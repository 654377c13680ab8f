#include "solvers/geometry/skinning/surface_pieces.h"

#include "device/compact.h"
#include "device/launch.h"

MERGANSER_BEGIN

namespace {

/// Corner 3t + k is the k-th of triangle t.
MERGANSER_FN int vertex_at(const MeshTriangle& triangle, int k) {
  return k == 0 ? triangle.a : k == 1 ? triangle.b : triangle.c;
}

/// The particle that a triangle moves with.
struct TriangleAnchor {
  View<const MeshTriangle> triangle;
  View<const int> nearest;  ///< by vertex
  Ties tied;
  MERGANSER_METHOD int operator()(int t) const {
    const int a = nearest[triangle[t].a], b = nearest[triangle[t].b], c = nearest[triangle[t].c];
    return !tied(a, b) && !tied(a, c) && tied(b, c) ? b : a;
  }
};

struct OwnVertices {
  static constexpr const char* name = "skin own vertices";
  View<const int> nearest;
  View<FollowingVertex> vertex;
  MERGANSER_METHOD void operator()(int v) const { vertex[v] = {v, nearest[v]}; }
};

/// Corners of triangles that move with another piece than the vertex there.
struct ForeignCorners {
  static constexpr const char* name = "skin foreign corners";
  TriangleAnchor anchor;
  View<int> foreign;
  MERGANSER_METHOD void operator()(int t) const {
    const int own = anchor(t);
    for (int k = 0; k < 3; ++k)
      foreign[3 * t + k] = !anchor.tied(own, anchor.nearest[vertex_at(anchor.triangle[t], k)]);
  }
};

/// Equal for corners that share a copy: vertex, and fragment or, within the vertex's fragment, particle.
struct CornerKeys {
  static constexpr const char* name = "skin corner keys";
  TriangleAnchor anchor;
  View<const int> corner;
  View<Word64> key;
  MERGANSER_METHOD void operator()(int k) const {
    const int t = corner[k] / 3, v = vertex_at(anchor.triangle[t], corner[k] % 3), own = anchor(t);
    const View<const int>& fragment = anchor.tied.fragment;
    const unsigned piece =
        fragment[own] != fragment[anchor.nearest[v]] ? unsigned(fragment[own]) : 0x80000000u | unsigned(own);
    key[k] = Word64(unsigned(v)) << 32 | piece;
  }
};

struct FirstOfKey {
  static constexpr const char* name = "skin first of key";
  View<const Word64> key;
  View<int> is_first;
  MERGANSER_METHOD void operator()(int k) const { is_first[k] = k == 0 || key[k] != key[k - 1]; }
};

/// A copy's anchor is that of its first triangle.
struct CopyVertices {
  static constexpr const char* name = "skin copy vertices";
  TriangleAnchor anchor;
  View<const Word64> key;
  View<const int> corner, is_first, copies_before;
  View<FollowingVertex> copy;
  MERGANSER_METHOD void operator()(int k) const {
    if (is_first[k]) copy[copies_before[k]] = {static_cast<int>(key[k] >> 32), anchor(corner[k] / 3)};
  }
};

/// `number` of a corner's copy; one corner is written by one index.
struct UseCopies {
  static constexpr const char* name = "skin use copies";
  View<const int> corner, is_first, copies_before;
  int first_copy;
  View<MeshTriangle> triangle;
  MERGANSER_METHOD void operator()(int k) const {
    const int number = first_copy + copies_before[k] + is_first[k] - 1;
    MeshTriangle& t = triangle[corner[k] / 3];
    (corner[k] % 3 == 0 ? t.a : corner[k] % 3 == 1 ? t.b : t.c) = number;
  }
};

}  // namespace

void SurfacePieces::split(View<const MeshTriangle> triangle, const VertexSupportsView& supports,
                          const Ties& tied) {
  const TriangleAnchor anchor{triangle, supports.nearest, tied};
  const int own = supports.nearest.count, corners = 3 * triangle.count;
  triangle_.assign(triangle);
  foreign_.resize(corners);
  corner_.resize(corners);
  count_.resize(1);
  launch(triangle.count, ForeignCorners{anchor, foreign_.view()});
  compact_indices(foreign_.const_view(), corner_.view(), count_.view(), offsets_, scratch_);
  const int foreign = read_back(count_.const_view(), 0);
  corner_.resize(foreign);
  key_.resize(foreign);
  is_first_.resize(foreign);
  copies_before_.resize(foreign + 1);
  launch(foreign, CornerKeys{anchor, corner_.const_view(), key_.view()});
  stable_sort_by_key(key_.view(), corner_.view(), scratch_);
  launch(foreign, FirstOfKey{key_.const_view(), is_first_.view()});
  exclusive_scan(is_first_.const_view(), copies_before_.view(), scratch_);
  const int copies = foreign > 0 ? read_back(copies_before_.const_view(), foreign) : 0;
  vertex_.resize(own + copies);
  launch(own, OwnVertices{supports.nearest, vertex_.view()});
  launch(foreign, CopyVertices{anchor, key_.const_view(), corner_.const_view(), is_first_.const_view(),
                               copies_before_.const_view(), vertex_.view().subview(own, copies)});
  launch(foreign, UseCopies{corner_.const_view(), is_first_.const_view(), copies_before_.const_view(), own,
                            triangle_.view()});
}

MERGANSER_END
