#include "solvers/methods/dfsph/rest_share.h"

#include "device/launch.h"
#include "device/uniform_grid.h"

MERGANSER_BEGIN

namespace {

template <class Kernel>
struct RestShare {
  static constexpr const char* name = "dfsph rest share";
  Kernel kernel;
  float volume, support;  ///< [m^3], [m]
  UniformGridView grid;
  View<const int> body;
  bool parts;
  View<float> share;  ///< written
  MERGANSER_METHOD void operator()(int s) const {
    const int i = grid.order[s];
    float sum = 0;
    grid.for_each_neighbor(grid.position[s], support, [&](int other, const Vec3&, float r2) {
      if (body[grid.order[other]] == body[i]) sum += kernel.value(fast_square_root(r2));
    });
    const float density = volume * sum, at_itself = volume * kernel.value(0.0f);
    const float excess = density > 1 ? density - 1 : 0.0f;
    share[i] = parts ? density - excess - at_itself : -excess;
  }
};

}  // namespace

Array<float> rest_shares(const DfsphPressure& pressure, const SystemState& solid, bool parts) {
  std::vector<Vec3> rest;
  for (const Float3& x : solid.rest_position.empty() ? solid.position : solid.rest_position)
    rest.push_back({x[0], x[1], x[2]});
  const Array<Vec3> position(rest);
  const Array<int> body(solid.body);
  const float support = 2 * pressure.smoothing_length();
  Array<float> share(position.size());
  UniformGrid grid;
  grid.build(position.const_view(), support);
  std::visit(
      [&]<class Kernel>(const Kernel& kernel) {
        launch(share.size(), RestShare<Kernel>{kernel, pressure.volume(), support, grid.view(),
                                               body.const_view(), parts, share.view()});
      },
      pressure.kernel());
  synchronize();  // what the kernel reads ends here
  return share;
}

MERGANSER_END
