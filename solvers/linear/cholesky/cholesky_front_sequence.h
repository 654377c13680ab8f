#pragma once
/// The factorization in device memory, one front after the other: assembly and storage are kernels, dense
/// blocks are left to `Dense`. This is how the GPU factors, with cuSOLVER and cuBLAS; the CPU's tests run it
/// with plain loops. (The CPU itself has cholesky_fronts_cpu.cpp.)
///
/// Dense has, on column-major blocks whose columns lie `stride` apart:
///   factor(a, n, stride, info)                      L L^T = A; *info = column of a failed pivot, from 1
///   invert(l, n, stride, info)                      L^-1 in place
///   solve_transposed(l, b, rows, n, stride)         B = B L^-T
///   multiply_negative(l, b, rows, n, stride)        B = -B L
///   subtract_product(a, b, rows, columns, inner, stride, c, c_stride)   C -= A B^T
#include <algorithm>
#include <vector>

#include "solvers/linear/cholesky/cholesky_front_kernels.h"
#include "solvers/linear/cholesky/cholesky_fronts.h"

MERGANSER_BEGIN

/// L^T in compressed rows, in device memory, in the place of what Cholesky stores.
struct TriangleStore {
  View<const int> first;  ///< per position, one more at the end
  View<const int> below;  ///< FrontTree::row
  int* column;            ///< written
  float* value;           ///< written
};

template <class Dense>
class FrontSequence {
 public:
  FrontSequence(const PermutedMatrix& matrix, const FrontTree& tree, const std::vector<std::int64_t>& offset,
                float* stored, Dense& dense)
      : matrix_(matrix),
        tree_(tree),
        offset_(offset),
        stored_(stored),
        dense_(dense),
        update_(size_t(tree.fronts())) {
    std::vector<int> local(tree.order.size()), entry(matrix.row.size()), place(tree.row.size());
    for (int s = 0; s < tree.fronts(); ++s) {
      const int begin = tree.first_column[s], n = tree.columns(s);
      for (int j = 0; j < n; ++j) local[begin + j] = j;
      for (int i = 0; i < tree.below(s); ++i) local[tree.row[tree.first_row[s] + i]] = n + i;
      for (auto e = matrix.first[begin]; e < matrix.first[begin + n]; ++e) entry[e] = local[matrix.row[e]];
      for (int k = tree.first_child[s]; k < tree.first_child[s + 1]; ++k)
        for (auto e = tree.first_row[tree.child[k]]; e < tree.first_row[tree.child[k] + 1]; ++e)
          place[e] = local[tree.row[e]];
    }
    first_entry_.assign(matrix.first);
    entry_row_.assign(entry);
    entry_value_.assign(matrix.value);
    place_.assign(place);
    failed_.resize(2 * tree.fronts());
  }

  /// L^T instead of P.
  void run(const TriangleStore& triangle) {
    triangle_ = &triangle;
    run();
  }
  long long run() {
    for (int s = 0; s < tree_.fronts(); ++s) eliminate(s);
    const std::vector<int> failed = failed_.to_host();
    for (int s = 0; s < tree_.fronts(); ++s)
      if (failed[s] > 0) throw_not_positive(tree_, tree_.first_column[s] + failed[s] - 1);
    return peak_;
  }

 private:
  Array<double> take(std::int64_t count) {
    Array<double> numbers;
    numbers.reserve(size_t(count));
    fill_zero(numbers.data(), sizeof(double) * size_t(count));
    held_ += 8 * count;
    peak_ = std::max(peak_, held_);
    return numbers;
  }
  void give_back(Array<double>& numbers, std::int64_t count) {
    numbers.release();
    held_ -= 8 * count;
  }

  void eliminate(int s) {
    const int n = tree_.columns(s), r = tree_.below(s), m = n + r;
    const UpdateShape shape{r};
    Array<double> panel = take(std::int64_t(m) * n);
    update_[s] = take(std::max<std::int64_t>(shape.numbers(), 1));
    assemble(s, panel.data(), update_[s].data());

    double* below = panel.data() + n;
    dense_.factor(panel.data(), n, m, failed_.data() + s);
    if (r > 0) {
      dense_.solve_transposed(panel.data(), below, r, n, m);
      for (int b = 0; b < shape.blocks(); ++b) {
        const int first = b * UpdateShape::block;
        dense_.subtract_product(below + first, below + first, r - first, shape.block_columns(b), n, m,
                                update_[s].data() + shape.block_start(b), shape.block_rows(b));
      }
    }
    if (triangle_) {
      store(s, panel.data(), *triangle_);
    } else {
      dense_.invert(panel.data(), n, m, failed_.data() + tree_.fronts() + s);
      if (r > 0) dense_.multiply_negative(panel.data(), below, r, n, m);
      store(n, r, panel.data(), stored_ + offset_[s]);
    }
    give_back(panel, std::int64_t(m) * n);
    if (r == 0) give_back(update_[s], 1);
  }

  void assemble(int s, double* panel, double* update) {
    const int n = tree_.columns(s), r = tree_.below(s), begin = tree_.first_column[s];
    launch(n, AssembleColumns{first_entry_.const_view(), entry_row_.const_view(), entry_value_.const_view(),
                              begin, n + r, panel});
    for (int k = tree_.first_child[s]; k < tree_.first_child[s + 1]; ++k) {
      const int c = tree_.child[k], rows = tree_.below(c);
      const int slab = std::max(1, (1 << 28) / rows);  // columns a launch
      for (int first = 0; first < rows; first += slab)
        launch(std::min(slab, rows - first) * rows,
               AddUpdate{update_[c].data(), rows, first, place_.data() + tree_.first_row[c], panel, n, r,
                         update});
      give_back(update_[c], UpdateShape{rows}.numbers());
    }
  }

  void store(int n, int r, const double* panel, float* stored) {
    const FrontShape shape{n, r};
    const int rows = shape.tiles() * tile_rows, slab = std::max(1, (1 << 28) / rows);
    for (int first = 0; first < n; first += slab)
      launch(std::min(slab, n - first) * rows, StoreFront{panel, shape, first, stored});
  }

  void store(int s, const double* panel, const TriangleStore& triangle) {
    const int n = tree_.columns(s), height = n + tree_.below(s), slab = std::max(1, (1 << 28) / height);
    for (int first = 0; first < n; first += slab)
      launch(std::min(slab, n - first) * height,
             StoreTriangle{panel, n, height, first, tree_.first_column[s], triangle.first,
                           triangle.below.data + tree_.first_row[s], triangle.column, triangle.value});
  }

  const PermutedMatrix& matrix_;
  const FrontTree& tree_;
  const std::vector<std::int64_t> offset_;
  float* stored_;
  const TriangleStore* triangle_ = nullptr;
  Dense& dense_;
  Array<std::int64_t> first_entry_;
  Array<int> entry_row_;  ///< of A's entries: row within the front
  Array<double> entry_value_;
  Array<int> place_;   ///< of rows below: row within the parent's front
  Array<int> failed_;  ///< per front, of the factorization; then of the inversion
  std::vector<Array<double>> update_;
  long long held_ = 0, peak_ = 0;
};

#if MERGANSER_GPU_HALF
/// Factors and stores L^T in compressed rows. Throws as factorize() of cholesky_fronts.h.
void factorize_triangle(const PermutedMatrix& matrix, const FrontTree& tree, const TriangleStore& triangle);
#endif

MERGANSER_END
