#include "solvers/geometry/relaxation/particle_order.h"

#include "device/launch.h"
#include "device/sort.h"

MERGANSER_BEGIN

namespace {

constexpr float most = 2097151.0f;  // 21 bits

struct MortonKeys {
  static constexpr const char* name = "relaxation Morton keys";
  View<const Vec3> point;  ///< [m]
  float inverse_width;     ///< [1/m]
  View<Word64> key;        ///< written
  View<int> index;         ///< written
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 u = point[i] * inverse_width;
    key[i] = spread(u.x) | spread(u.y) << 1 | spread(u.z) << 2;
    index[i] = i;
  }
  /// Two zeros after each of 21 bits.
  MERGANSER_METHOD static Word64 spread(float u) {
    Word64 v = static_cast<Word64>(u > 0 ? u < most ? u : most : 0.0f);
    v = (v | v << 32) & 0x1f00000000ffffull;
    v = (v | v << 16) & 0x1f0000ff0000ffull;
    v = (v | v << 8) & 0x100f00f00f00f00full;
    v = (v | v << 4) & 0x10c30c30c30c30c3ull;
    return (v | v << 2) & 0x1249249249249249ull;
  }
};

/// Columns in 21 bits for z and y each, x in 21 bits, 32 to a width.
struct LineKeys {
  static constexpr const char* name = "relaxation line keys";
  View<const Vec3> point;  ///< [m]
  float inverse_width;     ///< [1/m]
  View<Word64> key;        ///< written
  View<int> index;         ///< written
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 u = point[i] * inverse_width;
    key[i] = bits(u.z) << 42 | bits(u.y) << 21 | bits(32 * u.x);
    index[i] = i;
  }
  MERGANSER_METHOD static Word64 bits(float u) {
    return static_cast<Word64>(u > 0 ? u < most ? u : most : 0.0f);
  }
};

template <class Keys>
Array<int> sorted_by(View<const Vec3> point, float width, Scratch& scratch) {
  Array<Word64> key(point.count);
  Array<int> index(point.count);
  launch(point.count, Keys{point, 1 / width, key.view(), index.view()});
  stable_sort_by_key(key.view(), index.view(), scratch, 63);
  return index;
}

}  // namespace

Array<int> morton_order(View<const Vec3> point, float width, Scratch& scratch) {
  return sorted_by<MortonKeys>(point, width, scratch);
}

Array<int> line_order(View<const Vec3> point, float width, Scratch& scratch) {
  return sorted_by<LineKeys>(point, width, scratch);
}

MERGANSER_END
