#include "solvers/geometry/surface/brick_seeds.h"

MERGANSER_BEGIN

namespace {

struct SeedBall {
  View<const Vec3> centre;
  View<const float> radius;  ///< [m], 0 = none
  BrickLattice lattice;

  /// Calls visit(key) for every brick whose points' box is touched; nothing beyond the range of keys.
  template <class Visit>
  MERGANSER_METHOD void for_each_brick(int k, const Visit& visit) const {
    const float r = radius[k];
    if (!(r > 0)) return;
    const Vec3 c = centre[k];
    const float side = brick_side * lattice.cell;
    const Int3 low = brick_at({c.x - r, c.y - r, c.z - r}), high = brick_at({c.x + r, c.y + r, c.z + r});
    for (int z = low.z; z <= high.z; ++z)
      for (int y = low.y; y <= high.y; ++y)
        for (int x = low.x; x <= high.x; ++x) {
          const Vec3 corner{float(x) * side, float(y) * side, float(z) * side};
          const float dx = outside(c.x - corner.x, side), dy = outside(c.y - corner.y, side),
                      dz = outside(c.z - corner.z, side);
          if (dx * dx + dy * dy + dz * dz < r * r) visit(brick_key({x, y, z}));
        }
  }

 private:
  MERGANSER_METHOD Int3 brick_at(const Vec3& x) const {
    const float inverse = 1 / (brick_side * lattice.cell);
    return {clamped(floorf(x.x * inverse)), clamped(floorf(x.y * inverse)), clamped(floorf(x.z * inverse))};
  }
  MERGANSER_METHOD static int clamped(float brick) {
    const float most = brick_limit - 2;
    return static_cast<int>(brick > -most ? brick < most ? brick : most : -most);
  }
  MERGANSER_METHOD static float outside(float x, float side) { return x < 0 ? -x : x > side ? x - side : 0; }
};

struct CountSeeds {
  static constexpr const char* name = "surface count seeds";
  SeedBall ball;
  View<int> count;
  MERGANSER_METHOD void operator()(int k) const {
    int n = 0;
    ball.for_each_brick(k, [&](Word64) { ++n; });
    count[k] = n;
  }
};

struct WriteSeeds {
  static constexpr const char* name = "surface write seeds";
  SeedBall ball;
  View<const int> first;
  View<Word64> key;
  MERGANSER_METHOD void operator()(int k) const {
    int at = first[k];
    ball.for_each_brick(k, [&](Word64 brick) { key[at++] = brick; });
  }
};

}  // namespace

void BrickSeeds::find(const FieldParticles& particles, const BrickLattice& lattice, Array<Word64>& key) {
  const int count = particles.count();
  const SeedBall ball{particles.seed_centre(), particles.seed_radius(), lattice};
  first_.resize(count + 1);
  launch(count, CountSeeds{ball, first_.view().subview(0, count)});
  exclusive_scan(first_.view().subview(0, count), first_.view(), scratch_);
  key.resize(read_back(first_.const_view(), count));
  launch(count, WriteSeeds{ball, first_.const_view(), key.view()});
}

MERGANSER_END
