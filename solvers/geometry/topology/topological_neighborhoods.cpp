#include "solvers/geometry/topology/topological_neighborhoods.h"

#include <string>

#include "device/sum_of.h"
#include "solvers/geometry/topology/fusion.h"
#include "solvers/geometry/topology/graph_rows.h"
#include "solvers/geometry/topology/reconstruction_density.h"
#include "solvers/geometry/topology/split.h"

MERGANSER_BEGIN

namespace {
struct OwnRow {
  static constexpr const char* name = "topology own rows";
  View<int> row_then;
  MERGANSER_METHOD void operator()(int i) const { row_then[i] = i; }
};
}  // namespace

void TopologicalNeighborhoods::update(const FluidParticles& particles, float elapsed, float gamma,
                                      float moved) {
  if (row_then_.size() != particles.position.count)
    throw InputError("topological neighborhoods of " + std::to_string(row_then_.size()) +
                     " particles were given " + std::to_string(particles.position.count));
  const long long late = build_rows(particles, gamma > 0 ? elapsed / gamma : 1.0f, moved);
  list_close_neighbors(particles.id);
  update_density(particles);
  merge(particles, 0);
  split(particles);
  changes_.late = late;
}

/// Pairs within 2h as they are now: next_first_, next_neighbor_ and distance2_.
void TopologicalNeighborhoods::list_neighbors(const FluidParticles& particles) {
  const int count = particles.position.count;
  const float query_radius = 2 * h_ * 1.0001f;  // the grid must not drop what the exact test keeps
  grid_.build(particles.position, query_radius);
  for (Array<float>* coordinate : {&sorted_x_, &sorted_y_, &sorted_z_}) coordinate->resize(count);
  sorted_id_.resize(count);
  const CellOrder sorted{sorted_x_.view(), sorted_y_.view(), sorted_z_.view(), sorted_id_.view()};
  launch(count, FillCellOrder{grid_.view(), particles.id, sorted});
  next_first_.resize(count + 1);
  RowSizes rows{};
  for (bool fits = false; !fits;) {
    table_.resize(0);
    table_.reserve(static_cast<size_t>(count) * static_cast<size_t>(table_width_));
    const View<int> counts = next_first_.view().subview(0, count);
    launch(count, ListWithinSupport{.grid = grid_.view(),
                                    .sorted = sorted,
                                    .position = particles.position,
                                    .id = particles.id,
                                    .query_radius = query_radius,
                                    .support2 = 4 * h_ * h_,
                                    .width = table_width_,
                                    .table = table_.data(),
                                    .count = counts});
    row_sizes_.run(count, LargestRow{counts});
    rows = row_sizes_.read();
    fits = rows.largest < table_width_;
    if (!fits) table_width_ = rows.largest + rows.largest / 8 + 1;
  }
  if (rows.total > 0x7fffffff)
    throw DeviceError("topological neighborhoods of " + std::to_string(rows.total) + " entries for " +
                      std::to_string(count) + " particles; use a lower --resolution or --set " +
                      "systems.NAME.neighborhood=euclidean");
  exclusive_scan(next_first_.const_view().subview(0, count), next_first_.view(), scratch_);
  next_neighbor_.resize(static_cast<int>(rows.total));
  distance2_.resize(static_cast<int>(rows.total));
  id_bounds_.run(count, BoundIds{particles.id});
  const IdBounds ids = id_bounds_.read();
  index_of_id_.resize(count > 0 ? ids.high - ids.low + 1 : 0);
  launch(count, FillIndexById{particles.id, ids.low, index_of_id_.view()});
  launch(count, SortRowById{next_first_.const_view(),
                            table_width_,
                            table_.data(),
                            {index_of_id_.const_view(), ids.low},
                            particles.position,
                            next_neighbor_.view(),
                            distance2_.view()});
}

