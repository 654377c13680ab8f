#include "solvers/geometry/relaxation/start_particles.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "device/compact.h"
#include "device/errors.h"
#include "device/launch_in_parts.h"
#include "device/scan.h"
#include "solvers/geometry/relaxation/particle_order.h"
#include "solvers/geometry/relaxation/relaxed_sampling.h"

MERGANSER_BEGIN

namespace {

/// Points of a block along each axis, and in all.
constexpr int points_along = 4, points_of_block = points_along * points_along * points_along;

struct Blocks {
  Vec3 origin;  ///< [m]
  float width;  ///< [m]
  Int3 count;

  MERGANSER_METHOD Vec3 corner(int block) const {
    const int row = block / count.x, layer = row / count.y;
    return origin + Vec3{float(block % count.x), float(row % count.y), float(layer)} * width;
  }
  /// One of its points.
  MERGANSER_METHOD Vec3 point(int block, int k) const {
    const int row = k / points_along, layer = row / points_along;
    const Vec3 place{float(k % points_along) + 0.5f, float(row % points_along) + 0.5f, float(layer) + 0.5f};
    return corner(block) + place * (width / points_along);
  }
};

struct CountInnerPoints {
  static constexpr const char* name = "relaxation inner points";
  FilledSolidView solid;
  Blocks blocks;
  View<int> inner, any;  ///< written
  MERGANSER_METHOD void operator()(int b) const {
    const float half = 0.5f * blocks.width, reach = 1.7321f * half + solid.grid_error;
    const float middle = solid.depth(blocks.corner(b) + Vec3{half, half, half}).distance;
    int count = middle > 0 ? points_of_block : 0;
    if (fabsf(middle) < reach) {
      count = 0;
      for (int k = 0; k < points_of_block; ++k) count += solid.depth(blocks.point(b, k)).distance > 0;
    }
    inner[b] = count;
    any[b] = count > 0;
  }
};

struct BlockCorners {
  static constexpr const char* name = "relaxation block corners";
  Blocks blocks;
  View<const int> block;
  View<Vec3> corner;  ///< [m] from the first block's, written
  MERGANSER_METHOD void operator()(int k) const { corner[k] = blocks.corner(block[k]) - blocks.origin; }
};

/// Whole and partial blocks apart, along the curve.
struct SplitShares {
  static constexpr const char* name = "relaxation block shares";
  View<const int> block, order, inner;
  int whole_from;         ///< inner points that make a block a whole one
  View<int> whole, part;  ///< written
  MERGANSER_METHOD void operator()(int k) const {
    const int count = inner[block[order[k]]];
    whole[k] = count >= whole_from;
    part[k] = count >= whole_from ? 0 : count;
  }
};

struct PlaceStarts {
  static constexpr const char* name = "relaxation starts";
  FilledSolidView solid;
  Blocks blocks;
  View<const int> block, order, inner;
  View<const int> whole_before, part_before;
  int whole_from;        ///< see SplitShares
  int parts, for_parts;  ///< inner points of all partial blocks, and the particles that they share
  View<Vec3> position;   ///< written

