#pragma once
/// The backward sweep of BlockSolver.
#include "solvers/linear/cholesky/cholesky_block_sweep.h"

MERGANSER_BEGIN

/// x1 of a strip of 32 columns, or of some of them: P^T z with z = [y ; x of the rows below], from the
/// strip's first own row on, above which P is zero. A small team takes all columns, four a thread; a large
/// one `width` columns of several tiles at once.
template <int group, int team, class Number>
struct BackwardStrips : BlockSweep<group, team, Number, team == small_team ? 4 : 1> {
  static constexpr const char* name = "cholesky backward strips";
  static constexpr int quads = tile_rows / quad_rows;  ///< threads of a column
  static constexpr int own_columns = tile_rows * quads / team > 1 ? tile_rows* quads / team : 1;
  using Base = BlockSweep<group, team, Number, own_columns>;
  using Base::factor, Base::batch, Base::part_sums;
  using typename Base::Shared, typename Base::Thread;
  static constexpr int batch_tiles = batch / own_columns;

  View<const float> forward;
  View<const float> known;   ///< x, rows in the caller's order
  SideView<float> solution;  ///< the same numbers, written

  template <int phase>
  MERGANSER_METHOD void run(const BlockPlace& at, Shared& shared, Thread& thread) const {
    if constexpr (phase == 0) this->begin(at, thread);
    if (thread.idle || (phase > 1 && !thread.round.last)) return;
    float* numbers = shared.number[at.thread / team];
    const int member = at.thread % team;
    const FrontShape& shape = thread.shape;
    constexpr int chunk_tiles = chunk_of(team) / tile_rows;
    const int begin = thread.task.strip + thread.round.chunk * chunk_tiles;
    const int end = shape.tiles() < begin + chunk_tiles ? shape.tiles() : begin + chunk_tiles;
    const int first_column = thread.task.strip * tile_rows + thread.task.first;
    // Columns and tiles at once; further columns of a thread follow `at_once` apart.
    const int at_once = own_columns > 1 ? team / quads : this->width, tiles_at_once = team / quads / at_once;
    if constexpr (phase == 0) {
      for (int i = member; i < (end - begin) * tile_rows; i += team)
        load(thread.task.front, shape, begin + i / tile_rows, i % tile_rows, numbers + i);
    } else if constexpr (phase == 1) {
      const Share share{begin + member / quads / at_once,        end,     tiles_at_once,
                        first_column + member / quads % at_once, at_once, member % quads * quad_rows};
      multiply(thread, share, numbers - begin * tile_rows);
    } else if constexpr (phase % 2 == 0) {
      Base::template share_sums<phase>(thread, member, numbers);
    } else {
      constexpr int from = (phase - 2) / 2 * part_sums, sums = part_sums * group;
      for (int s = member; s < at_once * sums; s += team) {
        const int column = s / sums + (from + s / group % part_sums) * at_once;
        if (column >= this->width || first_column + column >= shape.columns) continue;
        float sum = 0;
        for (int t = 0; t < tiles_at_once; ++t)
          for (int q = 0; q < quads; ++q)
            sum += numbers[((t * at_once + s / sums) * quads + q) * sums + s % sums];
        const int position = factor.first_column[thread.task.front] + first_column + column;
        if constexpr (Base::scaled) sum *= factor.scale[position];
        solution.at(factor.order[position], s % group) = sum;
      }
    }
  }

 private:
  static constexpr int stride = chunk_of(team);  ///< from side to side of z in shared memory

  /// z of row r of a tile, side k at [k * stride]; zero in the tile's padding.
  MERGANSER_METHOD void load(int front, const FrontShape& shape, int tile, int r, float* z) const {
    const int own_tiles = shape.own_tiles();
    const int local = (tile < own_tiles ? tile : tile - own_tiles) * tile_rows + r;
    for (int k = 0; k < group; ++k) z[k * stride] = 0;
    if (tile < own_tiles) {
      if (local >= shape.columns) return;
      const int position = factor.first_column[front] + local;
      for (int k = 0; k < group; ++k) z[k * stride] = forward[position * group + k];
    } else if (local < shape.below) {
      const int row = factor.row[static_cast<int>(factor.first_row[front]) + local];
      for (int k = 0; k < group; ++k) z[k * stride] = known[row * solution.stride + solution.first + k];
    }
  }
  /// A thread's tiles [tile, end), its first column and its rows within a tile.
  struct Share {
    int tile, end, tiles_at_once;
    int column, at_once, row;
  };
  /// Adds P^T z; z of tile t's rows is at z + t * tile_rows.
  MERGANSER_METHOD void multiply(Thread& thread, const Share& share, const float* z) const {
    const std::int64_t start = factor.offset[thread.task.front] + share.row;
    for (int first = share.tile; first < share.end; first += batch_tiles * share.tiles_at_once) {
      FourRows<Number> p[batch_tiles][own_columns] = {};
      for (int u = 0; u < batch_tiles; ++u) {
        const int t = first + u * share.tiles_at_once;
        const FrontTile tile = thread.shape.tile(t);
        for (int c = 0; c < own_columns; ++c) {
          const int j = share.column + c * share.at_once;
          if (t < share.end && share.row < tile.height && j < thread.shape.columns)
            p[u][c] = this->quad(start + tile.offset + std::int64_t(j) * tile.height);
        }
      }
      for (int u = 0; u < batch_tiles; ++u) {
        const int t = first + u * share.tiles_at_once;
        if (t >= share.end) break;
        for (int k = 0; k < group; ++k) {
          const FourRows<float> four =
              *reinterpret_cast<const FourRows<float>*>(z + t * tile_rows + share.row + k * stride);
          for (int c = 0; c < own_columns; ++c)
            for (int r = 0; r < quad_rows; ++r) thread.sum[c][k] += to_float(p[u][c].row[r]) * four.row[r];
        }
      }
    }
  }
};

MERGANSER_END
