#include "device/uniform_grid.h"

#include <algorithm>
#include <cmath>

#include "device/atomics.h"
#include "device/launch.h"
#include "device/small_sort.h"

MERGANSER_BEGIN

namespace {

struct CountParticles {
  static constexpr const char* name = "grid count";
  View<const Vec3> position;
  GridShape shape;
  View<int> bucket_of;
  View<int> filled;
  MERGANSER_METHOD void operator()(int i) const {
    const int bucket = shape.bucket(shape.cell(position[i]));
    bucket_of[i] = bucket;
    atomic_add(&filled[bucket], 1);
  }
};

/// Puts particles into their bucket's range as they come, from its beginning on; SortBuckets restores the
/// order, and finds little to do where indices ran nearly in ascending order.
struct ScatterParticles {
  static constexpr const char* name = "grid scatter";
  View<const int> bucket_of;
  View<const int> bucket_start;
  View<int> filled;  ///< particles still to come
  View<int> order;
  MERGANSER_METHOD void operator()(int i) const {
    const int bucket = bucket_of[i];
    order[bucket_start[bucket + 1] - atomic_add(&filled[bucket], -1)] = i;
  }
};

/// Ascending order of particle indices within each bucket.
struct SortBuckets {
  static constexpr const char* name = "grid sort buckets";
  View<const int> bucket_start;
  View<int> order;
  MERGANSER_METHOD void operator()(int bucket) const {
    const int first = bucket_start[bucket];
    sort_ascending(order.data + first, bucket_start[bucket + 1] - first);
  }
};

struct GatherPositions {
  static constexpr const char* name = "grid gather positions";
  View<const Vec3> position;
  View<const int> order;
  View<Vec3> sorted;
  MERGANSER_METHOD void operator()(int i) const { sorted[i] = position[order[i]]; }
};

struct IdentityOrder {
  static constexpr const char* name = "grid identity order";
  View<int> order;
  MERGANSER_METHOD void operator()(int i) const { order[i] = i; }
};

int power_of_two_at_least(double wanted, int least, int most) {
  int n = least;
  while (n < most && n < wanted) n *= 2;
  return n;
}

/// Most buckets for one axis with the given period: cells no narrower than `cell`.
int periodic_buckets(float period, float cell, int reach) {
  const int n = static_cast<int>(std::min(std::floor(double(period) / cell * 1.000001), double(1 << 20)));
  if (n < 2 * reach + 1)
    throw InputError("a periodic axis of " + std::to_string(period) + " m is shorter than " +
                     std::to_string(2 * reach + 1) + " cells of " + std::to_string(cell) +
                     " m; make the period longer or the particles smaller");
  return n;
}

}  // namespace

void UniformGrid::set_periodic(Vec3 origin, Vec3 period) {
  shape_.origin = {period.x > 0 ? origin.x : 0, period.y > 0 ? origin.y : 0, period.z > 0 ? origin.z : 0};
  shape_.period = period;
}

Bounds UniformGrid::bounds_of(View<const Vec3> position) {
  bounds_reduction_.run(position.count, PositionBounds{position});
  return position.count > 0 ? bounds_reduction_.read() : Bounds{};
}

void UniformGrid::build(View<const Vec3> position, float radius, int reach) {
  build(position, bounds_of(position), radius, reach);
}

void UniformGrid::build_order(View<const Vec3> position, float radius, int reach) {
  build_order(position, bounds_of(position), radius, reach);
}

void UniformGrid::choose_shape(int count, float radius, int reach) {
  const float cell = radius / static_cast<float>(reach);
  shape_.reach = reach;
  int least_open = 4;  // a power of two that keeps the 2 reach + 1 cells around a particle apart
  while (least_open < 2 * reach + 2) least_open *= 2;
  const double most_buckets = std::clamp(2.0 * count, 4096.0, double(1 << 30));
  const float low[3] = {bounds_.low.x, bounds_.low.y, bounds_.low.z};
  const float high[3] = {bounds_.high.x, bounds_.high.y, bounds_.high.z};
  const float period[3] = {shape_.period.x, shape_.period.y, shape_.period.z};
  int buckets[3];
  int least[3];
  for (int axis = 0; axis < 3; ++axis) {
    const bool periodic = period[axis] > 0;
    least[axis] = periodic ? 2 * reach + 1 : least_open;
    buckets[axis] = periodic ? periodic_buckets(period[axis], cell, reach)
                             : power_of_two_at_least((double(high[axis]) - low[axis]) / cell + 1 + 2 * reach,
                                                     least_open, 1 << 20);
  }
  // Fewer buckets: on an open axis more cells share one, on a periodic axis the cells become wider.
  while (double(buckets[0]) * buckets[1] * buckets[2] > most_buckets) {
    int widest = -1;
    for (int axis = 0; axis < 3; ++axis)
      if (buckets[axis] > least[axis] && (widest < 0 || buckets[axis] > buckets[widest])) widest = axis;
    if (widest < 0) break;
    buckets[widest] = std::max(buckets[widest] / 2, least[widest]);
  }
  float inverse[3];
  for (int axis = 0; axis < 3; ++axis)
    inverse[axis] = period[axis] > 0 ? static_cast<float>(buckets[axis]) / period[axis] : 1 / cell;
  shape_.inverse_cell = {inverse[0], inverse[1], inverse[2]};
  shape_.buckets = {buckets[0], buckets[1], buckets[2]};
}

void UniformGrid::build(View<const Vec3> position, const Bounds& bounds, float radius, int reach) {
  build_order(position, bounds, radius, reach);
  position_.resize(position.count);
  launch(position.count, GatherPositions{position, order_.const_view(), position_.view()});
}

void UniformGrid::build_order(View<const Vec3> position, const Bounds& bounds, float radius, int reach) {
  const int count = position.count;
  bounds_ = count > 0 ? bounds : Bounds{{0, 0, 0}, {0, 0, 0}};
  choose_shape(count, radius, reach);
  const int bucket_count = shape_.bucket_count();
  bucket_of_.resize(count);
  order_.resize(count);
  filled_.resize(bucket_count);
  filled_.zero();
  bucket_start_.resize(bucket_count + 1);
  launch(count, CountParticles{position, shape_, bucket_of_.view(), filled_.view()});
  exclusive_scan(filled_.const_view(), bucket_start_.view(), scratch_);
  launch(count, ScatterParticles{bucket_of_.const_view(), bucket_start_.const_view(), filled_.view(),
                                 order_.view()});
  launch(bucket_count, SortBuckets{bucket_start_.const_view(), order_.view()});
  permuted_ = {};
}

void UniformGrid::use_permuted(View<const Vec3> position) {
  permuted_ = position;
  launch(order_.size(), IdentityOrder{order_.view()});
}

UniformGridView UniformGrid::view() const {
  return {shape_, bucket_start_.view(), order_.view(), permuted_.data ? permuted_ : position_.view()};
}

MERGANSER_END
