#include "solvers/linear/cholesky/cholesky_solve_cpu.h"

#include <algorithm>

#include "device/launch.h"
#include "solvers/linear/cholesky/cholesky_tile_products.h"

MERGANSER_BEGIN

struct SubtreeSolver::Sides {
  const FactorView& factor;
  const float* right_side;
  float* solution;
  float *forward, *update;  ///< y per position, u per row below
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
  std::vector<Strip> tall;  ///< backward: [y ; x below], [group][tile]
};

namespace {
constexpr double least_subtree = 5e5;  ///< numbers; a barrier takes as long as reading about that many
}

SubtreeSolver::SubtreeSolver(const FrontTree& tree) {
  std::vector<double> numbers;
  for (int s = 0; s < tree.fronts(); ++s) {
    const FrontShape shape{tree.columns(s), tree.below(s)};
    numbers.push_back(static_cast<double>(shape.numbers()));
    widest_ = std::max(widest_, size_t(shape.columns));
    tallest_ = std::max(tallest_, size_t(shape.tiles()));
  }
  cut_ = cut_tree(tree, numbers, least_subtree);
}

void SubtreeSolver::solve(const FactorView& factor, View<const float> right_side, View<float> solution,
                          int right_sides) {
  static KernelCounters& kernel = kernel_counters("cholesky solve");
  const LaunchClock clock(kernel);
  const auto at_least = [](Array<float>& array, int count) { array.resize(std::max(array.size(), count)); };
  at_least(forward_, factor.order.count * right_sides);
  at_least(update_, factor.row.count * right_sides);
  const Sides sides{factor, right_side.data, solution.data, forward_.data(), update_.data(), right_sides};
  const int subtrees = static_cast<int>(cut_.subtree.size());
#pragma omp parallel if (subtrees > 1 || !cut_.top.empty())
  {
    Scratch scratch(widest_, tallest_, sides.groups());
#pragma omp for schedule(dynamic, 1)
    for (int t = 0; t < subtrees; ++t)
      for (const int s : cut_.subtree[t]) {
        load_forward(sides, s, scratch);
        for (int tile = 0; tile < factor.shape(s).tiles(); ++tile) forward(sides, s, tile, scratch);
      }
    for (const int s : cut_.top) {
      load_forward(sides, s, scratch);
      const int tiles = factor.shape(s).tiles();
#pragma omp for schedule(dynamic, 2)
      for (int tile = 0; tile < tiles; ++tile) forward(sides, s, tile, scratch);
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

/// y or u of a tile's rows.
void SubtreeSolver::forward(const Sides& sides, int front, int tile_index, const Scratch& scratch) const {
  const FactorView& f = sides.factor;
  const FrontShape shape = f.shape(front);
  const FrontTile tile = shape.tile(tile_index);
  const bool own = tile_index < shape.own_tiles();
  const std::int64_t row =
      own ? f.first_column[front] + tile.first : f.first_row[front] + tile.first - shape.columns;
  float* to = (own ? sides.forward : sides.update) + row * sides.count;
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
        if (!own) gather<side_count()>(sides, first_row + r, first, value);
        for (int k = 0; k < side_count(); ++k) to[std::int64_t(r) * sides.count + first + k] = value[k];
      }
    });
}

/// [y ; x of the rows below], tile by tile.
void SubtreeSolver::load_backward(const Sides& sides, int front, Scratch& scratch) const {
  const FactorView& f = sides.factor;
  const FrontShape shape = f.shape(front);
  const int tiles = shape.tiles();
  for (int t = 0; t < tiles; ++t) {
    const FrontTile tile = shape.tile(t);
    const bool own = t < shape.own_tiles();
    const float* values = own ? sides.forward : sides.solution;
    std::int64_t row[tile_rows];
    for (int r = 0; r < tile.rows; ++r)
      row[r] = own ? f.first_column[front] + tile.first + r
                   : f.row[static_cast<int>(f.first_row[front]) + tile.first + r - shape.columns];
    for (int group = 0; group < sides.groups(); ++group)
      with_sides(sides.in_group(group), [&](auto side_count) {
        auto& to = scratch.tall[size_t(group) * tiles + t].side;
        for (int r = 0; r < tile.rows; ++r) {
          const float* from = values + row[r] * sides.count + sides.first(group);
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
  const int tiles = shape.tiles(), stride = shape.columns;
  for (int k = 0; k < sides.count; ++k)
    std::fill(&scratch.wide[size_t(k) * stride + first_column],
              &scratch.wide[size_t(k) * stride] + end_column, 0.0f);
  for (int t = first_column / tile_rows; t < tiles; ++t) {
    const FrontTile tile = shape.tile(t);
    const int end = std::min(end_column, tile.columns);
    for (int group = 0; group < sides.groups(); ++group)
      with_sizes(sides.in_group(group), tile.height, [&](auto side_count, auto vectors) {
        with_numbers(f, f.offset[front] + tile.offset, [&](const auto* numbers) {
          transposed_tile_product<side_count(), vectors()>(
              numbers, first_column, end, scratch.tall[size_t(group) * tiles + t].side,
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

MERGANSER_END
