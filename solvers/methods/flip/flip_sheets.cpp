#include "solvers/methods/flip/flip_sheets.h"

#include "device/compact.h"
#include "solvers/core/method.h"
#include "solvers/methods/flip/covered_faces.h"
#include "solvers/methods/flip/foreign_particles.h"

MERGANSER_BEGIN

namespace {

/// Of a sheet's particles: place in the store; 1 but for bodies that wait for their start and what is off
/// the grid.
struct FlagSheet {
  static constexpr const char* name = "flip flag sheets";
  FlipGrid grid;
  int first;  ///< of the sheet in the store
  View<const Vec3> position, area;
  View<const int> system;
  View<int> store_index, flag;
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 low = grid.corner(-1, -1, -1),
               high = grid.corner(grid.cells.x + 3, grid.cells.y + 3, grid.cells.z + 3);
    const Vec3 x = position[i];
    store_index[i] = first + i;
    flag[i] = system[i] >= 0 && norm_squared(area[i]) > 0 && x.x > low.x && x.y > low.y && x.z > low.z &&
              x.x < high.x && x.y < high.y && x.z < high.z;
  }
};

struct GatherSheets {
  static constexpr const char* name = "flip gather sheets";
  View<const int> place, store_index;
  View<const Vec3> store_position, all_areas;
  View<int> index;
  View<Vec3> position, area;
  MERGANSER_METHOD void operator()(int k) const {
    index[k] = store_index[place[k]];
    position[k] = store_position[index[k]];
    area[k] = all_areas[place[k]];
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

void FlipSheets::use(int system, PressedSheet& sheet) {
  for (size_t k = 0; k < systems_.size(); ++k)
    if (systems_[k] == system) sheets_[k].answers = &sheet;
}

void FlipSheets::find(const ParticleStore& store, const FlipGrid& grid, FaceViews<const float> open,
                      double cell_mass) {
  count_ = 0;
  listed_ = false;
  if (systems_.empty()) return;
  grid_ = grid;
  cell_mass_ = static_cast<float>(cell_mass);
  int places = 0;
  for (size_t k = 0; k < systems_.size(); ++k) {
    sheets_[k].places = {places, store.range(systems_[k]).count};
    places += sheets_[k].places.count;
  }
  for (Array<int>* a : {&store_index_, &flag_, &place_}) a->resize(places);
  for (Array<Vec3>* a : {&all_areas_, &added_, &impulse_, &joined_, &change_}) a->resize(places);
  total_.resize(1);
  for (size_t k = 0; k < systems_.size(); ++k) {
    const Range own = store.range(systems_[k]);
    const auto [at, count] = sheets_[k].places;
    const View<const Vec3> position = store.position.const_view().subview(own.first, count);
    launch(count, SheetAreas{.first = sheets_[k].first.const_view(),
                             .corner = sheets_[k].corner.const_view(),
                             .position = position,
                             .area = all_areas_.view().subview(at, count)});
    launch(count, FlagSheet{.grid = grid,
                            .first = own.first,
                            .position = position,
                            .area = all_areas_.const_view().subview(at, count),
                            .system = store.system.const_view().subview(own.first, count),
                            .store_index = store_index_.view().subview(at, count),
                            .flag = flag_.view().subview(at, count)});
  }
  compact_indices(flag_.const_view(), place_.view(), total_.view(), offset_, scratch_);
  count_ = read_back(total_.const_view(), 0);
  if (count_ == 0) return;
  index_.resize(count_);
  for (Array<Vec3>* a : {&area_, &position_, &before_, &velocity_, &gained_}) a->resize(count_);
  launch(count_, GatherSheets{place_.const_view(), store_index_.const_view(), store.position.const_view(),
                              all_areas_.const_view(), index_.view(), position_.view(), area_.view()});
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
                      FaceViews<const float> face_mass, double particle_mass, double tolerance,
                      FaceViews<float> carried) {
  kind_ = kind;
  open_ = open;
  const ParticleStore& store = step.particles;
  if (!listed_) list_rows();
  for (Array<Vec3>* a : {&added_, &impulse_}) a->zero();
  launch(count_, JoinSheets{.rows = rows(),
                            .groups = groups,
                            .store_index = index_.const_view(),
                            .place = place_.const_view(),
                            .end_velocity = end_velocity,
                            .inverse_mass = store.inverse_mass.const_view(),
                            .fall = static_cast<float>(step.dt) * step.gravity,
                            .u = u,
                            .face_mass = face_mass,
                            .particle_mass = static_cast<float>(particle_mass),
                            .before = before_.view(),
                            .added = added_.view(),
                            .impulse = impulse_.view()});
  for (const Sheet& sheet : sheets_)
    sheet.answers->begin_pressure(
        step, groups, added_.const_view().subview(sheet.places.first, sheet.places.count), tolerance);
  answer(joined_.view());
  launch(count_,
         AddAnswer{place_.const_view(), before_.const_view(), joined_.const_view(), velocity_.view()});
  launch_cells(grid_.cells, CarriedBySheets{faces(), velocity_.const_view(), {}, carried});
}

SheetImpulse FlipSheets::by(View<const float> p, FaceViews<const float> difference) const {
  return {{grid_, rows(), p, open_}, difference, cell_mass_};
}

void FlipSheets::answer(View<Vec3> change) {
  for (const Sheet& sheet : sheets_) {
    const auto [at, count] = sheet.places;
    sheet.answers->answer(impulse_.const_view().subview(at, count), change.subview(at, count));
  }
}

void FlipSheets::push(const SheetImpulse& impulse) {
  launch(count_, PushSheets{impulse, place_.const_view(), impulse_.view()});
  answer(change_.view());
  launch(count_, AddAnswer{place_.const_view(), {}, change_.const_view(), gained_.view()});
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
  launch(store_index_.size(),
         TakeAnswers{store_index_.const_view(), joined_.const_view(), change_.const_view(), end_velocity});
  launch(count_,
         AddAnswer{place_.const_view(), velocity_.const_view(), change_.const_view(), velocity_.view()});
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
