#pragma once
/// The Euclidean rows of a neighbor graph: how they are ordered, and what they inherit from the update
/// before.
#include <cmath>

#include "device/launch.h"
#include "device/uniform_grid.h"
#include "device/vector_math.h"
#include "solvers/geometry/topology/neighbor_graph.h"

MERGANSER_BEGIN

/// |d|^2 with the rounding spelt out: the same bits for d and -d and in every kernel, so that "within 2h" and
/// "close" are symmetric.
MERGANSER_FN float pair_distance2(const Vec3& d) { return fmaf(d.z, d.z, fmaf(d.y, d.y, d.x * d.x)); }

/// Particles in the order of a grid's cells, one array a field.
struct CellOrder {
  View<float> x, y, z;  ///< [m]
  View<int> id;
};

struct FillCellOrder {
  static constexpr const char* name = "topology cell order";
  UniformGridView grid;
  View<const int> id;
  CellOrder sorted;
  MERGANSER_METHOD void operator()(int k) const {
    const Vec3 x = grid.position[k];
    sorted.x[k] = x.x, sorted.y[k] = x.y, sorted.z[k] = x.z;
    sorted.id[k] = id[grid.order[k]];
  }
};

/// Ids of the particles within the support radius of particle i, in no order, into row i of a table of rows
/// of one width. One pass and no branch per candidate; on the CPU distances come eight at a time.
struct ListWithinSupport {
  static constexpr const char* name = "topology list neighbors";
  UniformGridView grid;
  CellOrder sorted;
  View<const Vec3> position;  ///< [m]
  View<const int> id;
  float query_radius;  ///< [m] a little more than 2h
  float support2;      ///< [m^2] (2h)^2
  int width;           ///< of the table
  int* table;          ///< row i written, the first `width` of them
  View<int> count;     ///< written; beyond width - 1 the row does not hold all
  MERGANSER_METHOD void operator()(int i) const {
    constexpr int block = MERGANSER_GPU_HALF ? 1 : 32;
    const Vec3 x = position[i];
    const int own = id[i], last = width - 1;
    int* row = table + static_cast<size_t>(i) * static_cast<size_t>(width);
    int found = 0;
    grid.for_each_range(x, query_radius, [&](int begin, int end, const Vec3&) {
      for (int first = begin; first < end; first += block) {
        const int candidates = end - first < block ? end - first : block;
        float distance2[block];
        for (int k = 0; k < candidates; ++k)
          distance2[k] = pair_distance2({x.x - sorted.x.data[first + k], x.y - sorted.y.data[first + k],
                                         x.z - sorted.z.data[first + k]});
        for (int k = 0; k < candidates; ++k) {
          const int of_k = sorted.id.data[first + k];
          row[found < last ? found : last] = of_k;
          found += (distance2[k] < support2) & (of_k != own);
        }
      }
    });
    count[i] = found;
  }
};

/// Present index of the particle of an id; ids count from `first_id`.
struct IndexById {
  View<const int> index;
  int first_id;
  MERGANSER_METHOD int operator()(int id) const { return index[id - first_id]; }
};

struct FillIndexById {
  static constexpr const char* name = "topology index by id";
  View<const int> id;
  int first_id;
  View<int> index;  ///< written at each id's place
  MERGANSER_METHOD void operator()(int i) const { index[id[i] - first_id] = i; }
};

/// Row i of the graph from the table: ordered by ids, with the pairs' distances. The place of each id is the
/// number of smaller ones: n^2 comparisons of short rows, but eight at a time, and none of them a branch.
struct SortRowById {
  static constexpr const char* name = "topology sort rows";
  View<const int> first;
  int width;
  const int* table;
  IndexById index_of;
  View<const Vec3> position;  ///< [m]
  View<int> neighbor;         ///< row i written
  View<float> distance2;      ///< [m^2] row i written
  MERGANSER_METHOD void operator()(int i) const {
    const int begin = first[i], count = first[i + 1] - begin;
    const int* row = table + static_cast<size_t>(i) * static_cast<size_t>(width);
    const Vec3 x = position[i];
    for (int k = 0; k < count; ++k) {
      const int id = row[k];
      int smaller = 0;
      for (int l = 0; l < count; ++l) smaller += row[l] < id;
      const int j = index_of(id);
      neighbor[begin + smaller] = j;
      distance2[begin + smaller] = pair_distance2(x - position[j]);
    }
  }
};

/// The graph of the update before, with rows of then.
struct EarlierGraph {
  View<const int> first, neighbor, id;  ///< id of each row's particle
  View<const unsigned char> linked;
  View<const float> age;
};

/// Links and ages of row i from the update before, by merging two rows in the order of ids. Pairs that were
/// further apart than 2h are not linked, but for those of a new particle with its own body. Ages grow by
/// `growth` up to 1 ([TN] eq. 6). The value is the number of late pairs: those that were further apart than
/// 2h and are nearer than h/2 where they are seen first.
struct CarryLinksOver {
  static constexpr const char* name = "topology carry links over";
  EarlierGraph earlier;
  View<const int> row_then;  ///< row of each particle in the earlier graph, -1 where it is new
  View<const int> first, neighbor, id, body;
  float growth;                 ///< elapsed time / gamma
  View<const float> distance2;  ///< [m^2]
  float late2;                  ///< [m^2] (h/2)^2
  View<unsigned char> linked;   ///< row i written
  View<float> age;              ///< row i written
  MERGANSER_METHOD long long operator()(int i) const {
    long long late = 0;
    const int then = row_then[i];
    int k = then < 0 ? 0 : earlier.first[then];
    const int k_end = then < 0 ? 0 : earlier.first[then + 1];
    for (int e = first[i]; e < first[i + 1]; ++e) {
      const int j = neighbor[e], wanted = id[j];
      while (k < k_end && earlier.id[earlier.neighbor[k]] < wanted) ++k;
      const bool known = k < k_end && earlier.id[earlier.neighbor[k]] == wanted;
      const bool is_new = then < 0 || row_then[j] < 0, begins_linked = is_new && body[i] == body[j];
      const bool is_linked = known ? earlier.linked[k] != 0 : begins_linked;
      const float grown = known ? earlier.age[k] + growth : 1.0f;
      linked[e] = is_linked ? 1 : 0;
      age[e] = !is_linked ? 0.0f : grown < 1 ? grown : 1.0f;
      late += !known && !is_new && distance2[e] < late2;
    }
    return late;
  }
};

MERGANSER_END
