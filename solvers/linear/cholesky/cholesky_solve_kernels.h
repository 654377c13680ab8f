#pragma once
/// The kernels of LevelSolver: thread = strip or piece times 32 plus lane. `group` right sides at once; their
/// values lie side by side.
#include "solvers/linear/cholesky/cholesky_solve.h"

MERGANSER_BEGIN

/// The right sides that a launch works on: `group` of `stride` from `first` on, rows in the caller's order.
template <class Number>
struct SideView {
  View<Number> values;
  int stride, first;
  MERGANSER_METHOD Number& at(int row, int k) const {
    return values.data[std::int64_t(row) * stride + first + k];
  }
};

/// b1 = b + the children's updates, of own rows.
template <int group>
struct AssembleRightSide {
  static constexpr const char* name = "cholesky assemble";
  FactorView factor;
  View<const FrontStrip> blocks;
  SideView<const float> right_side;
  View<const float> update;
  View<float> assembled;  ///< per position

  MERGANSER_METHOD void operator()(int i) const {
    const FrontStrip block = blocks[i / tile_rows];
    const int column = block.strip * tile_rows + i % tile_rows;
    if (column >= factor.shape(block.front).columns) return;
    const int position = factor.first_column[block.front] + column;
    const int front_row = factor.first_front_row(block.front) + column;
    for (int k = 0; k < group; ++k) {
      float sum = right_side.at(factor.order[position], k);
      for (int g = factor.first_gather[front_row]; g < factor.first_gather[front_row + 1]; ++g)
        sum += update[factor.gather[g] * group + k];
      assembled[position * group + k] = sum;
    }
  }
};

/// Partial sums of P b1, one row a lane.
template <int group>
struct ForwardProduct {
  static constexpr const char* name = "cholesky forward";
  static constexpr int columns = 256;
  FactorView factor;
  View<const FrontPiece> pieces;
  View<const float> assembled;
  View<float> partial;

  MERGANSER_METHOD void operator()(int i) const {
    const FrontPiece piece = pieces[i / tile_rows];
    const FrontTile tile = factor.shape(piece.front).tile(piece.strip);
    const int lane = i % tile_rows;
    if (lane >= tile.rows) return;
    const float* numbers = factor.stored.data + factor.offset[piece.front] + tile.offset + lane;
    const float* b = assembled.data + std::int64_t(factor.first_column[piece.front]) * group;
    const int end = tile.columns < piece.begin + columns ? tile.columns : piece.begin + columns;
    float sum[group] = {};
    for (int j = piece.begin; j < end; ++j) {
      const float p = numbers[j * tile.height];
      for (int k = 0; k < group; ++k) sum[k] += p * b[j * group + k];
    }
    for (int k = 0; k < group; ++k) partial[i * group + k] = sum[k];
  }
};

/// Adds up the pieces: y of own rows, u of rows below.
template <int group>
struct ForwardSum {
  static constexpr const char* name = "cholesky forward sum";
  FactorView factor;
  View<const FrontStrip> tiles;
  int first_piece;  ///< of the level: partial sums are counted from it
  View<const float> partial;
  View<float> forward;  ///< y, per position
  View<float> update;   ///< u, per row below

  MERGANSER_METHOD void operator()(int i) const {
    const FrontStrip strip = tiles[i / tile_rows];
    const FrontShape shape = factor.shape(strip.front);
    const FrontTile tile = shape.tile(strip.strip);
    const int lane = i % tile_rows;
    if (lane >= tile.rows) return;
    const int local = tile.first + lane;
    const bool own = local < shape.columns;
    const int front_row = factor.first_front_row(strip.front) + local;
    for (int k = 0; k < group; ++k) {
      float sum = 0;
      if (!own)
        for (int g = factor.first_gather[front_row]; g < factor.first_gather[front_row + 1]; ++g)
          sum += update[factor.gather[g] * group + k];
      for (int p = 0; p < strip.pieces; ++p)
        sum += partial[((strip.first_piece - first_piece + p) * tile_rows + lane) * group + k];
      if (own)
        forward[(factor.first_column[strip.front] + local) * group + k] = sum;
      else
        update[(static_cast<int>(factor.first_row[strip.front]) + local - shape.columns) * group + k] = sum;
    }
  }
};

/// Partial sums of P^T [y ; x below], one column a lane.
template <int group>
struct BackwardProduct {
  static constexpr const char* name = "cholesky backward";
  static constexpr int tiles = 8;
  FactorView factor;
  View<const FrontPiece> pieces;
  View<const float> forward;
  SideView<const float> solution;
  View<float> partial;

  MERGANSER_METHOD void operator()(int i) const {
    const FrontPiece piece = pieces[i / tile_rows];
    const FrontShape shape = factor.shape(piece.front);
    const int column = piece.strip * tile_rows + i % tile_rows;
    if (column >= shape.columns) return;
    const int end = shape.tiles() < piece.begin + tiles ? shape.tiles() : piece.begin + tiles;
    float sum[group] = {};
    for (int t = piece.begin; t < end; ++t) {
      const FrontTile tile = shape.tile(t);
      if (column >= tile.columns) continue;
      const float* numbers =
          factor.stored.data + factor.offset[piece.front] + tile.offset + std::int64_t(column) * tile.height;
      for (int r = 0; r < tile.rows; ++r) {
        const int local = tile.first + r;
        const float p = numbers[r];
        if (local < shape.columns) {
          const float* y = forward.data + std::int64_t(factor.first_column[piece.front] + local) * group;
          for (int k = 0; k < group; ++k) sum[k] += p * y[k];
        } else {
          const int row = factor.row[static_cast<int>(factor.first_row[piece.front]) + local - shape.columns];
          for (int k = 0; k < group; ++k) sum[k] += p * solution.at(row, k);
        }
      }
    }
    for (int k = 0; k < group; ++k) partial[i * group + k] = sum[k];
  }
};

/// Adds up the pieces of x1.
template <int group>
struct BackwardSum {
  static constexpr const char* name = "cholesky backward sum";
  FactorView factor;
  View<const FrontStrip> blocks;
  int first_piece;
  View<const float> partial;
  SideView<float> solution;

  MERGANSER_METHOD void operator()(int i) const {
    const FrontStrip strip = blocks[i / tile_rows];
    const int lane = i % tile_rows, column = strip.strip * tile_rows + lane;
    if (column >= factor.shape(strip.front).columns) return;
    const int row = factor.order[factor.first_column[strip.front] + column];
    for (int k = 0; k < group; ++k) {
      float sum = 0;
      for (int p = 0; p < strip.pieces; ++p)
        sum += partial[((strip.first_piece - first_piece + p) * tile_rows + lane) * group + k];
      solution.at(row, k) = sum;
    }
  }
};

MERGANSER_END
