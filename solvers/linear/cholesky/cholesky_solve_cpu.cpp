#include "solvers/linear/cholesky/cholesky_solve_cpu.h"

#include <algorithm>

#include "device/launch.h"
#include "solvers/linear/cholesky/cholesky_tile_products.h"

MERGANSER_BEGIN

struct SubtreeSolver::Sides {
  const FactorView& factor;
  const float* right_side;
  float* solution;
  float *own, *update;  ///< F11^-1 b1, see SubtreeSolver::first_own_; u per row below
  int count;

  int groups() const { return (count + most_sides - 1) / most_sides; }
  int first(int group) const { return group * most_sides; }
  int in_group(int group) const { return std::min(most_sides, count - first(group)); }
};

struct SubtreeSolver::Scratch {
  Scratch(size_t widest, size_t tallest, int groups)
      : wide(size_t(groups) * most_sides * (widest + 8)), tall(size_t(groups) * tallest) {}
  struct Strip {
    float side[most_sides][tile_rows];
  };
  std::vector<float> wide;  ///< forward: b1, [group][column][side]; backward: x1, [side][column]
  std::vector<Strip> tall;  ///< backward: x below, [group][tile]
};

namespace {
constexpr double least_subtree = 5e5;  ///< numbers; a barrier takes as long as reading about that many
/// Own tiles of a front that all threads share, at once: sums of a chunk's products are kept, so that few
/// chunks save memory and many feed threads.
constexpr int least_chunk = 2, most_chunks = 16;

int chunks_of(int tiles, int chunk) { return (tiles + chunk - 1) / chunk; }
}  // namespace

SubtreeSolver::SubtreeSolver(const FrontTree& tree) {
  std::vector<double> numbers;
  for (int s = 0; s < tree.fronts(); ++s) {
    const FrontShape shape{tree.columns(s), tree.below(s)};
    numbers.push_back(static_cast<double>(shape.numbers()));
    widest_ = std::max(widest_, size_t(shape.columns));
    tallest_ = std::max(tallest_, size_t(shape.tiles() - shape.own_tiles()));
    chunk_.push_back(std::max(1, shape.own_tiles()));
  }
  cut_ = cut_tree(tree, numbers, least_subtree);
  for (const int s : cut_.top)
    chunk_[size_t(s)] = std::max(least_chunk, tiles_of(tree.columns(s)) / most_chunks);
  for (int s = 0; s < tree.fronts(); ++s)
    first_own_.push_back(first_own_.back() +
                         tree.columns(s) * chunks_of(tiles_of(tree.columns(s)), chunk_[size_t(s)]));
}

void SubtreeSolver::solve(const FactorView& factor, View<const float> right_side, View<float> solution,
                          int right_sides) {
  static KernelCounters& kernel = kernel_counters("cholesky solve");
  const LaunchClock clock(kernel);
  const auto at_least = [](Array<float>& array, int count) { array.resize(std::max(array.size(), count)); };
  at_least(own_, first_own_.back() * right_sides);
  at_least(update_, factor.row.count * right_sides);
  const Sides sides{factor, right_side.data, solution.data, own_.data(), update_.data(), right_sides};
  const int subtrees = static_cast<int>(cut_.subtree.size());
#pragma omp parallel if (subtrees > 1 || !cut_.top.empty())
  {
    Scratch scratch(widest_, tallest_, sides.groups());
#pragma omp for schedule(dynamic, 1)
    for (int t = 0; t < subtrees; ++t)
      for (const int s : cut_.subtree[t]) {
        load_forward(sides, s, scratch);
        solve_own(sides, s, 0, scratch);
        const FrontShape shape = factor.shape(s);
        for (int tile = shape.own_tiles(); tile < shape.tiles(); ++tile) forward(sides, s, tile, scratch);
      }
    for (const int s : cut_.top) {
      load_forward(sides, s, scratch);
      const FrontShape shape = factor.shape(s);
      const int chunks = chunks_of(shape.own_tiles(), chunk_[size_t(s)]);
      const int tasks = chunks + shape.tiles() - shape.own_tiles();
#pragma omp for schedule(dynamic, 1)
      for (int task = 0; task < tasks; ++task)
        if (task < chunks)
          solve_own(sides, s, chunks - 1 - task, scratch);  // the widest first
        else
          forward(sides, s, shape.own_tiles() + task - chunks, scratch);
    }
    for (auto s = cut_.top.rbegin(); s != cut_.top.rend(); ++s) {
      load_backward(sides, *s, scratch);
      const int columns = factor.shape(*s).columns;
      const int chunk = std::max(64, columns / 16 / 32 * 32), chunks = (columns + chunk - 1) / chunk;
#pragma omp for schedule(dynamic, 1)
      for (int c = 0; c < chunks; ++c)
        backward(sides, *s, c * chunk, std::min(columns, (c + 1) * chunk), scratch);
    }
#pragma omp for schedule(dynamic, 1)
    for (int t = 0; t < subtrees; ++t)
      for (auto s = cut_.subtree[t].rbegin(); s != cut_.subtree[t].rend(); ++s) {
        load_backward(sides, *s, scratch);
        backward(sides, *s, 0, factor.shape(*s).columns, scratch);
      }
  }
}

