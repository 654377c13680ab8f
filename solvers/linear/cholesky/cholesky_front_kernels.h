#pragma once
/// Assembly and storage of a front in device memory. The panel holds the front's own columns, n + r rows
/// high.
#include "device/launch.h"
#include "solvers/linear/cholesky/cholesky_fronts.h"

MERGANSER_BEGIN

/// A's entries of own column j.
struct AssembleColumns {
  static constexpr const char* name = "cholesky assemble columns";
  View<const std::int64_t> first;  ///< per position
  View<const int> row;             ///< within the front
  View<const double> value;
  int first_position, height;
  double* panel;
  MERGANSER_METHOD void operator()(int j) const {
    double* column = panel + std::int64_t(j) * height;
    for (std::int64_t e = first[first_position + j]; e < first[first_position + j + 1]; ++e)
      column[row.data[e]] = value.data[e];
  }
};

/// Adds number (i, j) of a child's update matrix where it belongs; i = index modulo rows. Every number has a
/// place of its own.
struct AddUpdate {
  static constexpr const char* name = "cholesky add update";
  const double* child;
  int rows, first_column;
  const int* place;  ///< per row of the child: row within this front
  double* panel;
  int columns, below;  ///< n and r of this front
  double* update;
  MERGANSER_METHOD void operator()(int index) const {
    const int j = first_column + index / rows, i = index % rows;
    if (i < j) return;
    const double number = child[UpdateShape{rows}.column_start(j) + i];
    const int column = place[j], row = place[i];
    if (column < columns)
      panel[std::int64_t(column) * (columns + below) + row] += number;
    else
      update[UpdateShape{below}.column_start(column - columns) + row - columns] += number;
  }
};

/// Number (i, j) of a front's columns of L to row j of L^T in compressed rows.
struct StoreTriangle {
  static constexpr const char* name = "cholesky store triangle";
  const double* panel;  ///< [L11 ; L21]
  int columns, height;
  int first_column, first_position;  ///< of the launch, within the front; of the front
  View<const int> first;             ///< per position
  const int* below;                  ///< positions of the front's rows below
  int* column;
  float* value;
  MERGANSER_METHOD void operator()(int index) const {
    const int j = first_column + index / height, i = index % height;
    if (i < j) return;
    const int at = first[first_position + j] + i - j;
    column[at] = i < columns ? first_position + i : below[i - columns];
    value[at] = static_cast<float>(panel[std::int64_t(j) * height + i]);
  }
};

/// Number (i, j) of P in float to its tile, with the padding's zeros; 32 indices a tile and column.
struct StoreFront {
  static constexpr const char* name = "cholesky store";
  const double* panel;  ///< [L11^-1 ; -L21 L11^-1]
  FrontShape shape;
  int first_column;
  float* stored;
  MERGANSER_METHOD void operator()(int index) const {
    const int rows = shape.tiles() * tile_rows;
    const int j = first_column + index / rows, i = index % tile_rows;
    const FrontTile tile = shape.tile(index % rows / tile_rows);
    if (j >= tile.columns || i >= tile.height) return;
    const int row = tile.first + i;
    const bool zero = i >= tile.rows || row < j;  // padding, or above the diagonal
    stored[tile.offset + std::int64_t(j) * tile.height + i] =
        zero ? 0.0f : static_cast<float>(panel[std::int64_t(j) * (shape.columns + shape.below) + row]);
  }
};

MERGANSER_END
