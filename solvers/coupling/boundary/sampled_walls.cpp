#include "solvers/coupling/boundary/sampled_walls.h"

#include <cmath>

#include "device/launch.h"
#include "solvers/base/to_vec3.h"

MERGANSER_BEGIN

namespace {

struct SampleVolumes {
  static constexpr const char* name = "volumes of boundary samples";
  EitherKernel kernel;
  float support;         ///< [m]
  float of_plane;        ///< c
  UniformGridView grid;  ///< of the samples
  View<const Vec3> at;   ///< [m] where to ask
  View<float> volume;    ///< [m^3] written
  MERGANSER_METHOD void operator()(int i) const {
    float sum = 0;
    grid.for_each_neighbor(at[i], support,
                           [&](int, const Vec3&, float r2) { sum += kernel.value(fast_square_root(r2)); });
    volume[i] = of_plane / sum;
  }
};

/// sum_k W_bk spacing^3 on a square lattice.
float constant_of_plane(const EitherKernel& kernel, float support, float spacing) {
  const int reach = static_cast<int>(std::ceil(support / spacing));
  float sum = 0;
  for (int y = -reach; y <= reach; ++y)
    for (int x = -reach; x <= reach; ++x) sum += kernel.value(spacing * std::hypot(float(x), float(y)));
  return sum * spacing * spacing * spacing;
}

}  // namespace

SampledWall::SampledWall(const WallSamples& samples, const EitherKernel& kernel, float h, float spacing)
    : kernel_(kernel),
      support_(2 * h),
      origin_(to_vec3(samples.origin)),
      direction_{to_vec3(samples.direction[0]), to_vec3(samples.direction[1])},
      period_{static_cast<float>(samples.period[0]), static_cast<float>(samples.period[1])},
      repeats_(samples.repeats) {
  std::vector<Vec3> points;
  for (const Point3& x : samples.points) points.push_back(to_vec3(x));
  const Array<Vec3> unsorted(points);
  grid_.build(unsorted.const_view(), support_);
  // A repeated piece ends too early for the kernels of its outer samples.
  const std::vector<Vec3> middle(points.size(), origin_);
  const Array<Vec3> asked = repeats_ > 0 ? Array<Vec3>(middle) : Array<Vec3>();
  volume_.resize(unsorted.size());
  launch(volume_.size(),
         SampleVolumes{kernel_, support_, constant_of_plane(kernel_, support_, spacing), grid_.view(),
                       repeats_ > 0 ? asked.const_view() : grid_.view().position, volume_.view()});
  synchronize();  // `asked` goes away
}

SampledWallView SampledWall::view() const {
  return {.kernel = kernel_,
          .support = support_,
          .grid = grid_.view(),
          .volume = volume_.const_view(),
          .origin = origin_,
          .direction = {direction_[0], direction_[1]},
          .period = {period_[0], period_[1]},
          .repeats = repeats_};
}

MERGANSER_END
