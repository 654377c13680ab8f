#pragma once
/// Between rows and the functions of their parts. Values of row r, side k are at [r * sides + k]; sides are
/// taken three at a time, x, y and z.
#include "device/row_sums.h"
#include "device/vector_math.h"
#include "solvers/linear/two_level/coarse_level.h"

MERGANSER_BEGIN

inline constexpr int sides_together = 3;

/// Products of a part's functions with three sides: sum over its rows of phi_a(r) b_r.
struct FunctionSums {
  double of[part_functions][sides_together];
};

/// P^T b: row `item` of the sums is a part and three sides.
struct RestrictToParts {
  static constexpr const char* name = "two-level restriction";
  using Value = FunctionSums;
  View<const int> first;  ///< of each part, and the end
  View<const FunctionValues> function;
  View<const float> rows;
  int sides, groups;  ///< groups of sides that are taken together
  View<float> coarse;
  MERGANSER_METHOD int begin(int item) const { return first[item / groups]; }
  MERGANSER_METHOD int end(int item) const { return first[item / groups + 1]; }
  MERGANSER_METHOD int first_side(int item) const { return item % groups * sides_together; }
  MERGANSER_METHOD int side_count(int item) const {
    const int left = sides - first_side(item);
    return left < sides_together ? left : sides_together;
  }
  MERGANSER_METHOD Value operator()(int item, int row) const {
    const FunctionValues phi = function[row];
    const int at = row * sides + first_side(item), count = side_count(item);
    Value sum = identity();
    for (int a = 0; a < part_functions; ++a)
      for (int k = 0; k < count; ++k) sum.of[a][k] = double(phi.of[a]) * double(rows[at + k]);
    return sum;
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    Value sum;
    for (int f = 0; f < part_functions; ++f)
      for (int k = 0; k < sides_together; ++k) sum.of[f][k] = a.of[f][k] + b.of[f][k];
    return sum;
  }
  MERGANSER_METHOD void finish(int item, const Value& sum) const {
    const int at = item / groups * part_functions, side = first_side(item), count = side_count(item);
    for (int a = 0; a < part_functions; ++a)
      for (int k = 0; k < count; ++k) coarse[(at + a) * sides + side + k] = static_cast<float>(sum.of[a][k]);
  }
};

/// x += P c.
struct AddPartFunctions {
  static constexpr const char* name = "two-level prolongation";
  View<const int> part;  ///< of a row
  View<const FunctionValues> function;
  View<const float> coarse;
  int sides;
  View<float> rows;
  MERGANSER_METHOD void operator()(int row) const {
    const FunctionValues phi = function[row];
    const float* c = coarse.data + part[row] * part_functions * sides;
    for (int k = 0; k < sides; ++k) {
      float sum = 0;
      for (int a = 0; a < part_functions; ++a) sum += phi.of[a] * c[a * sides + k];
      rows[row * sides + k] += sum;
    }
  }
};

MERGANSER_END
