#pragma once
/// Layout of a front in the stored factor.
///
/// A front has n own columns and r rows below. Its block P = [L11^-1 ; -L21 L11^-1], (n + r) x n, is cut into
/// tiles of 32 rows, own rows first; the last tile of either part is padded to a multiple of eight with
/// zeros. A tile of h rows and c columns is stored by columns, P(i, j) at [j h + i]; an own tile ends where
/// L11^-1, lower triangular, does: c = min(n, 32 (tile + 1)). So products read memory in one run, eight rows
/// at once.
#include <cstdint>

#include "device/backend.h"

MERGANSER_BEGIN

constexpr int tile_rows = 32;

MERGANSER_FN int tiles_of(int rows) { return (rows + tile_rows - 1) / tile_rows; }

struct FrontTile {
  std::int64_t offset;  ///< from the front's first number
  int first;            ///< row, counted over own rows and rows below (0 ... n + r)
  int rows;             ///< without padding
  int height;           ///< with padding
  int columns;
};

struct FrontShape {
  int columns, below;

  MERGANSER_METHOD int own_tiles() const { return tiles_of(columns); }
  MERGANSER_METHOD int tiles() const { return own_tiles() + tiles_of(below); }
  MERGANSER_METHOD static int padded(int rows) { return (rows + 7) / 8 * 8; }
  MERGANSER_METHOD std::int64_t own_numbers() const {
    const std::int64_t full = columns / tile_rows;
    return std::int64_t(tile_rows) * tile_rows * (full * (full + 1) / 2) +
           std::int64_t(padded(columns % tile_rows)) * columns;
  }
  MERGANSER_METHOD std::int64_t numbers() const {
    return own_numbers() + std::int64_t(padded(below)) * columns;
  }
  MERGANSER_METHOD FrontTile tile(int t) const {
    FrontTile result;
    const bool own = t < own_tiles();
    const int k = own ? t : t - own_tiles();  // within its part
    const int part = own ? columns : below;
    result.rows = part - k * tile_rows < tile_rows ? part - k * tile_rows : tile_rows;
    result.height = padded(result.rows);
    result.first = k * tile_rows + (own ? 0 : columns);
    result.columns = own && k * tile_rows + tile_rows < columns ? k * tile_rows + tile_rows : columns;
    result.offset = own ? std::int64_t(tile_rows) * tile_rows * (std::int64_t(k) * (k + 1) / 2)
                        : own_numbers() + std::int64_t(k) * tile_rows * columns;
    return result;
  }
};

MERGANSER_END