float* SubtreeSolver::own_part(const Sides& sides, int front, int chunk) const {
  const int columns = sides.factor.shape(front).columns;
  return sides.own + std::int64_t(first_own_[size_t(front)] + chunk * columns) * sides.count;
}

/// work(numbers), numbers of the stored factor from `first` on, in float or in half precision.
template <class Work>
static void with_numbers(const FactorView& factor, std::int64_t first, const Work& work) {
  if (factor.halves.data)
    work(factor.halves.data + first);
  else
    work(factor.stored.data + first);
}

/// Adds what the children's updates hold for a front row to value[0 ... side_count).
template <int side_count>
void SubtreeSolver::gather(const Sides& sides, int front_row, int first, float* value) {
  const FactorView& f = sides.factor;
  for (int g = f.first_gather[front_row]; g < f.first_gather[front_row + 1]; ++g) {
    const float* from = sides.update + std::int64_t(f.gather[g]) * sides.count + first;
    for (int k = 0; k < side_count; ++k) value[k] += from[k];
  }
}

/// b1 = b + the children's updates, times the columns' scale.
void SubtreeSolver::load_forward(const Sides& sides, int front, Scratch& scratch) const {
  const FactorView& f = sides.factor;
  const int columns = f.shape(front).columns, first_row = f.first_front_row(front);
  for (int group = 0; group < sides.groups(); ++group)
    with_sides(sides.in_group(group), [&](auto side_count) {
      const int first = sides.first(group);
      float* b = scratch.wide.data() + size_t(first) * columns;
      for (int j = 0; j < columns; ++j, b += side_count()) {
        const float* from =
            sides.right_side + std::int64_t(f.order[f.first_column[front] + j]) * sides.count + first;
        for (int k = 0; k < side_count(); ++k) b[k] = from[k];
        gather<side_count()>(sides, first_row + j, first, b);
        if (f.scale.data)
          for (int k = 0; k < side_count(); ++k) b[k] *= f.scale[f.first_column[front] + j];
      }
    });
}

/// A chunk's part of F11^-1 b1 = L11^-T (L11^-1 b1): a tile's rows of L11^-1 are multiplied from both sides
/// while they are in the cache, so that memory is read once.
void SubtreeSolver::solve_own(const Sides& sides, int front, int chunk, const Scratch& scratch) const {
  const FactorView& f = sides.factor;
  const FrontShape shape = f.shape(front);
  const int stride = shape.columns, first_tile = chunk * chunk_[size_t(front)];
  const int end_tile = std::min(shape.own_tiles(), first_tile + chunk_[size_t(front)]);
  float* to = own_part(sides, front, chunk);
  for (int k = 0; k < sides.count; ++k)
    std::fill_n(to + std::int64_t(k) * stride, shape.tile(end_tile - 1).columns, 0.0f);
  for (int t = first_tile; t < end_tile; ++t) {
    const FrontTile tile = shape.tile(t);
    for (int group = 0; group < sides.groups(); ++group)
      with_sizes(sides.in_group(group), tile.height, [&](auto side_count, auto vectors) {
        const int first = sides.first(group);
        float y[most_sides][tile_rows];
        with_numbers(f, f.offset[front] + tile.offset, [&](const auto* numbers) {
          tile_product<side_count(), vectors()>(numbers, tile.columns,
                                                scratch.wide.data() + size_t(first) * shape.columns, y);
          transposed_tile_product<side_count(), vectors()>(numbers, 0, tile.columns, y,
                                                           to + std::int64_t(first) * stride, stride);
        });
      });
  }
}