  /// Particles of partial blocks up to one with so many inner points before it.
  MERGANSER_METHOD int quota(int before) const {
    if (parts == 0) return 0;
    return int((2 * (long long)before * for_parts + parts) / (2 * (long long)parts));
  }
  MERGANSER_METHOD void operator()(int k) const {
    const int b = block[order[k]], count = inner[b], before = part_before[k];
    const bool is_whole = count >= whole_from;
    const int first = whole_before[k] + quota(before);
    const int own = is_whole ? 1 : quota(before + count) - quota(before);
    for (int n = 0; n < own; ++n)
      position[first + n] = solid.touching(middle_of_share(b, n * count / own, (n + 1) * count / own));
  }
  /// Of the block's inner points from number `begin` up to `end`.
  MERGANSER_METHOD Vec3 middle_of_share(int b, int begin, int end) const {
    Vec3 sum{0, 0, 0};
    int number = 0;
    const bool all = inner[b] == points_of_block;
    for (int k = 0; k < points_of_block; ++k) {
      const Vec3 x = blocks.point(b, k);
      if (!all && !(solid.depth(x).distance > 0)) continue;
      if (number >= begin && number < end) sum += x;
      ++number;
    }
    return sum * (1 / float(end - begin));
  }
};

Blocks blocks_around(const FilledSolid& solid) {
  const float width = solid.spacing();
  const auto along = [&](float extent) {
    return std::max(1.0, std::ceil(double(extent) / width - 1e-4));  // whole spacings, rounded
  };
  const Vec3 extent = solid.extent();
  const double x = along(extent.x), y = along(extent.y), z = along(extent.z);
  if (!(x * y * z <= 2e9)) {
    std::ostringstream message;
    message << "the box around the mesh holds " << x * y * z << " particles of spacing "
            << width * solid.unit()
            << " m, at most 2e9 are allowed for the relaxed sampling; raise the spacing (particleRadius) or "
               "lower "
               "--resolution";
    throw InputError(message.str());
  }
  const auto first = [&](float size, double count) { return 0.5f * (size - width * float(count)); };
  return {{first(extent.x, x), first(extent.y, y), first(extent.z, z)}, width, {int(x), int(y), int(z)}};
}

}  // namespace

Array<Vec3> start_particles(const FilledSolid& solid) {
  const Blocks blocks = blocks_around(solid);
  const int all = blocks.count.x * blocks.count.y * blocks.count.z;
  const double wanted = std::round(relaxed_count(solid.volume(), solid.spacing()));
  if (wanted < 1) {
    std::ostringstream message;
    const double unit = solid.unit();
    message << "the mesh encloses " << solid.volume() * unit * unit * unit
            << " m^3, less than half a particle of spacing " << solid.spacing() * unit
            << " m; make it larger or the spacing smaller (particleRadius, --resolution, --spacing)";
    throw InputError(message.str());
  }
  const FilledSolidView view = solid.view();
  Scratch scratch;
  Array<int> inner(all), any(all), block(all), found(1), offsets;
  launch_in_parts(all, CountInnerPoints{view, blocks, inner.view(), any.view()});
  compact_indices(any.const_view(), block.view(), found.view(), offsets, scratch);
  const int used = read_back(found.const_view(), 0);
  const View<const int> of_solid = block.const_view().subview(0, used);
  Array<Vec3> corner(used);
  launch(used, BlockCorners{blocks, of_solid, corner.view()});
  const Array<int> order = morton_order(corner.const_view(), blocks.width, scratch);
  Array<int> whole(used + 1), part(used + 1);
  const auto whole_blocks = [&](int whole_from) {
    launch(used, SplitShares{of_solid, order.const_view(), inner.const_view(), whole_from, whole.view(),
                             part.view()});
    exclusive_scan(whole.const_view().subview(0, used), whole.view(), scratch);
    return read_back(whole.const_view(), used);
  };
  // Whole blocks may stick out by less than their points tell. Where they alone are more than the volume
  // holds, all blocks share its particles.
  constexpr int none_is_whole = points_of_block + 1;
  int whole_from = points_of_block, wholes = whole_blocks(whole_from);
  if (wholes > wanted) whole_from = none_is_whole, wholes = whole_blocks(whole_from);
  exclusive_scan(part.const_view().subview(0, used), part.view(), scratch);
  const int parts = read_back(part.const_view(), used);
  const int for_parts = parts > 0 ? std::max(0, int(wanted) - wholes) : 0;
  Array<Vec3> position(wholes + for_parts);
  launch_in_parts(used, PlaceStarts{.solid = view,
                                    .blocks = blocks,
                                    .block = of_solid,
                                    .order = order.const_view(),
                                    .inner = inner.const_view(),
                                    .whole_before = whole.const_view(),
                                    .part_before = part.const_view(),
                                    .whole_from = whole_from,
                                    .parts = parts,
                                    .for_parts = for_parts,
                                    .position = position.view()});
  synchronize();  // the arrays go away
  return position;
}

MERGANSER_END
