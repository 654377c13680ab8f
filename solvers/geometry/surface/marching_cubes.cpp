#include "solvers/geometry/surface/marching_cubes.h"

#include "solvers/geometry/surface/cube_table.h"
#include "solvers/geometry/surface/surface_kernel.h"

MERGANSER_BEGIN

namespace {

/// Vertices keep this share of an edge from its ends, so that no triangle degenerates to a point.
constexpr float least_share = 1e-3f;

/// A word of the brick and of the seven bricks beyond it; 0 where there is none.
struct CornerWords {
  Word64 corner[8];  ///< for each point: that of the point at corner c of its cell

  MERGANSER_METHOD CornerWords(const int* around, View<const Word64> inside, bool known) {
    Word64 line[4];  // corners (0, y, z) and, below, (1, y, z), of the bricks at y, z
    Word64 next[4];
    for (int m = 0; m < 4; ++m) {
      const int row = 9 * (1 + (m >> 1)) + 3 * (1 + (m & 1));
      line[m] = word(around[row + 1], inside, known);
      next[m] = from_next(0, line[m], word(around[row + 2], inside, known));
    }
    for (int x = 0; x < 2; ++x) {
      const Word64* const w = x == 0 ? line : next;
      const Word64 low = from_next(1, w[0], w[1]), high = from_next(1, w[2], w[3]);
      corner[x] = w[0];
      corner[x | 2] = low;
      corner[x | 4] = from_next(2, w[0], w[2]);
      corner[x | 6] = from_next(2, low, high);
    }
  }
  /// Corners of one cell, a bit each.
  MERGANSER_METHOD int of_cell(int bit) const {
    int corners = 0;
    for (int c = 0; c < 8; ++c) corners |= int(corner[c] >> bit & 1) << c;
    return corners;
  }
  MERGANSER_METHOD Word64 any() const {
    Word64 word = 0;
    for (int c = 0; c < 8; ++c) word |= corner[c];
    return word;
  }
  MERGANSER_METHOD Word64 all() const {
    Word64 word = ~Word64(0);
    for (int c = 0; c < 8; ++c) word &= corner[c];
    return word;
  }

 private:
  MERGANSER_METHOD static Word64 word(int rank, View<const Word64> inside, bool known) {
    return rank < 0 ? 0 : known ? ~Word64(0) : inside[rank];
  }
};

struct CountMesh {
  static constexpr const char* name = "surface count mesh";
  View<const int> neighbors;
  View<const Word64> inside;
  View<const signed char> table;
  View<Word64> crossed;
  View<int> vertices, triangles;
  MERGANSER_METHOD void operator()(int rank) const {
    const int* around = neighbors.data + 27 * size_t(rank);
    const CornerWords is_inside(around, inside, false), is_known(around, inside, true);
    int count = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const Word64 word = (is_inside.corner[0] ^ is_inside.corner[1 << axis]) & is_known.corner[1 << axis];
      crossed[3 * rank + axis] = word;
      count += bit_count(word);
    }
    vertices[rank] = count;
    int faces = 0;
    for (Word64 cells = is_inside.any() & ~is_inside.all() & is_known.all(); cells != 0; cells &= cells - 1)
      faces += table[CubeTable::stride * is_inside.of_cell(lowest_bit(cells))];
    triangles[rank] = faces;
  }
};

struct WriteVertices {
  static constexpr const char* name = "surface vertices";
  View<const int> neighbors;
  View<const Word64> key, crossed;
  View<const int> slot;  ///< by rank
  View<const float> value;
  BrickLattice lattice;
  View<const int> first;
  View<Vec3> vertex;
  View<CrossedEdge> edge;
  MERGANSER_METHOD void operator()(int rank) const {
    int at = first[rank];
    const Int3 brick = brick_of_key(key[rank]);
    for (int axis = 0; axis < 3; ++axis) {
      const int stride = 1 << (2 * axis), step = axis == 0 ? 1 : axis == 1 ? 3 : 9;
      for (Word64 edges = crossed[3 * rank + axis]; edges != 0; edges &= edges - 1) {
        const int bit = lowest_bit(edges);
        const bool last = (layer(axis, 3) >> bit & 1) != 0;
        const int beyond = last ? neighbors[27 * rank + brick_itself + step] : rank;
        const float low = value_at(rank, bit),
                    high = value_at(beyond, last ? bit - 3 * stride : bit + stride);
        const float t = (field_iso_value - low) / (high - low);
        const float share = t < least_share ? least_share : t > 1 - least_share ? 1 - least_share : t;
        const Int3 point = BrickLattice::point(brick, bit);
        Vec3 x = lattice.position(point);
        (axis == 0 ? x.x : axis == 1 ? x.y : x.z) += share * lattice.cell;
        vertex[at] = x;
        edge[at++] = {point, axis};
      }
    }
  }