/// u of a tile's rows, which are below.
void SubtreeSolver::forward(const Sides& sides, int front, int tile_index, const Scratch& scratch) const {
  const FactorView& f = sides.factor;
  const FrontShape shape = f.shape(front);
  const FrontTile tile = shape.tile(tile_index);
  float* to = sides.update + (f.first_row[front] + tile.first - shape.columns) * sides.count;
  const int first_row = f.first_front_row(front) + tile.first;
  for (int group = 0; group < sides.groups(); ++group)
    with_sizes(sides.in_group(group), tile.height, [&](auto side_count, auto vectors) {
      const int first = sides.first(group);
      float sum[most_sides][tile_rows];
      with_numbers(f, f.offset[front] + tile.offset, [&](const auto* numbers) {
        tile_product<side_count(), vectors()>(numbers, tile.columns,
                                              scratch.wide.data() + size_t(first) * shape.columns, sum);
      });
      for (int r = 0; r < tile.rows; ++r) {
        float value[side_count()];
        for (int k = 0; k < side_count(); ++k) value[k] = sum[k][r];
        gather<side_count()>(sides, first_row + r, first, value);
        for (int k = 0; k < side_count(); ++k) to[std::int64_t(r) * sides.count + first + k] = value[k];
      }
    });
}

/// x of the rows below, tile by tile.
void SubtreeSolver::load_backward(const Sides& sides, int front, Scratch& scratch) const {
  const FactorView& f = sides.factor;
  const FrontShape shape = f.shape(front);
  const int own_tiles = shape.own_tiles(), tiles = shape.tiles() - own_tiles;
  for (int t = 0; t < tiles; ++t) {
    const FrontTile tile = shape.tile(own_tiles + t);
    const int* row = f.row.data + static_cast<int>(f.first_row[front]) + tile.first - shape.columns;
    for (int group = 0; group < sides.groups(); ++group)
      with_sides(sides.in_group(group), [&](auto side_count) {
        auto& to = scratch.tall[size_t(group) * tiles + t].side;
        for (int r = 0; r < tile.rows; ++r) {
          const float* from = sides.solution + std::int64_t(row[r]) * sides.count + sides.first(group);
          for (int k = 0; k < side_count(); ++k) to[k][r] = from[k];
        }
        for (int r = tile.rows; r < tile.height; ++r)
          for (int k = 0; k < side_count(); ++k) to[k][r] = 0;
      });
  }
}

/// x of some of the front's own columns.
void SubtreeSolver::backward(const Sides& sides, int front, int first_column, int end_column,
                             Scratch& scratch) const {
  const FactorView& f = sides.factor;
  const FrontShape shape = f.shape(front);
  const int own_tiles = shape.own_tiles(), tiles = shape.tiles() - own_tiles, stride = shape.columns;
  add_own_parts(sides, front, first_column, end_column, scratch);
  for (int t = 0; t < tiles; ++t) {
    const FrontTile tile = shape.tile(own_tiles + t);
    for (int group = 0; group < sides.groups(); ++group)
      with_sizes(sides.in_group(group), tile.height, [&](auto side_count, auto vectors) {
        with_numbers(f, f.offset[front] + tile.offset, [&](const auto* numbers) {
          transposed_tile_product<side_count(), vectors()>(
              numbers, first_column, end_column, scratch.tall[size_t(group) * tiles + t].side,
              scratch.wide.data() + size_t(sides.first(group)) * stride, stride);
        });
      });
  }
  for (int j = first_column; j < end_column; ++j) {
    float* to = sides.solution + std::int64_t(f.order[f.first_column[front] + j]) * sides.count;
    for (int k = 0; k < sides.count; ++k) to[k] = scratch.wide[size_t(k) * stride + j];
    if (f.scale.data)
      for (int k = 0; k < sides.count; ++k) to[k] *= f.scale[f.first_column[front] + j];
  }
}

/// x1 of these columns = F11^-1 b1, chunk by chunk.
void SubtreeSolver::add_own_parts(const Sides& sides, int front, int first_column, int end_column,
                                  Scratch& scratch) const {
  const int stride = sides.factor.shape(front).columns, width = chunk_[size_t(front)] * tile_rows;
  const int chunks = (stride + width - 1) / width;
  for (int k = 0; k < sides.count; ++k) {
    float* to = scratch.wide.data() + size_t(k) * size_t(stride);
    for (int chunk = first_column / width; chunk < chunks; ++chunk) {
      const int end = std::min(end_column, (chunk + 1) * width);
      const int own = std::max(first_column, chunk * width);  // up to here earlier chunks have a part
      const float* part = own_part(sides, front, chunk) + std::int64_t(k) * stride;
      for (int j = first_column; j < own; ++j) to[j] += part[j];
      for (int j = own; j < end; ++j) to[j] = part[j];
    }
  }
}

MERGANSER_END
