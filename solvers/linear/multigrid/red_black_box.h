#pragma once
/// Cells of a box, stored by color: first all red cells, then all black ones.
///
/// The box has a layer of padding around it and an odd number of cells along x and y, so the parity of the
/// flat index i = x + nx (y + ny z) is that of x + y + z: even cells are red, odd ones black. Every neighbor
/// of a cell has the other color, at a constant distance in that color's half, so sweeps over one color read
/// and write contiguous memory.
#include "device/launch.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

struct RedBlackBox {
  Int3 size{0, 0, 0};  ///< with the padding

  RedBlackBox() = default;
  /// Room for `cells` inside the padding.
  explicit RedBlackBox(Int3 cells) : size{(cells.x + 2) | 1, (cells.y + 2) | 1, cells.z + 2} {}
  MERGANSER_METHOD int count() const { return size.x * size.y * size.z; }
  MERGANSER_METHOD int half() const { return (count() + 1) / 2; }
  MERGANSER_METHOD int stride_y() const { return size.x; }
  MERGANSER_METHOD int stride_z() const { return size.x * size.y; }
  /// Padded coordinates: the first cell inside is (1, 1, 1).
  MERGANSER_METHOD int flat(int x, int y, int z) const { return x + size.x * (y + size.y * z); }
  /// Slot of a flat index.
  MERGANSER_METHOD int slot(int flat) const { return (flat >> 1) + (flat & 1) * half(); }
  MERGANSER_METHOD int slot(int x, int y, int z) const { return slot(flat(x, y, z)); }
  /// First index within a color whose six neighbors exist, and the number of such indices: all planes of z
  /// but the first and last.
  MERGANSER_METHOD int first_inside(int color) const { return (stride_z() - color + 1) / 2; }
  MERGANSER_METHOD int count_inside(int color) const {
    return (count() - stride_z() - color + 1) / 2 - first_inside(color);
  }
};

/// Distances, within the other color's half, from a cell to its neighbors.
struct ColorOffsets {
  int lower[3]{}, upper[3]{};
  ColorOffsets() = default;
  ColorOffsets(const RedBlackBox& box, int color) {
    const int strides[3] = {1, box.stride_y(), box.stride_z()};
    for (int axis = 0; axis < 3; ++axis) {
      lower[axis] = color - (strides[axis] + 1) / 2;
      upper[axis] = color + (strides[axis] - 1) / 2;
    }
  }
};

/// Cells that one index of a kernel works on where it walks contiguous memory: a run that fills vector
/// registers on the CPU, one cell on the GPU.
inline constexpr int cells_per_index = MERGANSER_GPU_HALF ? 1 : 256;
MERGANSER_FN int runs_of_cells(int cells) { return (cells + cells_per_index - 1) / cells_per_index; }

/// Work of a functor on cells [0, count), in runs whose cells do not depend on each other.
template <class Functor>
struct CellRuns {
  static constexpr const char* name = Functor::name;
  Functor functor;
  int count;
  MERGANSER_METHOD void operator()(int run) const {
    const int begin = run * cells_per_index;
    const int end = begin + (count - begin < cells_per_index ? count - begin : cells_per_index);
#if !MERGANSER_GPU_HALF
#pragma omp simd
#endif
    for (int i = begin; i < end; ++i) functor(i);
  }
};
template <class Functor>
void launch_runs(int count, const Functor& functor) {
  if (count > 0) launch(runs_of_cells(count), CellRuns<Functor>{functor, count});
}

/// Work of a functor(x, y, z) on all cells of a box, (1, 1, 1) to `cells`: rows along x on the CPU, cells on
/// the GPU.
template <class Functor>
struct BoxCells {
  static constexpr const char* name = Functor::name;
  Functor functor;
  Int3 cells;
  MERGANSER_METHOD void operator()(int i) const {
#if MERGANSER_GPU_HALF
    functor(1 + i % cells.x, 1 + i / cells.x % cells.y, 1 + i / cells.x / cells.y);
#else
    const int y = 1 + i % cells.y, z = 1 + i / cells.y;
    for (int x = 1; x <= cells.x; ++x) functor(x, y, z);
#endif
  }
};
template <class Functor>
void launch_cells(Int3 cells, const Functor& functor) {
  const int rows = cells.y * cells.z;
  launch(MERGANSER_GPU_HALF ? rows * cells.x : rows, BoxCells<Functor>{functor, cells});
}

MERGANSER_END
