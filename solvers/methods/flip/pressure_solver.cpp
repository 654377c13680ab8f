#include "solvers/methods/flip/pressure_solver.h"

#include <algorithm>
#include <cmath>

MERGANSER_BEGIN

void FlipPressure::place(Int3 low, Int3 cells, float dx, WallView walls, bool walls_moved) {
  if (grid_.low == low && grid_.cells == cells && !walls_moved) return;
  const bool resized = !(grid_.cells == cells);
  grid_.low = low;
  grid_.cells = cells;
  grid_.dx = dx;
  grid_.inverse_dx = 1 / dx;
  grid_.box = RedBlackBox(cells);
  const int count = grid_.box.count();
  if (resized) {
    for (Array<float>* a :
         {&fill_, &phi_, &density_error_, &corner_distance_, &right_side_, &behind_walls_, &motion_}) {
      a->resize(count);
      a->zero();
    }
    for (Array<signed char>* a : {&kind_, &between_layers_}) {
      a->resize(count);
      a->zero();
    }
    pressure_.resize(count);
    open_.resize(count);
    offset_.resize(count);
    mobility_.resize(count);
    change_.resize(count);
    known_.resize(count);
    matrix_.resize(cells);
  }
  const Int3 corners{cells.x + 1, cells.y + 1, cells.z + 1};  // the last cells' are in the padding
  const Int3 padded{cells.x + 2, cells.y + 2, cells.z + 2};
  std::visit(
      [&]<class Shapes>(const Shapes& known) {
        launch_cells(corners, WallDistanceAtCorners<Shapes>{grid_, known, corner_distance_.view()});
        launch_cells(padded, SharesBehindWalls<Shapes>{grid_, known, behind_walls_.view()});
        launch_cells(cells, OpenShares<Shapes>{grid_, known, corner_distance_.const_view(), open_.view(),
                                               offset_.view()});
      },
      by_shape(walls));
}

void FlipPressure::mark(const FlipFluids& own, const UniformGridView& foreign, const UniformGridView& bodies,
                        WallView walls, float spacing, FaceViews<const float> passage,
                        const std::vector<float>& densities, View<const float> ease,
                        const GatheredFluids& moving, float g) {
  own_ = own;
  volume_ = static_cast<float>(std::pow(spacing / grid_.dx, 3));
  std::visit(
      [&]<class Shapes>(const Shapes& known) {
        const FillFraction<Shapes> filled{grid_, own, foreign, bodies, known, spacing};
        launch_cells(grid_.cells, MarkCells<Shapes>{filled, open_.const_view(), fill_.view(), kind_.view()});
        launch_cells(grid_.cells, DensityError{.grid = grid_,
                                               .own = own,
                                               .foreign = foreign,
                                               .bodies = bodies,
                                               .kind = kind_.const_view(),
                                               .behind_walls = behind_walls_.const_view(),
                                               .volume = volume_,
                                               .error = density_error_.view()});
        launch_cells(grid_.cells,
                     SurfaceDistance<Shapes>{filled, kind_.const_view(), fill_.const_view(), phi_.view()});
      },
      by_shape(walls));
  face_density_.resize(densities.empty() ? 0 : grid_.box.count());
  if (!densities.empty()) {
    FaceDensity of_faces{.grid = grid_, .own = own, .density = {}, .to = face_density_.view()};
    std::copy(densities.begin(), densities.end(), of_faces.density);
    launch_cells(grid_.cells, of_faces);
  }
  for (FaceArrays<float>* faces : others_.all()) faces->resize(ease.empty() ? 0 : grid_.box.count());
  if (!ease.empty())
    launch_cells(grid_.cells, WeighOthers{.grid = grid_,
                                          .kind = kind_.const_view(),
                                          .behind_walls = behind_walls_.const_view(),
                                          .own = own,
                                          .density = face_density_.const_view(),
                                          .others = foreign,
                                          .ease = ease,
                                          .volume = volume_,
                                          .to = others_.view()});
  if (moving.count == 0)
    motion_.zero();
  else
    launch_cells(grid_.cells, CellMotion{grid_, moving, 0.25f * g * grid_.dx, motion_.view()});
  find_matrix(passage);
}

void FlipPressure::find_matrix(FaceViews<const float> passage) {
  launch_cells(grid_.cells, FaceMobility{.grid = grid_,
                                         .kind = kind_.const_view(),
                                         .phi = phi_.const_view(),
                                         .density_error = density_error_.const_view(),
                                         .motion = motion_.const_view(),
                                         .behind_walls = behind_walls_.const_view(),
                                         .density = face_density_.const_view(),
                                         .own = own_,
                                         .others = others_.const_view(),
                                         .volume = volume_,
                                         .open = open_.const_view(),
                                         .passage = passage,
                                         .mobility = mobility_.view()});
  launch_cells(grid_.cells, PressureCoefficients{.grid = grid_,
                                                 .kind = kind_.const_view(),
                                                 .open = passage,
                                                 .mobility = mobility_.const_view(),
                                                 .to = matrix_.coefficients()});
  matrix_.build();
}

LinearSolveResult FlipPressure::solve(View<const float> right_side, double tolerance, int max_iterations,
                                      bool start_over, int expected, OperatorTerm* term,
                                      const std::function<void()>& look, double least) {
  if (start_over) pressure_.zero();
  const LinearSolveResult result = solver_.solve(matrix_, right_side, pressure_.view(),
                                                 {.tolerance = tolerance,
                                                  .max_iterations = max_iterations,
                                                  .reference = 0,
                                                  .least = least,
                                                  .expected = expected},
                                                 term, look);
  launch_cells(grid_.cells, PressureChange{.grid = grid_,
                                           .kind = kind_.const_view(),
                                           .pressure = pressure_.const_view(),
                                           .open = open_.const_view(),
                                           .mobility = mobility_.const_view(),
                                           .change = change_.view(),
                                           .known = known_.view()});
  return result;
}

PartsFromWall FlipPressure::parts_from_wall(double least, FaceViews<const float> passage) const {
  return {grid_, kind_.const_view(), open_.const_view(), passage, pressure_.const_view(), least};
}

void FlipPressure::count_parted(double least, FaceViews<const float> passage) {
  parted_.run(grid_.inner_cells(), parts_from_wall(least, passage));
}

bool FlipPressure::part_from_walls(double least, FaceViews<const float> passage) {
  if (parted_.fetched() == 0) return false;
  launch(grid_.inner_cells(), PartFromWalls{parts_from_wall(least, passage), kind_.view(), pressure_.view()});
  find_matrix(passage);
  return true;
}

void FlipPressure::extrapolate(WallView walls, const GatheredFluids& fluids) {
  for (int axis = 0; axis < 3; ++axis)
    for (int layer = 0; layer < extrapolated_layers; layer += 2)
      extrapolate_two_layers(grid_, change_.axis[axis], known_.axis[axis], between_layers_);
  if (walls.count == 0) return;
  std::visit(
      [&]<class Shapes>(const Shapes& known) {
        for (int axis = 0; axis < 3; ++axis)
          launch_cells(grid_.cells, ConstrainClosedFaces<Shapes>{.grid = grid_,
                                                                 .walls = known,
                                                                 .fluids = fluids,
                                                                 .axis = axis,
                                                                 .open = open_.const_view(),
                                                                 .known = known_.const_view(),
                                                                 .change = change_.view()});
      },
      by_shape(walls));
}

MERGANSER_END
