#include "solvers/coupling/merge_split/contact_detection.h"

#include <algorithm>

#include "solvers/coupling/merge_split/contact_search.h"
#include "solvers/coupling/merge_split/merge.h"

MERGANSER_BEGIN

namespace {

struct GreatestRadii {
  static constexpr const char* name = "contacts: radii";
  using Value = ContactRadii;
  View<const float> radius;
  Range outside;
  MERGANSER_METHOD ContactRadii operator()(int i) const {
    return outside.contains(i) ? ContactRadii{0, radius[i]} : ContactRadii{radius[i], 0};
  }
  MERGANSER_METHOD static ContactRadii identity() { return {0, 0}; }
  MERGANSER_METHOD static ContactRadii combine(const ContactRadii& a, const ContactRadii& b) {
    // Not fmaxf: a library call without -ffinite-math-only.
    return {a.in_grid > b.in_grid ? a.in_grid : b.in_grid, a.outside > b.outside ? a.outside : b.outside};
  }
};

/// The box around the particles in the grid; k counts those.
struct BoundsInGrid {
  static constexpr const char* name = "contacts: bounds";
  using Value = Bounds;
  PositionBounds all;
  Range outside;
  MERGANSER_METHOD Bounds operator()(int k) const { return all(k < outside.first ? k : k + outside.count); }
  MERGANSER_METHOD static Bounds identity() { return {}; }
  MERGANSER_METHOD static Bounds combine(const Bounds& a, const Bounds& b) { return joined(a, b); }
};

bool same(const ContactSystem& a, const ContactSystem& b) {
  return a.first == b.first && a.self_contact == b.self_contact && a.implicit == b.implicit &&
         a.searches == b.searches && a.rigid_bodies == b.rigid_bodies &&
         a.pressure_solve == b.pressure_solve && a.stores_impacts == b.stores_impacts &&
         a.bond_first.data == b.bond_first.data && a.bond_first.count == b.bond_first.count &&
         a.bond_neighbor.data == b.bond_neighbor.data && a.bond_neighbor.count == b.bond_neighbor.count;
}

/// Index of the largest system without self contact, or -1.
int system_outside_grid(const ParticleStore& particles, const std::vector<ContactRules>& systems) {
  int largest = -1;
  for (int s = 0; s < particles.system_count(); ++s)
    if (!systems[size_t(s)].self_contact &&
        (largest < 0 || particles.range(s).count > particles.range(largest).count))
      largest = s;
  return largest;
}

}  // namespace

ContactDetection::ContactDetection(Vec3 periodic_origin, Vec3 periodic_length) : period_(periodic_length) {
  grid_.set_periodic(periodic_origin, periodic_length);
}

void ContactDetection::clear() {
  last_found_ = found_;
  found_ = {};
  pending_ = false;
}

void ContactDetection::upload_systems(const ParticleStore& particles,
                                      const std::vector<ContactRules>& systems, int outside) {
  std::vector<ContactSystem> now;
  for (int s = 0; s < particles.system_count(); ++s) {
    const ContactRules& system = systems[size_t(s)];
    bool searches = system.self_contact;
    for (int other = 0; other < particles.system_count(); ++other)
      searches =
          searches ||
          (other != s && other != outside && particles.range(other).count > 0 &&
           !(system.pressure_solve >= 0 && system.pressure_solve == systems[size_t(other)].pressure_solve));
    now.push_back({particles.range(s).first, system.self_contact, system.implicit, searches,
                   system.rigid_bodies, system.pressure_solve, system.bond_first, system.bond_neighbor,
                   system.stores_impacts, system.bond_first.empty() && !system.rigid_bodies});
  }
  if (std::equal(now.begin(), now.end(), host_systems_.begin(), host_systems_.end(), same)) return;
  systems_.assign(now);
  host_systems_ = std::move(now);
}

ContactDetection::Parts ContactDetection::parts_of(const ParticleStore& particles,
                                                   const std::vector<ContactRules>& systems) {
  // Member by member: nvcc 12 does not survive the conditional in braces.
  Parts parts;
  parts.count = particles.count();
  parts.outside_system = system_outside_grid(particles, systems);
  parts.outside = {parts.count, 0};
  if (parts.outside_system >= 0) parts.outside = particles.range(parts.outside_system);
  return parts;
}

void ContactDetection::forget() {
  parts_of_radii_.reset();
  parts_of_bounds_.reset();
}

void ContactDetection::measure_bounds(const ParticleStore& particles,
                                      const std::vector<ContactRules>& systems) {
  const Parts parts = parts_of(particles, systems);
  parts_of_bounds_ = parts;
  if (parts.grid_count() > 0)
    bounds_.run(parts.grid_count(), BoundsInGrid{{particles.position.const_view()}, parts.outside});
}

ContactRadii ContactDetection::greatest_radii(const ParticleStore& particles, const Parts& parts) {
  if (parts_of_radii_ && *parts_of_radii_ == parts) return radii_;
  radii_reduction_.run(parts.count, GreatestRadii{particles.radius.const_view(), parts.outside});
  parts_of_radii_ = parts;
  return radii_ = radii_reduction_.read();
}

