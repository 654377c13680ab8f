#pragma once
/// The grid of a FLIP fluid: where it lies, which cells are fluid, and the solves on it.
#include <array>

#include "solvers/linear/krylov/grid_conjugate_gradient.h"
#include "solvers/methods/flip/projection.h"

MERGANSER_BEGIN

struct OtherFaceArrays {
  FaceArrays<float> weight, mass, ease, volume, lean;
  std::array<FaceArrays<float>*, 5> all() { return {&weight, &mass, &ease, &volume, &lean}; }
  OtherFaces<float> view() { return {weight.view(), mass.view(), ease.view(), volume.view(), lean.view()}; }
  OtherFaces<const float> const_view() const {
    return {weight.const_view(), mass.const_view(), ease.const_view(), volume.const_view(),
            lean.const_view()};
  }
};

class FlipPressure {
 public:
  /// The box with room for these lattice cells; open shares of faces are computed where it or walls have
  /// changed.
  void place(Int3 low, Int3 cells, float dx, WallView walls, bool walls_moved = false);
  const FlipGrid& grid() const { return grid_; }

  /// Cells, free surface, density and matrix for particles of this spacing [m] where they are now.
  /// `passage`: open share of faces that the fluid has for itself; open() where nothing else is said.
  /// `bodies`: those in the solve. `densities`: of the fluids over that of the first one, where they differ.
  /// ease: of foreign particles. moving: velocities of the fluids, with g [m/s^2] for CellMotion; none: at
  /// rest.
  void mark(const FlipFluids& own, const UniformGridView& foreign, const UniformGridView& bodies,
            WallView walls, float spacing, FaceViews<const float> passage,
            const std::vector<float>& densities = {}, View<const float> ease = {},
            const GatheredFluids& moving = {}, float g = 0);

  /// Solves for the unknowns p of a right side and turns them into changes of the faces that touch fluid.
  /// `start_over`: from zero, else from the last solution. expected: see LinearSolveLimits. term: of bodies.
  /// look: see GridConjugateGradient. least: of the norm that the tolerance refers to.
  LinearSolveResult solve(View<const float> right_side, double tolerance, int max_iterations, bool start_over,
                          int expected = 8, OperatorTerm* term = nullptr,
                          const std::function<void()>& look = {}, double least = 0);
  /// Counts cells whose pressure p is below `least` [m/s] and that part from walls (PartsFromWall).
  void count_parted(double least, FaceViews<const float> passage);
  /// Parts the cells that the count of the last fetch_results() was of. True where there are any: then
  /// another solve is due.
  bool part_from_walls(double least, FaceViews<const float> passage);
  /// Extrapolates the changes beyond the fluid; velocities of `fluids` on faces behind walls follow these.
  /// Without fluids: changes of nothing, by walls at rest.
  void extrapolate(WallView walls, const GatheredFluids& fluids = {});
  FaceViews<const float> change() const { return change_.const_view(); }
  FaceViews<const float> mobility() const { return mobility_.const_view(); }
  OtherFaces<const float> others() const { return others_.const_view(); }
  FaceViews<const float> face_density() const { return face_density_.const_view(); }  ///< of the fluids
  View<const float> behind_walls() const { return behind_walls_.const_view(); }       ///< share of cells
  FaceViews<const signed char> known() const { return known_.const_view(); }          ///< faces of the solve
  FaceViews<float> writable_change() { return change_.view(); }
  FaceViews<signed char> writable_known() { return known_.view(); }  ///< which of them are

  View<const signed char> kind() const { return kind_.const_view(); }
  View<const float> density_error() const { return density_error_.const_view(); }  ///< rho/rho0 - 1
  FaceViews<const float> open() const { return open_.const_view(); }
  FaceViews<const FaceOffset> offset() const { return offset_.const_view(); }  ///< of open parts [cells]
  /// [m] from the lower corner of a cell to the nearest wall
  View<const float> corner_distance() const { return corner_distance_.const_view(); }
  View<const double> pressure() const { return pressure_.const_view(); }  ///< [m/s] unknowns by slot
  View<float> right_side() { return right_side_.view(); }
  Array<signed char>& between_layers() { return between_layers_; }  ///< scratch of extrapolate_two_layers

 private:
  PartsFromWall parts_from_wall(double least, FaceViews<const float> passage) const;
  void find_matrix(FaceViews<const float> passage);

  FlipGrid grid_;
  FlipFluids own_;    ///< of the last mark()
  float volume_ = 0;  ///< of their particles / dx^3
  Reduction<int> parted_;
  Array<float> fill_, phi_, density_error_, corner_distance_, right_side_, behind_walls_, motion_;
  Array<signed char> kind_, between_layers_;
  Array<double> pressure_;
  FaceArrays<float> open_, mobility_, change_;
  FaceArrays<FaceOffset> offset_;
  OtherFaceArrays others_;          ///< empty: there are none
  FaceArrays<float> face_density_;  ///< empty: fluids are equally dense
  FaceArrays<signed char> known_;
  Multigrid matrix_;
  GridConjugateGradient solver_;
};

MERGANSER_END
