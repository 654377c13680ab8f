#include "solvers/geometry/relaxation/particle_order.h"

#include "device/launch.h"
#include "device/sort.h"

MERGANSER_BEGIN

namespace {

/// A coordinate in widths, cut to 21 bits.
MERGANSER_FN Word64 cut(float u) {
  constexpr float most = 2097151.0f;
  return static_cast<Word64>(u > 0 ? u < most ? u : most : 0.0f);
}

struct AlongMortonCurve {
  static constexpr const char* name = "relaxation Morton keys";
  MERGANSER_METHOD static Word64 key(const Vec3& u) {
    return spread(u.x) | spread(u.y) << 1 | spread(u.z) << 2;
  }
  /// Two zeros after each of 21 bits.
  MERGANSER_METHOD static Word64 spread(float u) {
    Word64 v = cut(u);
    v = (v | v << 32) & 0x1f00000000ffffull;
    v = (v | v << 16) & 0x1f0000ff0000ffull;
    v = (v | v << 8) & 0x100f00f00f00f00full;
    v = (v | v << 4) & 0x10c30c30c30c30c3ull;
    return (v | v << 2) & 0x1249249249249249ull;
  }
};

/// Columns by z and y, within them x, 32 steps to a width.
struct AlongLines {
  static constexpr const char* name = "relaxation line keys";
  MERGANSER_METHOD static Word64 key(const Vec3& u) {
    return cut(u.z) << 42 | cut(u.y) << 21 | cut(32 * u.x);
  }
};

template <class Order>
struct OrderKeys {
  static constexpr const char* name = Order::name;
  View<const Vec3> point;  ///< [m]
  float inverse_width;     ///< [1/m]
  View<Word64> key;        ///< written
  View<int> index;         ///< written
  MERGANSER_METHOD void operator()(int i) const {
    key[i] = Order::key(point[i] * inverse_width);
    index[i] = i;
  }
};

template <class Order>
Array<int> sorted(View<const Vec3> point, float width, Scratch& scratch) {
  Array<Word64> key(point.count);
  Array<int> index(point.count);
  launch(point.count, OrderKeys<Order>{point, 1 / width, key.view(), index.view()});
  stable_sort_by_key(key.view(), index.view(), scratch, 63);
  return index;
}

}  // namespace

Array<int> morton_order(View<const Vec3> point, float width, Scratch& scratch) {
  return sorted<AlongMortonCurve>(point, width, scratch);
}

Array<int> line_order(View<const Vec3> point, float width, Scratch& scratch) {
  return sorted<AlongLines>(point, width, scratch);
}

MERGANSER_END