/// Pairs within 2h as they are now, with links and ages of the last update. Returns the number of late ones.
long long TopologicalNeighborhoods::build_rows(const FluidParticles& particles, float growth, float moved) {
  const int count = particles.position.count;
  list_neighbors(particles);
  next_linked_.resize(next_neighbor_.size());
  next_age_.resize(next_neighbor_.size());
  const CarryLinksOver carry{.earlier = {first_.const_view(), neighbor_.const_view(), id_.const_view(),
                                         linked_.const_view(), age_.const_view()},
                             .row_then = row_then_.const_view(),
                             .first = next_first_.const_view(),
                             .neighbor = next_neighbor_.const_view(),
                             .id = particles.id,
                             .body = particles.body,
                             .growth = growth,
                             .distance2 = distance2_.const_view(),
                             .late2 = h_ * h_ / 4,
                             .linked = next_linked_.view(),
                             .age = next_age_.view()};
  const bool may_be_late = 2 * moved > 1.5f * h_;
  if (may_be_late)
    late_.run(count, sum_of(carry));
  else
    launch(count, carry);
  first_.swap(next_first_);
  neighbor_.swap(next_neighbor_);
  linked_.swap(next_linked_);
  age_.swap(next_age_);
  id_.assign(particles.id);
  launch(count, OwnRow{row_then_.view()});
  return may_be_late ? late_.read() / 2 : 0;
}

void TopologicalNeighborhoods::list_close_neighbors(View<const int> id) {
  const int count = id.count;
  close_first_.resize(count + 1);
  launch(count,
         CountClose{first_.const_view(), distance2_.const_view(), close_limit2(), close_first_.view()});
  exclusive_scan(close_first_.const_view().subview(0, count), close_first_.view(), scratch_);
  const int entries = read_back(close_first_.const_view(), count);
  close_id_.resize(entries);
  close_entry_.resize(entries);
  launch(count, ListClose{first_.const_view(), neighbor_.const_view(), id, distance2_.const_view(),
                          close_limit2(), close_first_.const_view(), close_id_.view(), close_entry_.view()});
}

void TopologicalNeighborhoods::update_density(const FluidParticles& particles) {
  density_.resize(particles.position.count);
  volume_.resize(particles.position.count);
  launch(particles.position.count, ReconstructionDensity{view(), distance2_.const_view(), particles.mass,
                                                         FieldKernel(h_), density_.view(), volume_.view()});
}

void TopologicalNeighborhoods::merge(const FluidParticles& particles, float age) {
  changes_ = {};
  mark_.resize(linked_.size());
  launch(linked_.size(), MarkUnlinked{linked_.const_view(), mark_.view()});
  candidates_.build(first_.const_view(), mark_.const_view());
  const int count = candidates_.count();
  if (count == 0) return;
  const CandidateView candidates = candidates_.view();
  reach_.resize(count);
  found_.resize(count);
  launch(count, SurfaceReach{candidates, distance2_.const_view(), field(particles), h_, fusion_tolerance,
                             reach_.view()});
  launch(count, FindTouching{candidates, neighbor_.const_view(), distance2_.const_view(), reach_.const_view(),
                             fusion_tolerance, found_.view()});
  const LinkFound link{candidates, found_.const_view(), age, linked_.view(), age_.view()};
  changes_.fused = count_found() / 2;
  for (long long linked = changes_.fused;;) {
    if (linked > 0) launch(count, link);
    launch(count,
           FindMediated{candidates, neighbor_.const_view(), linked_.const_view(), close(), found_.view()});
    linked = count_found() / 2;
    changes_.closed += linked;
    ++changes_.closure_sweeps;
    if (linked == 0) break;
  }
  if (changes_.fused + changes_.closed > 0) update_density(particles);
}

void TopologicalNeighborhoods::split(const FluidParticles& particles) {
  launch(particles.position.count,
         MarkSplittable{first_.const_view(), neighbor_.const_view(), particles.id, linked_.const_view(),
                        distance2_.const_view(), close_limit2(), close(), mark_.view()});
  candidates_.build(first_.const_view(), mark_.const_view());
  const int count = candidates_.count();
  if (count == 0) return;
  const CandidateView candidates = candidates_.view();
  found_.resize(count);
  launch(count, FindParted{candidates, field(particles), found_.view()});
  changes_.split = count_found();
  if (changes_.split == 0) return;
  launch(count, UnlinkFound{candidates, first_.const_view(), neighbor_.const_view(), found_.const_view(),
                            linked_.view(), age_.view()});
  update_density(particles);
}

LocalField TopologicalNeighborhoods::field(const FluidParticles& particles) const {
  return {view(), particles.position, volume_.view(), FieldKernel(h_)};
}

CloseNeighbors TopologicalNeighborhoods::close() const {
  return {close_first_.view(), close_id_.view(), close_entry_.view()};
}

long long TopologicalNeighborhoods::count_found() {
  count_.run(candidates_.count(), sum_of(SumFlags{found_.const_view()}));
  return count_.read();
}

NeighborGraphView TopologicalNeighborhoods::view() const {
  return {first_.view(), neighbor_.view(), linked_.view(), age_.view()};
}

MERGANSER_END
