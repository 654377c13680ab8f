/// The fronts on the CPU: dense blocks by OpenBLAS, one thread a call. Whole subtrees are handed to threads;
/// above them all threads share a front. Work is always cut the same way, so any number of threads gives the
/// same bits.
#include <algorithm>
#include <atomic>
#include <climits>
#include <cstring>
#include <memory>
#include <string>

#include <cblas.h>
#include <omp.h>
#include <sys/mman.h>

#include "solvers/linear/cholesky/cholesky_fronts.h"

extern "C" void dpotrf_(const char* triangle, const int* n, double* a, const int* lda, int* info);

MERGANSER_BEGIN

namespace {

constexpr int panel_columns = 256;  ///< columns eliminated at once
constexpr int chunk_rows = 512;     ///< rows of a shared update
constexpr int inverse_rows = 128;   ///< rows of P computed at once, a multiple of tile_rows

/// f(0) ... f(count - 1), by all threads if `shared`.
template <class Function>
void for_all(int count, bool shared, const Function& f) {
#pragma omp parallel for schedule(dynamic, 1) if (shared && count > 1)
  for (int i = 0; i < count; ++i) f(i);
}

/// Asks for large pages, before the memory is first written: solves read the factor end to end, and with
/// pages of 4 KiB that is about a fifth slower. Only a wish; what the system answers does not matter.
void prefer_large_pages(float* numbers, std::int64_t count) {
  constexpr std::uintptr_t page = 2 << 20;
  const auto address = reinterpret_cast<std::uintptr_t>(numbers);
  const std::uintptr_t begin = (address + page - 1) / page * page;
  const std::uintptr_t end = (address + sizeof(float) * static_cast<std::uintptr_t>(count)) / page * page;
  if (begin < end) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

/// OpenBLAS maps a work buffer for every thread that calls it, and where the address space has no room it
/// asks for ever. So the room is asked for before. Throws DeviceError.
void expect_room_for_blas() {
  constexpr size_t buffer = size_t(128) << 20;  // of OpenBLAS 0.3 on x86-64
  const size_t bytes = buffer * static_cast<size_t>(omp_get_max_threads());
  void* room =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    throw DeviceError("out of memory: OpenBLAS takes 128 MiB of address space for each of " +
                      std::to_string(omp_get_max_threads()) +
                      " threads; raise ulimit -v, lower --threads, or choose \"solve\": "
                      "\"conjugateGradient\" for the elastic system");
  munmap(room, bytes);
}

using Numbers = std::unique_ptr<double[]>;

class FrontFactorization {
 public:
  FrontFactorization(const PermutedMatrix& matrix, const FrontTree& tree,
                     const std::vector<std::int64_t>& offset, float* stored)
      : matrix_(matrix), tree_(tree), offset_(offset), stored_(stored), update_(size_t(tree.fronts())) {}

  long long run() {
    openblas_set_num_threads(1);
    expect_room_for_blas();
    prefer_large_pages(stored_, offset_.back());
    std::vector<double> work;
    for (int s = 0; s < tree_.fronts(); ++s) {
      const double n = tree_.columns(s), r = tree_.below(s);
      work.push_back(n * n * n * 2 / 3 + 2 * n * n * r + n * r * r + 5000 + r * r);
    }
    const TreeCut cut = cut_tree(tree_, work, 1e7);
    const int subtrees = static_cast<int>(cut.subtree.size());
    std::vector<int> failed(cut.subtree.size(), INT_MAX);
#pragma omp parallel
    {
      std::vector<int> local(tree_.order.size());
#pragma omp for schedule(dynamic, 1)
      for (int t = 0; t < subtrees; ++t)
        for (const int s : cut.subtree[t]) {
          failed[t] = eliminate(s, false, local);
          if (failed[t] != INT_MAX) break;
        }
    }
    for (const int position : failed) failed[0] = std::min(failed[0], position);
    if (!failed.empty() && failed[0] != INT_MAX) throw_not_positive(tree_, failed[0]);
    std::vector<int> local(tree_.order.size());
    for (const int s : cut.top) {
      const int position = eliminate(s, true, local);
      if (position != INT_MAX) throw_not_positive(tree_, position);
    }
    return peak_;
  }

 private:
  Numbers take(std::int64_t count) {
    const long long now = held_ += 8 * count;
    for (long long peak = peak_; peak < now && !peak_.compare_exchange_weak(peak, now);) {
    }
    return Numbers(new double[size_t(count)]);
  }
  void give_back(Numbers& numbers, std::int64_t count) {
    numbers.reset();
    held_ -= 8 * count;
  }

  /// INT_MAX, or the position whose pivot is not positive. `local`: scratch, one int a row of the matrix.
  int eliminate(int s, bool shared, std::vector<int>& local) {
    const int n = tree_.columns(s), r = tree_.below(s), m = n + r;
    const std::int64_t panel_numbers = std::int64_t(m) * n, update_numbers = UpdateShape{r}.numbers();
    Numbers panel = take(panel_numbers);
    update_[s] = take(update_numbers);
    assemble(s, shared, local, panel.get(), update_[s].get());
    const int failed = factor_columns(n, m, shared, panel.get());
    if (failed < n) return tree_.first_column[s] + failed;
    subtract_products(n, r, shared, panel.get(), update_[s].get());
    store(n, r, shared, panel.get(), stored_ + offset_[s]);
    give_back(panel, panel_numbers);
    if (r == 0) update_[s].reset();
    return INT_MAX;
  }

  void assemble(int s, bool shared, std::vector<int>& local, double* panel, double* update) {
    const int begin = tree_.first_column[s], n = tree_.columns(s), r = tree_.below(s), m = n + r;
    const UpdateShape shape{r};
    for (int j = 0; j < n; ++j) local[begin + j] = j;
    for (int i = 0; i < r; ++i) local[tree_.row[tree_.first_row[s] + i]] = n + i;
    for_all(n, shared, [&](int j) {
      double* column = panel + std::int64_t(j) * m;
      std::fill(column, column + m, 0.0);
      for (auto e = matrix_.first[begin + j]; e < matrix_.first[begin + j + 1]; ++e)
        column[local[matrix_.row[e]]] = matrix_.value[e];
    });
    for_all(shape.blocks(), shared, [&](int b) {
      std::fill_n(update + shape.block_start(b), std::int64_t(shape.block_rows(b)) * shape.block_columns(b),
                  0.0);
    });
    std::vector<int> place;
    for (int k = tree_.first_child[s]; k < tree_.first_child[s + 1]; ++k) {
      const int c = tree_.child[k], rows = tree_.below(c);
      const UpdateShape from{rows};
      place.resize(size_t(rows));
      for (int i = 0; i < rows; ++i) place[i] = local[tree_.row[tree_.first_row[c] + i]];
      const double* numbers = update_[c].get();
      for_all((rows + 31) / 32, shared, [&](int group) {
        for (int j = group * 32; j < std::min(rows, group * 32 + 32); ++j) {
          const double* source = numbers + from.column_start(j);
          double* column = place[j] < n ? panel + std::int64_t(place[j]) * m
                                        : update + shape.column_start(place[j] - n) - n;
          for (int i = j; i < rows; ++i) column[place[i]] += source[i];
        }
      });
      give_back(update_[c], from.numbers());
    }
  }

  /// Cholesky factorization of the front's own columns; returns n, or the column whose pivot is not positive.
  int factor_columns(int n, int m, bool shared, double* panel) {
    for (int k = 0; k < n; k += panel_columns) {
      const int width = std::min(panel_columns, n - k), rest = m - k - width;
      double* diagonal = panel + std::int64_t(k) * m + k;
      int info = 0;
      dpotrf_("L", &width, diagonal, &m, &info);
      if (info > 0) return k + info - 1;
      double* below = diagonal + width;
      for_all((rest + chunk_rows - 1) / chunk_rows, shared, [&](int chunk) {
        const int first = chunk * chunk_rows;
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit,
                    std::min(chunk_rows, rest - first), width, 1.0, diagonal, m, below + first, m);
      });
      // Columns right of the panel, within the front's own.
      const int blocks = (n - k - width + panel_columns - 1) / panel_columns;
      const int chunks = (rest + chunk_rows - 1) / chunk_rows;
      for_all(blocks * chunks, shared, [&](int task) {
        const int column = task / chunks * panel_columns;
        const int first = std::max(task % chunks * chunk_rows, column);
        const int rows = std::min(rest, (task % chunks + 1) * chunk_rows) - first;
        if (rows <= 0) return;
        const int columns = std::min(panel_columns, n - k - width - column);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows, columns, width, -1.0, below + first, m,
                    below + column, m, 1.0, below + std::int64_t(width + column) * m + first, m);
      });
    }
    return n;
  }

