#include "solvers/methods/flip/flip_sheets.h"

#include "device/compact.h"
#include "solvers/core/method.h"
#include "solvers/methods/flip/covered_faces.h"
#include "solvers/methods/flip/foreign_particles.h"

MERGANSER_BEGIN

namespace {

/// 1 for particles of sheets but for bodies that wait for their start and what is off the grid.
struct FlagSheets {
  static constexpr const char* name = "flip flag sheets";
  FlipGrid grid;
  View<const Vec3> position, area;
  View<const int> system;
  View<int> flag;
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 low = grid.corner(-1, -1, -1),
               high = grid.corner(grid.cells.x + 3, grid.cells.y + 3, grid.cells.z + 3);
    const Vec3 x = position[i];
    flag[i] = system[i] >= 0 && norm_squared(area[i]) > 0 && x.x > low.x && x.y > low.y && x.z > low.z &&
              x.x < high.x && x.y < high.y && x.z < high.z;
  }
};

}  // namespace

FlipSheets::FlipSheets(const InitialState& initial) {
  for (size_t s = 0; s < initial.systems.size(); ++s) {
    const SystemState& system = initial.systems[s];
    if (!system.method || system.method->word != "massSpring" || system.triangles.empty()) continue;
    std::vector<int> first(system.position.size() + 1, 0);
    for (const Triangle& triangle : system.triangles)
      for (const int corner : triangle) ++first[size_t(corner) + 1];
    for (size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    std::vector<int> corner(size_t(first.back()) * 2), next(first.begin(), first.end() - 1);
    for (const Triangle& triangle : system.triangles)
      for (size_t k = 0; k < 3; ++k) {
        const size_t place = 2 * size_t(next[size_t(triangle[k])]++);
        corner[place] = triangle[(k + 1) % 3];
        corner[place + 1] = triangle[(k + 2) % 3];
      }
    systems_.push_back(static_cast<int>(s));
    sheets_.emplace_back();
    sheets_.back().first.assign(first);
    sheets_.back().corner.assign(corner);
  }
}

void FlipSheets::find(const ParticleStore& store, const FlipGrid& grid, FaceViews<const float> open,
                      double cell_mass) {
  count_ = 0;
  listed_ = false;
  if (systems_.empty()) return;
  grid_ = grid;
  cell_mass_ = static_cast<float>(cell_mass);
  for (Array<int>* a : {&flag_, &index_}) a->resize(store.count());
  total_.resize(1);
  all_areas_.resize(store.count());
  all_areas_.zero();
  for (size_t k = 0; k < systems_.size(); ++k) {
    const Range own = store.range(systems_[k]);
    launch(own.count, SheetAreas{.first = sheets_[k].first.const_view(),
                                 .corner = sheets_[k].corner.const_view(),
                                 .position = store.position.const_view().subview(own.first, own.count),
                                 .area = all_areas_.view().subview(own.first, own.count)});
  }
  launch(store.count(), FlagSheets{grid, store.position.const_view(), all_areas_.const_view(),
                                   store.system.const_view(), flag_.view()});
  compact_indices(flag_.const_view(), index_.view(), total_.view(), offset_, scratch_);
  count_ = read_back(total_.const_view(), 0);
  if (count_ == 0) return;
  for (Array<Vec3>* a : {&area_, &position_, &before_, &velocity_, &inverse_, &gained_}) a->resize(count_);
  launch(count_, GatherForeign{store.position.const_view(), index_.const_view(), position_.view()});
  launch(count_, GatherForeign{all_areas_.const_view(), index_.const_view(), area_.view()});
  sorted_.build(position_.const_view(), grid.dx);
  distance_.resize(grid.box.count());
  for (FaceArrays<float>* faces : {&met_, &inverse_sum_, &passage_, &response_, &difference_})
    faces->resize(grid.box.count());
  launch_cells(grid.cells, FindSheetDistance{points(), distance_.view()});
  launch_cells(grid.cells, FindClosedFaces{.sheets = points(),
                                           .distance = distance_.const_view(),
                                           .open = open,
                                           .met = met_.view(),
                                           .inverse_sum = inverse_sum_.view(),
                                           .passage = passage_.view()});
}

void FlipSheets::list_rows() {
  const int rows = 3 * count_;
  first_.resize(rows + 1);
  launch(rows, CountSheetRows{faces(), position_.const_view(), first_.view()});
  exclusive_scan(first_.const_view().subview(0, rows), first_.view(), scratch_);
  const int entries = read_back(first_.const_view(), rows);
  face_.resize(entries);
  weight_.resize(entries);
  launch(rows,
         FillSheetRows{faces(), position_.const_view(), first_.const_view(), face_.view(), weight_.view()});
  listed_ = true;
}

void FlipSheets::join(const StepContext& step, const MetaParticleView& groups, View<const Vec3> end_velocity,
                      View<const signed char> kind, FaceViews<const float> open, FaceViews<const float> u,
                      FaceViews<const float> face_mass, double particle_mass, FaceViews<float> carried) {
  kind_ = kind;
  open_ = open;
  const ParticleStore& store = step.particles;
  if (!listed_) list_rows();
  launch(count_, JoinSheets{.rows = rows(),
                            .groups = groups,
                            .store_index = index_.const_view(),
                            .end_velocity = end_velocity,
                            .mass = store.mass.const_view(),
                            .inverse_mass = store.inverse_mass.const_view(),
                            .fall = static_cast<float>(step.dt) * step.gravity,
                            .u = u,
                            .face_mass = face_mass,
                            .particle_mass = static_cast<float>(particle_mass),
                            .before = before_.view(),
                            .velocity = velocity_.view(),
                            .inverse = inverse_.view()});
  launch_cells(grid_.cells, CarriedBySheets{faces(), velocity_.const_view(), {}, carried});
}

SheetImpulse FlipSheets::by(View<const float> p, FaceViews<const float> difference) const {
  return {{grid_, rows(), p, open_}, difference, cell_mass_};
}

void FlipSheets::push(const SheetImpulse& impulse) {
  launch(count_, PushSheets{impulse, inverse_.const_view(), gained_.view()});
}

void FlipSheets::add(View<const float> p, View<float> q) {
  push(by(p, {}));
  launch_cells(grid_.cells, CarriedBySheets{faces(), gained_.const_view(), {}, response_.view()});
  launch_cells(grid_.cells, AddCarriedFlow{grid_, 1, kind_, open_, response_.const_view(), q});
}

void FlipSheets::press(View<const double> pressure, View<Vec3> end_velocity, FaceViews<const float> u,
                       FaceViews<const float> face_mass, double particle_mass, FaceViews<float> change) {
  pressure_.resize(pressure.count);
  launch(pressure.count, FloatOfDouble{pressure, pressure_.view()});
  launch_cells(grid_.cells, SheetDifferences{.faces = faces(),
                                             .pressure = pressure_.const_view(),
                                             .passage = passage(),
                                             .change = {{change.axis[0], change.axis[1], change.axis[2]}},
                                             .face_mass = face_mass,
                                             .cell_mass = cell_mass_,
                                             .particle_mass = static_cast<float>(particle_mass),
                                             .difference = difference_.view()});
  push(by(pressure_.const_view(), difference_.const_view()));
  launch(count_, TakeSheetVelocities{.store_index = index_.const_view(),
                                     .before = before_.const_view(),
                                     .gained = gained_.const_view(),
                                     .velocity = velocity_.view(),
                                     .end_velocity = end_velocity});
  launch_cells(grid_.cells, CarriedBySheets{faces(), velocity_.const_view(), u, change});
}

void FlipSheets::add_held_impulses(const HeldParticles& held, FaceViews<const float> u,
                                   FaceViews<const float> face_mass, double particle_mass,
                                   View<Vec3> impulse) const {
  launch(count_, AddHeldSheets{.given = by(pressure_.const_view(), difference_.const_view()),
                               .held = held,
                               .store_index = index_.const_view(),
                               .velocity = before_.const_view(),
                               .u = u,
                               .face_mass = face_mass,
                               .particle_mass = static_cast<float>(particle_mass),
                               .impulse = impulse});
}

MERGANSER_END
