#include "solvers/linear/cholesky/explicit_inverse.h"

#include <algorithm>

#include "device/lanes.h"
#include "device/launch.h"

MERGANSER_BEGIN

namespace {
constexpr int columns_at_once = 24;  ///< of the inverse, when it is made
constexpr int sides_at_once = ExplicitInverse::padding;

/// Columns first, first + 1, ... of the identity as right sides.
struct IdentityColumns {
  static constexpr const char* name = "explicit inverse: identity";
  int first;
  View<float> sides;
  MERGANSER_METHOD void operator()(int k) const {
    sides[k] = k / columns_at_once == first + k % columns_at_once ? 1.0f : 0.0f;
  }
};
struct StoreColumns {
  static constexpr const char* name = "explicit inverse: store";
  int first, columns, stride;
  View<const float> sides;
  View<float> inverse;
  MERGANSER_METHOD void operator()(int row) const {
    for (int k = 0; k < columns; ++k) inverse[(first + k) * stride + row] = sides[row * columns_at_once + k];
  }
};

/// Rows that follow each other, as many as Lanes holds, times twelve right sides.
struct InverseProduct {
  static constexpr const char* name = "explicit inverse";
  View<const float> inverse;
  int rows, stride, right_sides, row_items;
  const float* right_side;
  View<float> solution;
  MERGANSER_METHOD void operator()(int item) const {
    const int row = item % row_items * lane_count, first = item / row_items * sides_at_once;
    Lanes sum[sides_at_once];
    for (Lanes& s : sum) s = Lanes{};
    const float* column = inverse.data + row;
    const float* b = right_side + first;
    for (int j = 0; j < rows; ++j, column += stride, b += right_sides) {
      const Lanes entry = load_lanes(column);
      for (int k = 0; k < sides_at_once; ++k) sum[k] += entry * b[k];
    }
    const int sides = right_sides - first < sides_at_once ? right_sides - first : sides_at_once;
    for (int lane = 0; lane < lane_count && row + lane < rows; ++lane)
      for (int k = 0; k < sides; ++k) solution[(row + lane) * right_sides + first + k] = value(sum[k], lane);
  }
  MERGANSER_METHOD static float value(const Lanes& x, [[maybe_unused]] int lane) {
#if MERGANSER_GPU_HALF
    return x;
#else
    return x[lane];
#endif
  }
};
}  // namespace

ExplicitInverse::ExplicitInverse(Cholesky& factor)
    : rows_(factor.setup_metrics().rows), stride_((rows_ + 7) / 8 * 8), inverse_(rows_ * stride_) {
  Array<float> sides(rows_ * columns_at_once);
  for (int first = 0; first < rows_; first += columns_at_once) {
    launch(sides.size(), IdentityColumns{first, sides.view()});
    factor.solve(sides.view(), sides.view(), columns_at_once);
    launch(rows_, StoreColumns{.first = first,
                               .columns = std::min(columns_at_once, rows_ - first),
                               .stride = stride_,
                               .sides = sides.view(),
                               .inverse = inverse_.view()});
  }
}

void ExplicitInverse::solve(View<const float> right_side, View<float> solution, int right_sides) const {
  const int row_items = (rows_ + lane_count - 1) / lane_count;
  launch(row_items * ((right_sides + sides_at_once - 1) / sides_at_once),
         InverseProduct{.inverse = inverse_.view(),
                        .rows = rows_,
                        .stride = stride_,
                        .right_sides = right_sides,
                        .row_items = row_items,
                        .right_side = right_side.data,
                        .solution = solution});
}

MERGANSER_END