  /// U -= L21 L21^T.
  void subtract_products(int n, int r, bool shared, const double* panel, double* update) {
    const UpdateShape shape{r};
    const double* below = panel + n;
    const int m = n + r, chunks = (r + chunk_rows - 1) / chunk_rows;
    for_all(shape.blocks() * chunks, shared, [&](int task) {
      const int b = task / chunks, column = b * UpdateShape::block;
      const int first = std::max(task % chunks * chunk_rows, column);
      const int rows = std::min(r, (task % chunks + 1) * chunk_rows) - first;
      if (rows <= 0) return;
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows, shape.block_columns(b), n, -1.0,
                  below + first, m, below + column, m, 1.0, update + shape.column_start(column) + first,
                  shape.block_rows(b));
    });
  }

  /// P = [I ; -L21] L11^-1 in float, some rows at a time.
  void store(int n, int r, bool shared, const double* panel, float* stored) {
    const FrontShape shape{n, r};
    const int m = n + r, own = shape.own_tiles(), tiles = shape.tiles();
    constexpr int group_tiles = inverse_rows / tile_rows;
    const int own_groups = (own + group_tiles - 1) / group_tiles;
    const int groups = own_groups + (tiles - own + group_tiles - 1) / group_tiles;
    for_all(groups, shared, [&](int group) {
      const bool is_own = group < own_groups;
      const int first_tile = is_own ? group * group_tiles : own + (group - own_groups) * group_tiles;
      const int end_tile = std::min(first_tile + group_tiles, is_own ? own : tiles);
      const int first = shape.tile(first_tile).first;
      const int rows = shape.tile(end_tile - 1).first + shape.tile(end_tile - 1).rows - first;
      const int columns = is_own ? first + rows : n;
      std::vector<double> x(size_t(rows) * size_t(columns), 0.0);
      for (int j = 0; j < columns; ++j)
        if (!is_own)
          for (int i = 0; i < rows; ++i) x[size_t(j) * rows + i] = -panel[std::int64_t(j) * m + first + i];
        else if (j >= first)
          x[size_t(j) * rows + (j - first)] = 1;
      cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, rows, columns, 1.0,
                  panel, m, x.data(), rows);
      for (int t = first_tile; t < end_tile; ++t) {
        const FrontTile tile = shape.tile(t);
        float* to = stored + tile.offset;
        for (int j = 0; j < tile.columns; ++j) {
          const double* from = &x[size_t(j) * rows + (tile.first - first)];
          for (int i = 0; i < tile.height; ++i) *to++ = i < tile.rows ? static_cast<float>(from[i]) : 0.0f;
        }
      }
    });
  }

  const PermutedMatrix& matrix_;
  const FrontTree& tree_;
  const std::vector<std::int64_t>& offset_;
  float* stored_;
  std::vector<Numbers> update_;  ///< per front, until its parent has taken it in
  std::atomic<long long> held_{0}, peak_{0};
};

}  // namespace

long long factorize(const PermutedMatrix& matrix, const FrontTree& tree,
                    const std::vector<std::int64_t>& offset, float* stored) {
  return FrontFactorization(matrix, tree, offset, stored).run();
}

MERGANSER_END
