#include "solvers/linear/multigrid/multigrid.h"

#include <algorithm>

#include "device/launch.h"
#include "device/sum_of.h"
#include "solvers/linear/multigrid/coarse_cycle.h"
#include "solvers/linear/multigrid/coarse_operator.h"

MERGANSER_BEGIN

ColorOperator::ColorOperator(const RedBlackBox& box, View<const float> face_x, View<const float> face_y,
                             View<const float> face_z, View<const float> all_diagonals, int color)
    : diagonal(all_diagonals.data + color * box.half()), at(box, color) {
  const float* face[3] = {face_x.data, face_y.data, face_z.data};
  for (int axis = 0; axis < 3; ++axis) {
    own[axis] = face[axis] + color * box.half();
    beyond[axis] = face[axis] + (1 - color) * box.half();
  }
}

namespace {
constexpr int finest_sweeps = 1;    ///< red-black sweeps before and after the coarse correction
constexpr int coarse_sweeps = 2;    ///< on coarser grids, where they cost little
constexpr int coarsest_cells = 4;   ///< along the longest axis
constexpr int coarsest_sweeps = 6;  ///< there, in each order

struct SumDirichlet {
  static constexpr const char* name = "multigrid singular";
  View<const float> dirichlet;
  MERGANSER_METHOD double operator()(int i) const { return dirichlet[i]; }
};

}  // namespace

ColorOperator Multigrid::Level::color_operator(int color) const {
  return {box,  face[0].const_view(), face[1].const_view(), face[2].const_view(), diagonal.const_view(),
          color};
}

void Multigrid::resize(Int3 cells) {
  size_t depth = 0;
  for (;; ++depth) {
    if (depth == levels_.size()) levels_.push_back(std::make_unique<Level>());
    Level& level = *levels_[depth];
    level.cells = cells;
    level.box = RedBlackBox(cells);
    const int count = level.box.count();
    for (Array<float>* a : {&level.face[0], &level.face[1], &level.face[2], &level.dirichlet, &level.diagonal,
                            &level.inverse_diagonal, &level.residual}) {
      a->resize(a == &level.residual ? level.box.half() : count);
      a->zero();
    }
    if (depth > 0)
      for (Array<float>* a : {&level.solution, &level.right_side}) {
        a->resize(count);
        a->zero();
      }
    if (std::max({cells.x, cells.y, cells.z}) <= coarsest_cells) break;
    cells = {(cells.x + 1) / 2, (cells.y + 1) / 2, (cells.z + 1) / 2};
  }
  levels_.resize(depth + 1);
}

GridCoefficients Multigrid::coefficients() {
  Level& finest = *levels_.front();
  return {finest.box,
          {finest.face[0].view(), finest.face[1].view(), finest.face[2].view()},
          finest.dirichlet.view()};
}

void Multigrid::build_levels() {
  for (size_t depth = 0; depth < levels_.size(); ++depth) {
    Level& level = *levels_[depth];
    if (depth > 0) {
      const Level& finer = *levels_[depth - 1];
      launch_cells(level.cells, CoarsenCoefficients{.fine = finer.box,
                                                    .coarse = level.box,
                                                    .from_x = finer.face[0].const_view(),
                                                    .from_y = finer.face[1].const_view(),
                                                    .from_z = finer.face[2].const_view(),
                                                    .from_dirichlet = finer.dirichlet.const_view(),
                                                    .face_x = level.face[0].view(),
                                                    .face_y = level.face[1].view(),
                                                    .face_z = level.face[2].view(),
                                                    .dirichlet = level.dirichlet.view()});
    }
    for (int color = 0; color < 2; ++color) {
      const int offset = color * level.box.half();
      const int first = level.box.first_inside(color);
      launch_runs(level.box.count_inside(color),
                  Diagonal{.matrix = level.color_operator(color).from(first),
                           .dirichlet = level.dirichlet.data() + offset + first,
                           .diagonal = level.diagonal.data() + offset + first,
                           .inverse = level.inverse_diagonal.data() + offset + first});
    }
  }
  const Level& finest = *levels_.front();
  dirichlet_.run(finest.box.count(), sum_of(SumDirichlet{finest.dirichlet.const_view()}));
}

void Multigrid::build() {
  LaunchKey key = {dirichlet_.scratch()};
  for (const std::unique_ptr<Level>& level : levels_) key.push_back(level->dirichlet.data());
  add_to_key(key);
  build_.run(key, [&] { build_levels(); });
}

int Multigrid::sweeps(size_t depth) const {
  return depth + 1 == levels_.size() ? coarsest_sweeps : depth == 0 ? finest_sweeps : coarse_sweeps;
}

FirstSweep Multigrid::first_sweep(const Level& level, View<const float> b, View<float> x) const {
  return {b.data, level.inverse_diagonal.data(), x.data};
}

Sweep Multigrid::sweep(const Level& level, View<const float> b, View<float> x, int color) const {
  const int first = level.box.first_inside(color), half = level.box.half(), own = color * half + first;
  return {.matrix = level.color_operator(color).from(first),
          .b = b.data + own,
          .inverse = level.inverse_diagonal.data() + own,
          .other = x.data + (1 - color) * half + first,
          .x = x.data + own};
}