 private:
  MERGANSER_METHOD float value_at(int rank, int bit) const {
    return value.data[size_t(slot[rank]) * brick_points + bit];
  }
};

struct WriteTriangles {
  static constexpr const char* name = "surface triangles";
  View<const int> neighbors;
  View<const Word64> inside, crossed;
  View<const signed char> table;
  View<const int> vertex_first, first;
  View<MeshTriangle> triangle;
  MERGANSER_METHOD void operator()(int rank) const {
    const int* around = neighbors.data + 27 * size_t(rank);
    const CornerWords is_inside(around, inside, false), is_known(around, inside, true);
    int at = first[rank];
    for (Word64 cells = is_inside.any() & ~is_inside.all() & is_known.all(); cells != 0; cells &= cells - 1) {
      const int bit = lowest_bit(cells);
      const signed char* entry = table.data + CubeTable::stride * is_inside.of_cell(bit);
      for (int t = 0; t < entry[0]; ++t) {
        const signed char* edges = entry + 1 + 3 * t;
        triangle[at++] = {vertex_of(around, bit, edges[0]), vertex_of(around, bit, edges[1]),
                          vertex_of(around, bit, edges[2])};
      }
    }
  }

 private:
  /// Index of the vertex on an edge of the cell at point `bit` of the brick with these neighbors.
  MERGANSER_METHOD int vertex_of(const int* around, int bit, int edge) const {
    const int axis = edge / 4, corner = edge_corner(edge);
    const int x = (bit & 3) + (corner & 1), y = (bit >> 2 & 3) + (corner >> 1 & 1),
              z = (bit >> 4) + (corner >> 2);
    const int rank = around[brick_itself + (x >> 2) + 3 * (y >> 2) + 9 * (z >> 2)];
    const int point = (x & 3) + 4 * (y & 3) + 16 * (z & 3);
    int index = vertex_first[rank];
    for (int a = 0; a < axis; ++a) index += bit_count(crossed[3 * rank + a]);
    return index + bit_count(crossed[3 * rank + axis] & ((Word64(1) << point) - 1));
  }
};

}  // namespace

MarchingCubes::MarchingCubes() {
  const auto& entries = cube_table().entry;
  table_.assign(std::vector<signed char>(entries.begin(), entries.end()));
}

void MarchingCubes::run(const BrickGrid& bricks, View<const float> value, View<const Word64> inside,
                        float cell) {
  const int count = bricks.count();
  crossed_.resize(3 * count);
  vertex_first_.resize(count + 1);
  triangle_first_.resize(count + 1);
  const View<int> vertices = vertex_first_.view().subview(0, count),
                  triangles = triangle_first_.view().subview(0, count);
  launch(count,
         CountMesh{bricks.neighbors(), inside, table_.const_view(), crossed_.view(), vertices, triangles});
  exclusive_scan(vertices, vertex_first_.view(), scratch_);
  exclusive_scan(triangles, triangle_first_.view(), scratch_);
  vertex_.resize(read_back(vertex_first_.const_view(), count));
  edge_.resize(vertex_.size());
  triangle_.resize(read_back(triangle_first_.const_view(), count));
  launch(count, WriteVertices{bricks.neighbors(),
                              bricks.sorted_key(),
                              crossed_.const_view(),
                              bricks.sorted_slot(),
                              value,
                              {cell},
                              vertex_first_.const_view(),
                              vertex_.view(),
                              edge_.view()});
  launch(count, WriteTriangles{bricks.neighbors(), inside, crossed_.const_view(), table_.const_view(),
                               vertex_first_.const_view(), triangle_first_.const_view(), triangle_.view()});
}

MERGANSER_END
