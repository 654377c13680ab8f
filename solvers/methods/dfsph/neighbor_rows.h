#pragma once
/// Neighbors of every particle as rows of equal room, built once a step and read by every pressure iteration.
///
/// The CPU keeps a row together and fills it up to a multiple of lane_count with the particle itself, whose
/// distance of 0 makes every antisymmetric pair formula vanish. The GPU interleaves the rows of 32 particles,
/// so that the threads of a warp read consecutive words. An entry is the distance j - i to the neighbor's
/// index, which is short as long as a layer of cells holds few particles; where it does not fit into 16 bits,
/// all rows get 32.
#include "device/array.h"
#include "device/lanes.h"
#include "device/reduce.h"
#include "device/uniform_grid.h"

MERGANSER_BEGIN

struct NeighborRowsView {
  short* near;       ///< j - i in 16 bits; nullptr where rows are of 32
  int* far;          ///< j - i in 32 bits
  View<int> length;  ///< neighbors of a particle, itself not among them; while rows are built it may exceed
                     ///< `room`, and by too_far
  int room;          ///< entries of a row

  static constexpr int warp = 32;
  /// Added to the length of a row that has a neighbor too far away for its bits.
  static constexpr int too_far = 1 << 30;

  MERGANSER_METHOD int neighbor(int i, int k) const {
    return i + (near ? near[place(i, k)] : far[place(i, k)]);
  }
  /// Writes entry k of row i; false where j is too far away.
  MERGANSER_METHOD bool set(int i, int k, int j) const {
    const int distance = j - i;
    if (!near) {
      far[place(i, k)] = distance;
      return true;
    }
    near[place(i, k)] = static_cast<short>(distance);
    return distance == static_cast<short>(distance);
  }

  /// Where entry k of row i stands, on the CPU with those behind it.
  MERGANSER_METHOD size_t place(int i, int k) const {
#if MERGANSER_GPU_HALF
    return (size_t(i / warp) * size_t(room) + size_t(k)) * warp + size_t(i % warp);
#else
    return size_t(i) * size_t(room) + size_t(k);
#endif
  }
};

/// Which particles have images: those whose kernels reach a wall.
struct ImagesSeen {
  View<const int> first;  ///< over particles and one more: where those of each begin
  MERGANSER_METHOD bool any(int i) const { return first[i] < first[i + 1]; }
};

/// What rows end with besides: the k-th of `count` others in a grid's order counts as particle number
/// particles + k. Rows of particles that have none in reach by `seen` are passed over.
struct FurtherNeighbors {
  UniformGridView grid;
  int count = 0;
  ImagesSeen seen = {};
};

class NeighborRows {
 public:
  /// All pairs nearer than `radius` [m] of a grid whose owner has permuted its particles. Blocking: the
  /// longest row is read back, and rows that have too little room are built again.
  void build(const UniformGridView& grid, float radius, const FurtherNeighbors& further = {});
  /// Where the further ones of the last build begin in each row; empty where there are none.
  View<int> first_further() { return first_further_.view(); }
  NeighborRowsView view() { return {wide_ ? nullptr : near_.data(), far_.data(), length_.view(), room_}; }

 private:
  Array<short> near_;
  Array<int> far_, length_, first_further_;
  bool wide_ = false;  ///< entries of 32 bits, once a neighbor was too far away
  int room_ = 48;
  Reduction<int> longest_;
};

MERGANSER_END