RedResidual Multigrid::red_residual(Level& level, View<const float> b, View<const float> x) const {
  const int first = level.box.first_inside(0);
  return {.matrix = level.color_operator(0).from(first),
          .b = b.data + first,
          .black = x.data + level.box.half() + first,
          .red = x.data + first,
          .residual = level.residual.data() + first};
}

/// Between a level and the next coarser one.
CoarseToFine Multigrid::transfer(size_t depth) const {
  const Level& coarse = *levels_[depth + 1];
  return {.fine = levels_[depth]->box,
          .coarse = coarse.box,
          .face = {coarse.face[0].data(), coarse.face[1].data(), coarse.face[2].data()}};
}

namespace {
/// Work on runs of cells, or on all coarse cells, while *active.
template <class Functor>
void launch_phase(int count, const Functor& functor, [[maybe_unused]] const int* active) {
#if MERGANSER_GPU_HALF
  launch_runs(count, WhileActive<Functor>{functor, active});
#else
  launch_runs(count, functor);
#endif
}
template <class Functor>
void launch_phase(Int3 cells, const Functor& functor, [[maybe_unused]] const int* active) {
#if MERGANSER_GPU_HALF
  launch_cells(cells, WhileActive<Functor>{functor, active});
#else
  launch_cells(cells, functor);
#endif
}
}  // namespace

void Multigrid::smooth(const Level& level, View<const float> b, View<float> x, int color,
                       const int* active) const {
  launch_phase(level.box.count_inside(color), sweep(level, b, x, color), active);
}

void Multigrid::cycle(size_t depth, View<const float> b, View<float> x, const Way& way) {
  if (depth >= way.in_block) return cycle_in_block(depth, b, x, way.active);
  Level& level = *levels_[depth];
  launch_phase(level.box.half(), first_sweep(level, b, x), way.active);
  smooth(level, b, x, 1, way.active);
  for (int s = 1; s < sweeps(depth); ++s)
    for (int color : {0, 1}) smooth(level, b, x, color, way.active);
  if (depth + 1 < levels_.size()) {
    Level& coarse = *levels_[depth + 1];
    launch_phase(level.box.count_inside(0), red_residual(level, b, x), way.active);
    launch_phase(coarse.cells,
                 RestrictResidual{transfer(depth), level.residual.data(), coarse.right_side.data()},
                 way.active);
    cycle(depth + 1, coarse.right_side.const_view(), coarse.solution.view(), way);
    launch_phase(
        coarse.cells,
        ProlongCorrection{transfer(depth), coarse.solution.data(), level.inverse_diagonal.data(), x.data},
        way.active);
  }
  for (int s = 0; s < sweeps(depth); ++s)
    for (int color : {1, 0}) smooth(level, b, x, color, way.active);
}

void Multigrid::cycle_in_block(size_t depth, View<const float> b, View<float> x, const int* active) {
  CoarseCycle work{.levels = static_cast<int>(levels_.size() - depth), .active = active};
  for (int k = 0; k < work.levels; ++k) {
    Level& level = *levels_[depth + size_t(k)];
    const auto right_side = k == 0 ? b : level.right_side.const_view();
    const auto solution = k == 0 ? x : level.solution.view();
    CycleLevel& to = work.level[k];
    to.half = level.box.half();
    to.sweeps = sweeps(depth + size_t(k));
    to.first = first_sweep(level, right_side, solution);
    for (int color : {0, 1}) {
      to.inside[color] = level.box.count_inside(color);
      to.sweep[color] = sweep(level, right_side, solution, color);
    }
    if (k + 1 == work.levels) continue;
    Level& coarse = *levels_[depth + size_t(k) + 1];
    to.coarse_cells = coarse.cells;
    to.residual = red_residual(level, right_side, solution);
    to.restriction = {transfer(depth + size_t(k)), level.residual.data(), coarse.right_side.data()};
    to.prolongation = {transfer(depth + size_t(k)), coarse.solution.data(), level.inverse_diagonal.data(),
                       solution.data};
  }
  launch_block(work);
}

void Multigrid::precondition(View<const float> r, View<float> z, const int* active) {
#if MERGANSER_GPU_HALF
  size_t in_block = levels_.size();
  while (in_block > 0 && fits_block(levels_[in_block - 1]->cells)) --in_block;
  cycle(0, r, z, {in_block, active});
#else
  cycle(0, r, z, {levels_.size(), active});
#endif
}

void Multigrid::precondition_by_levels(View<const float> r, View<float> z) {
  cycle(0, r, z, {levels_.size(), nullptr});
}

void Multigrid::add_to_key(LaunchKey& key) const {
  for (const std::unique_ptr<Level>& level : levels_) {
    for (int size : {level->cells.x, level->cells.y, level->cells.z})
      merganser::MERGANSER_BACKEND::add_to_key(key, size);
    for (const Array<float>* array :
         {&level->face[0], &level->face[1], &level->face[2], &level->diagonal, &level->inverse_diagonal,
          &level->solution, &level->right_side, &level->residual})
      key.push_back(array->data());
  }
}

MERGANSER_END
