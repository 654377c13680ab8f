#pragma once
/// Neighbors of every particle as rows of equal room, built once a step and read by every pressure iteration.
///
/// The CPU keeps a row together and fills it up to a multiple of lane_count with the particle itself, whose
/// distance of 0 makes every antisymmetric pair formula vanish. The GPU interleaves the rows of 32 particles,
/// so that the threads of a warp read consecutive words.
#include "device/array.h"
#include "device/lanes.h"
#include "device/reduce.h"
#include "device/uniform_grid.h"

MERGANSER_BEGIN

struct NeighborRowsView {
  int* entry;
  View<int>
      length;  ///< neighbors of a particle, itself not among them; may exceed `room` while they are built
  int room;    ///< entries of a row

  /// Entry k of row i and, on the CPU, those behind it.
  MERGANSER_METHOD int* at(int i, int k) const {
#if MERGANSER_GPU_HALF
    return entry + (size_t(i / warp) * size_t(room) + size_t(k)) * warp + size_t(i % warp);
#else
    return entry + size_t(i) * size_t(room) + size_t(k);
#endif
  }
  static constexpr int warp = 32;
};

class NeighborRows {
 public:
  /// All pairs nearer than `radius` [m] of a grid whose owner has permuted its particles. Blocking: the
  /// longest row is read back, and rows that have too little room are built again.
  void build(const UniformGridView& grid, float radius);
  NeighborRowsView view() { return {memory_.data(), length_.view(), room_}; }

 private:
  Array<int> memory_, length_;
  int room_ = 48;
  Reduction<int> longest_;
};

MERGANSER_END
