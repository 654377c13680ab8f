#include "solvers/methods/sph/topology_updates.h"

#include <cmath>

#include "device/sum_of.h"

MERGANSER_BEGIN

TopologyUpdates::TopologyUpdates(const SphParameters& parameters, float h)
    : h_(h),
      fusion_time_(static_cast<float>(parameters.topology_fusion_time)),
      distance_(static_cast<float>(parameters.topology_distance) * h),
      frames_between_(parameters.topology_frames) {}

void TopologyUpdates::start(const FluidParticles& particles) {
  graph_.start(particles, h_);
  remember(particles.position);
  since_sort_ = 4 * h_;  // sort before the first step
}

void TopologyUpdates::particles_added(int count) {
  graph_.particles_added(count);
  added_ = true;
}

bool TopologyUpdates::due(View<const Vec3> position) {
  moved_ = largest_displacement(position.subview(0, position_.size()));  // added ones come last
  return added_ || since_sort_ > 2 * h_ || moved_ > distance_;
}

void TopologyUpdates::permute(View<const int> order) {
  graph_.permute(order);
  since_sort_ = -1;  // displacements are of the order before
}

void TopologyUpdates::update(const FluidParticles& particles) {
  if (since_sort_ < 0)
    since_sort_ = 0;  // moved_ is that of due()
  else
    since_sort_ += moved_ = largest_displacement(particles.position);
  graph_.update(particles, static_cast<float>(elapsed_), fusion_time_, moved_);
  late_ += graph_.changes().late;
  elapsed_ = 0;
  added_ = false;
  remember(particles.position);
}

bool TopologyUpdates::step_ended(double dt, bool frame_end) {
  elapsed_ += dt;
  if (!frame_end || frames_between_ == 0 || ++frames_ < frames_between_) return false;
  frames_ = 0;
  return true;
}

bool TopologyUpdates::take_renewed() {
  const bool renewed = renewed_;
  renewed_ = false;
  return renewed;
}

long long TopologyUpdates::take_late_pairs() {
  const long long late = late_;
  late_ = 0;
  return late;
}

LinkedPairs TopologyUpdates::linked_pairs() const {
  LinkedPairs pairs;
  const auto first = to_host(graph_.view().first), neighbor = to_host(graph_.view().neighbor);
  const auto linked = to_host(graph_.view().linked);
  const auto age = to_host(graph_.view().age);
  for (size_t i = 0; i + 1 < first.size(); ++i) {
    pairs.first.push_back(static_cast<std::int32_t>(pairs.neighbor.size()));
    for (size_t e = size_t(first[i]); e < size_t(first[i + 1]); ++e)
      if (linked[e]) {
        pairs.neighbor.push_back(neighbor[e]);
        pairs.age.push_back(age[e]);
      }
  }
  pairs.first.push_back(static_cast<std::int32_t>(pairs.neighbor.size()));
  return pairs;
}

long long TopologyUpdates::links_between(View<const int> body_of, int body, int other) {
  links_.run(graph_.view().row_count(), sum_of(CountLinksBetween{graph_.view(), body_of, body, other}));
  return links_.read();
}

float TopologyUpdates::largest_displacement(View<const Vec3> position) {
  displacement_.run(position.count, maximum_of(LargestDisplacement{position, position_.const_view()}));
  return std::sqrt(displacement_.read());
}

void TopologyUpdates::remember(View<const Vec3> position) {
  position_.assign(position);
  linked_.build(graph_.view());
  renewed_ = true;
}

void TopologyUpdates::save(StateArchive& archive, const std::string& prefix) const {
  graph_.save(archive, prefix);
  const std::vector<Vec3> position = position_.to_host();
  archive.put(prefix + "/position", reinterpret_cast<const float*>(position.data()), 3 * position.size());
  archive.put(prefix + "/since", std::vector<double>{elapsed_, since_sort_});
  archive.put(prefix + "/counters", std::vector<std::int32_t>{frames_, added_ ? 1 : 0, renewed_ ? 1 : 0});
}

void TopologyUpdates::load(const StateArchive& archive, const std::string& prefix) {
  graph_.load(archive, prefix);
  const auto position = archive.get<float>(prefix + "/position");
  const auto since = archive.get<double>(prefix + "/since");
  const auto counters = archive.get<std::int32_t>(prefix + "/counters");
  if (position.size() != 3 * static_cast<size_t>(graph_.view().row_count()) || since.size() != 2 ||
      counters.size() != 3)
    throw FileError("checkpoint: the neighborhoods' arrays under '" + prefix + "' do not belong together");
  position_.resize(static_cast<int>(position.size() / 3));
  copy_to_device(position_.data(), position.data(), sizeof(float) * position.size());
  linked_.build(graph_.view());
  elapsed_ = since[0], since_sort_ = since[1];
  frames_ = counters[0], added_ = counters[1] != 0, renewed_ = counters[2] != 0;
}

MERGANSER_END
