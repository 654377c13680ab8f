#include "solvers/observables/crossing_counter.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "solvers/observables/crossing_kernels.h"

MERGANSER_BEGIN

using namespace crossing;

CrossingCounter::CrossingCounter(int fluid_system, int sheet_system, const std::vector<Triangle>& triangles,
                                 float vertex_spacing, Vec3 period)
    : fluid_system_(fluid_system), sheet_system_(sheet_system), period_(period) {
  int exponent = 0;
  std::frexp(vertex_spacing, &exponent);
  resolution_ = std::ldexp(1.0, 30 - exponent);
  std::map<int, int> index;  // local particle -> vertex k
  for (const Triangle& t : triangles)
    for (int corner : t) index.emplace(corner, 0);
  std::vector<int> vertex, corners;
  for (auto& [particle, k] : index) {
    k = static_cast<int>(vertex.size());
    vertex.push_back(particle);
  }
  for (const Triangle& t : triangles)
    for (int corner : t) corners.push_back(index[corner]);
  vertex_.assign(vertex);
  corner_.assign(corners);
  centre_.resize(static_cast<int>(triangles.size()));
  box_.resize(static_cast<int>(triangles.size()));
}

void CrossingCounter::meet(const ParticleStore& particles) {
  const int ids = particles.id_end();
  have_room(last_, ids);
  have_room(state_, ids);
  have_room(pending_, ids);
  const Range fluid = particles.range(fluid_system_);
  launch(fluid.count,
         MeetParticles{paths_of(particles, fluid.first, last_, state_, period_), count_.view().data});
  count_.written();
}

void CrossingCounter::update(const ParticleStore& particles) {
  measure(particles);
  fetch_results();
  complete(particles);
}

void CrossingCounter::measure(const ParticleStore& particles) {
  meet(particles);
  previous_.swap(sheet_);
  sheet_.resize(vertex_.size());
  launch(vertex_.size(), GatherSheet{particles.position.const_view(), vertex_.const_view(), sheet_.view(),
                                     particles.range(sheet_system_).first});
  const Range fluid = particles.range(fluid_system_);
  if (previous_.empty() || fluid.count == 0) return;
  const Paths paths = paths_of(particles, fluid.first, last_, state_, period_);
  sheet_reach_.run(centre_.size(), SweepTriangles{corner_.const_view(), previous_.const_view(),
                                                  sheet_.const_view(), period_, box_.view(), centre_.view()});
  path_reach_.run(fluid.count, LongestPath{paths, sheet_reach_.result()});
  // A read costs the GPU more than a grid whose cells are a little too wide.
  if (MERGANSER_GPU_HALF && limit_.triangle >= 0) follow(particles, bounds_, limit_);
}

bool CrossingCounter::complete(const ParticleStore& particles) {
  if (previous_.empty() || particles.range(fluid_system_).count == 0) return false;
  const SweptReach reach = path_reach_.fetched();
  const bool counted = MERGANSER_GPU_HALF && within(reach, limit_);
  if (!counted) follow(particles, reach.bounds, {reach.triangle, reach.path, farthest(reach.bounds)});
  constexpr float room = 1.25f;
  bounds_ = reach.bounds;
  limit_ = {room * reach.triangle, room * reach.path, room * farthest(reach.bounds)};
  return !counted;
}

void CrossingCounter::follow(const ParticleStore& particles, const Bounds& bounds, const SearchLimit& limit) {
  const Range fluid = particles.range(fluid_system_);
  const float slack = slack_of(limit.triangle, limit.path, limit.farthest);
  grid_.build(centre_.const_view(), bounds, 1.0001f * (limit.triangle + limit.path + slack));
  launch(fluid.count, FollowPaths{paths_of(particles, fluid.first, last_, state_, period_), grid_.view(),
                                  path_reach_.result(), limit, box_.const_view(), corner_.const_view(),
                                  previous_.const_view(), sheet_.const_view(), Lattice{resolution_, period_},
                                  pending_.view(), count_.view().data});
  count_.written();
}

void CrossingCounter::save(StateArchive& archive, const std::string& prefix) const {
  const auto put = [&](const char* name, const Array<Vec3>& array) {
    const auto host = array.to_host();
    archive.put(prefix + name, reinterpret_cast<const float*>(host.data()), 3 * host.size());
  };
  put("/sheet", sheet_);
  put("/last", last_);
  archive.put(prefix + "/state", state_.to_host());
  archive.put(prefix + "/pending", pending_.to_host());
  const CrossingCount count = count_.read();
  archive.put(prefix + "/counts", std::vector<std::int32_t>{count.passages, count.particles, count.followed});
}

void CrossingCounter::load(const StateArchive& archive, const std::string& prefix) {
  const auto get = [&](const char* name, Array<Vec3>& array) {
    const auto flat = archive.get<float>(prefix + name);
    std::vector<Vec3> values(flat.size() / 3);
    for (size_t i = 0; i < values.size(); ++i) values[i] = {flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]};
    array.assign(values);
  };
  get("/sheet", sheet_);
  get("/last", last_);
  state_.assign(archive.get<signed char>(prefix + "/state"));
  pending_.assign(archive.get<signed char>(prefix + "/pending"));
  const auto counts = archive.get<std::int32_t>(prefix + "/counts");
  if (counts.size() != 3)
    throw FileError("checkpoint: the counts under '" + prefix + "' are of another version");
  copy_to_device(count_.view().data, counts.data(), sizeof(CrossingCount));
  count_.written();
  limit_ = {};
}

MERGANSER_END
