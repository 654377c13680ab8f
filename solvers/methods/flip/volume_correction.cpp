#include "solvers/methods/flip/volume_correction.h"

#include "device/sum_of.h"

MERGANSER_BEGIN

namespace {
constexpr double tolerance = 1e-2;  ///< of the solve
constexpr int max_iterations = 10;
constexpr float longest = 0.05f;  ///< cells a step
}  // namespace

void VolumeCorrection::find(FlipPressure& pressure, WallView walls, double share) {
  const FlipGrid& grid = pressure.grid();
  const int count = grid.box.count();
  largest_.run(count, maximum_of(LargestDensityError{pressure.density_error()}));
  launch_cells(grid.cells, DisplacementSource{grid, pressure.density_error(),
                                              static_cast<float>(share) * grid.dx, pressure.right_side()});
  expected_ = pressure.solve(pressure.right_side(), tolerance, max_iterations, true, expected_).iterations;
  pressure.extrapolate(walls);
}

void displace(const FlipPressure& pressure, const FlipFluids& fluids, float spacing, double share,
              const GridShape& lattice, WallView walls, View<const Vec3> position, View<Vec3> displacement) {
  const FlipGrid& grid = pressure.grid();
  launch(position.count, ParticleDisplacement{.grid = grid,
                                              .lattice = lattice,
                                              .position = position,
                                              .change = pressure.change(),
                                              .most = longest * grid.dx,
                                              .displacement = displacement});
  std::visit(
      [&]<class Shapes>(const Shapes& known) {
        launch(position.count, PushApart<Shapes>{.fluids = fluids,
                                                 .walls = known,
                                                 .position = position,
                                                 .spacing = spacing,
                                                 .share = static_cast<float>(share),
                                                 .most = longest * grid.dx,
                                                 .displacement = displacement});
      },
      by_shape(walls));
}

MERGANSER_END
