#pragma once
/// Forward and backward substitution with the stored fronts, as kernels that run on both backends.
///
/// Fronts of one level of the tree are worked on together. Forward, upwards: b1 = b + what the children's
/// updates u add to own rows; [y ; u] = P b1 + [0 ; what the children's updates add to rows below]. Backward,
/// downwards: x1 = P^T [y ; x of the rows below]. Wide fronts are cut into pieces whose partial sums are
/// added in a fixed order, so that a single large front still feeds a whole GPU.
#include <cstdint>
#include <vector>

#include "device/array.h"
#include "device/half.h"
#include "device/launch_graph.h"
#include "solvers/linear/cholesky/cholesky_layout.h"
#include "solvers/linear/cholesky/cholesky_tree.h"

MERGANSER_BEGIN

/// The factor as kernels see it. "Front row": own rows and rows below of all fronts, front s from
/// first_column[s] + first_row[s] on.
struct FactorView {
  View<const float> stored;
  View<const Half> halves;  ///< instead of `stored`, or empty
  View<const float> scale;  ///< with `halves`, per position: P(:, j) = scale_j times the stored column
  View<const std::int64_t> offset;     ///< per front, into `stored`
  View<const int> first_column;        ///< per front, one more at the end
  View<const std::int64_t> first_row;  ///< per front, one more at the end
  View<const int> order;               ///< per position: the caller's row
  View<const int> row;                 ///< per row below: the caller's row
  View<const int> first_gather;        ///< per front row, one more at the end
  View<const int> gather;              ///< rows below of the children that this front row takes in
  View<const int> slot;                ///< per row below: where it stands in `gather`

  MERGANSER_METHOD FrontShape shape(int s) const {
    return {first_column[s + 1] - first_column[s], static_cast<int>(first_row[s + 1] - first_row[s])};
  }
  MERGANSER_METHOD int first_front_row(int s) const {
    return first_column[s] + static_cast<int>(first_row[s]);
  }
};

/// Owns what FactorView shows.
struct FactorArrays {
  /// Room for the stored numbers; everything else from the tree. Throws DeviceError where that is too much.
  explicit FactorArrays(const FrontTree& tree);
  FactorView view();
  /// Keeps the stored numbers in half precision from now on. LevelSolver does not take them.
  void halve(const FrontTree& tree);
  std::vector<std::int64_t> host_offset;  ///< per front, one more at the end
  Array<float> stored, scale;
  Array<Half> halves;
  Array<std::int64_t> offset, first_row;
  Array<int> first_column, order, row, first_gather, gather, slot;
};
/// Numbers of each front's block in the stored factor, summed up; one more at the end.
std::vector<std::int64_t> stored_offsets(const FrontTree& tree);

/// Thirty-two rows of a front (a tile) or thirty-two columns, whose sums come in `pieces` pieces.
struct FrontStrip {
  int front, strip;         ///< strip: tile of the front, or block of 32 columns
  int first_piece, pieces;  ///< whose partial sums add up to it
};
/// A part of a strip: columns [begin, begin + 256) of a tile, or tiles [begin, begin + 8) of a column block.
struct FrontPiece {
  int front, strip, begin;
};

class LevelSolver {
 public:
  explicit LevelSolver(const FrontTree& tree);
  /// As Cholesky::solve.
  void solve(const FactorView& factor, View<const float> right_side, View<float> solution, int right_sides);

 private:
  struct Range {
    int first, count;
  };
  struct Level {
    Range tiles, tile_pieces, blocks, block_pieces;
  };
  template <int group>
  void solve_group(const FactorView& factor, View<const float> right_side, View<float> solution,
                   int right_sides, int first_side);

  std::vector<Level> levels_;
  int most_pieces_ = 0;  ///< of a level
  Array<FrontStrip> tiles_, blocks_;
  Array<FrontPiece> tile_pieces_, block_pieces_;
  Array<float> assembled_, forward_, update_, partial_;
  LaunchGraph graph_;
};

MERGANSER_END
