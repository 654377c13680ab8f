#include "solvers/methods/elastic_sph/exact_positions.h"

MERGANSER_BEGIN

ExactPositions::ExactPositions(int system_index, int count) : system_index_(system_index) {
  position_.resize(count, 3);
  rounding_error_.resize(count);
}

void ExactPositions::set(const ParticleStore& particles, View<const Vec3> velocity, double dt,
                         View<const Vec3> change) {
  const Range range = particles.range(system_index_);
  launch(range.count,
         PrecisePositions{.position = particles.position.const_view().subview(range.first, range.count),
                          .rounding_error = rounding_error_.view(),
                          .velocity = velocity,
                          .change = change,
                          .dt = PreciseNumber(dt),
                          .to = position_.view()});
}

void ExactPositions::set(View<const Vec3> x) {
  launch(x.count, PrecisePositions{.position = x,
                                   .rounding_error = {},
                                   .velocity = {},
                                   .change = {},
                                   .dt = {},
                                   .to = position_.view()});
}

void ExactPositions::set_from_begin(View<const Vec3> velocity, double dt) {
  launch(before_.size(), PrecisePositions{.position = before_.view(),
                                          .rounding_error = rounding_error_.view(),
                                          .velocity = velocity,
                                          .change = {},
                                          .dt = PreciseNumber(dt),
                                          .to = position_.view()});
}

void ExactPositions::begin_step(const ParticleStore& particles) {
  const Range range = particles.range(system_index_);
  before_.assign(particles.position.const_view().subview(range.first, range.count));
}

void ExactPositions::end_step(ParticleStore& particles, View<const Vec3> velocity, double dt) {
  const Range range = particles.range(system_index_);
  launch(range.count,
         KeepRoundingError{.before = before_.view(),
                           .velocity = velocity,
                           .dt = float(dt),
                           .position = particles.position.view().subview(range.first, range.count),
                           .rounding_error = rounding_error_.view()});
}

void ExactPositions::save(StateArchive& archive, const std::string& prefix) const {
  archive_vectors(archive, prefix + "/position_rest", rounding_error_);
}

void ExactPositions::load(const StateArchive& archive, const std::string& prefix) {
  rounding_error_.assign(archived_vectors(archive, prefix + "/position_rest"));
}

std::vector<Vec3> archived_vectors(const StateArchive& archive, const std::string& name) {
  const auto flat = archive.get<float>(name);
  std::vector<Vec3> vectors(flat.size() / 3);
  for (size_t i = 0; i < vectors.size(); ++i) vectors[i] = {flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]};
  return vectors;
}

void archive_vectors(StateArchive& archive, const std::string& name, const Array<Vec3>& vectors) {
  const auto host = vectors.to_host();
  archive.put(name, reinterpret_cast<const float*>(host.data()), 3 * host.size());
}

MERGANSER_END