void ContactDetection::build_grid(const ParticleStore& particles, const Parts& parts, bool bounds_known,
                                  float radius) {
  const Range outside = parts.outside;
  View<const Vec3> position = particles.position.const_view();
  if (outside.first == 0) {
    position = position.subview(outside.count, parts.grid_count());
  } else if (outside.end() == parts.count) {
    position = position.subview(0, parts.grid_count());
  } else {
    grid_position_.resize(parts.grid_count());
    const int behind = parts.count - outside.end();
    copy_on_device(grid_position_.data(), position.data, sizeof(Vec3) * size_t(outside.first));
    copy_on_device(grid_position_.data() + outside.first, position.data + outside.end(),
                   sizeof(Vec3) * size_t(behind));
    position = grid_position_.const_view();
  }
  if (bounds_known)
    grid_.build(position, bounds_.fetched(), radius);
  else
    grid_.build(position, radius);
  occupied_.resize(grid_.view().shape.bucket_count());
  launch(occupied_.size(), FindOccupied{.shape = grid_.view().shape,
                                        .bucket_start = grid_.view().bucket_start,
                                        .occupied = occupied_.view()});
}

void ContactDetection::detect(const ParticleStore& particles, const std::vector<ContactRules>& systems,
                              const PairCount& few, View<const Vec3> half_kick) {
  clear();
  const Parts parts = parts_of(particles, systems);
  const Range outside = parts.outside;
  const int count = parts.count;
  upload_systems(particles, systems, parts.outside_system);
  bool any_search = false;
  for (const ContactSystem& system : host_systems_) any_search = any_search || system.searches;
  bool bounds_known = parts_of_bounds_ && parts_of_bounds_->outside_system == parts.outside_system &&
                      parts_of_bounds_->grid_count() == parts.grid_count();
  for (int s = 0; s < particles.system_count(); ++s)
    if (s != parts.outside_system && systems[size_t(s)].moves_in_prepare) bounds_known = false;
  parts_of_bounds_.reset();  // they are those of this step only
  if (parts.grid_count() == 0 || !any_search) return;

  const ContactRadii radii = greatest_radii(particles, parts);
  const float greatest_reach = radii.in_grid + most_of(radii.in_grid, radii.outside);
  if (!(greatest_reach > 0)) return;
  build_grid(particles, parts, bounds_known, greatest_reach * 1.00001f);
  ContactSearch search{.particles = particles.const_view(),
                       .systems = systems_.const_view(),
                       .grid = grid_.view(),
                       .occupied = occupied_.const_view(),
                       .half_kick = half_kick,
                       .outside = outside,
                       .low = grid_.bounds().low,
                       .high = grid_.bounds().high,
                       .grid_radius = radii.in_grid};
  // Across a periodic border a particle outside the box can touch one inside.
  constexpr float everywhere = 3e38f;
  if (period_.x > 0) search.low.x = -everywhere, search.high.x = everywhere;
  if (period_.y > 0) search.low.y = -everywhere, search.high.y = everywhere;
  if (period_.z > 0) search.low.z = -everywhere, search.high.z = everywhere;

  pair_first_.resize(count + 1);
  place_.resize(count + 1);
  place_.zero();
  launch(count, CountContacts{.search = search, .count = pair_first_.view(), .in_contact = place_.view()});
  have_room(total_, 1);
  launch_phases(count, ScanContacts{pair_first_.view(), place_.view(), total_.view()}, scratch_);
  search_ = std::make_shared<const ContactSearch>(search);
  few_ = few;
  pending_ = last_found_.pairs > 0 && last_found_.pairs <= few.pairs && last_found_.items <= few.items;
  if (pending_)
    list_pairs();
  else
    set_counts(read_back(total_.const_view(), 0));
}

void ContactDetection::list_pairs() {
  launch(place_.size() - 1, FillContacts{.search = *search_,
                                         .first = pair_first_.const_view(),
                                         .place = place_.const_view(),
                                         .pair = pair_.view(),
                                         .approaching = approaching_.view(),
                                         .contact_particle = contact_particle_.view()});
}

std::optional<ContactDetection::Pending> ContactDetection::pending() const {
  if (!pending_) return {};
  return Pending{pair_.view(), approaching_.view(), contact_particle_.view(), total_.view()};
}

void ContactDetection::set_counts(const PairCount& count) {
  const bool listed = pending_ && count.pairs <= std::min(pair_.size(), approaching_.size()) &&
                      count.items <= contact_particle_.size();
  found_ = count;
  pending_ = false;
  if (listed || count.pairs == 0) return;
  // Few: with room for as many as may ever be pending.
  const int pairs = std::max(count.pairs, few_.pairs), items = std::max(count.items, few_.items);
  if (pair_.size() < count.pairs) pair_.resize(pairs);
  if (approaching_.size() < count.pairs) approaching_.resize(pairs);
  if (contact_particle_.size() < count.items) contact_particle_.resize(items);
  list_pairs();
}

MERGANSER_END
