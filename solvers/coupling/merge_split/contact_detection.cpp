#include "solvers/coupling/merge_split/contact_detection.h"

#include "device/block_phases.h"
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

/// Per bucket of a grid with reach 1: which of the 9 rows of 3 buckets around it hold particles, bit 3 (dz +
/// 1) + dy + 1. So the many particles of a large fluid that are near nobody are done after one look, and
/// those near a sheet look into the few rows that it passes through.
struct FindOccupied {
  static constexpr const char* name = "contacts: occupied cells";
  GridShape shape;
  View<const int> bucket_start;
  View<int> occupied;
  MERGANSER_METHOD static int wrap(int bucket, int count) {
    return bucket < 0 ? bucket + count : bucket >= count ? bucket - count : bucket;
  }
  MERGANSER_METHOD void operator()(int bucket) const {
    const Int3 n = shape.buckets;
    const int x = bucket % n.x, y = bucket / n.x % n.y, z = bucket / (n.x * n.y);
    int rows = 0;
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy) {
        int count = 0;
        const int row = n.x * (wrap(y + dy, n.y) + n.y * wrap(z + dz, n.z));
        if (x > 0 && x + 1 < n.x) {
          count += bucket_start[row + x + 2] - bucket_start[row + x - 1];
        } else {
          for (int dx = -1; dx <= 1; ++dx)
            count += bucket_start[row + wrap(x + dx, n.x) + 1] - bucket_start[row + wrap(x + dx, n.x)];
        }
        if (count > 0) rows |= 1 << (3 * (dz + 1) + dy + 1);
      }
    occupied[bucket] = rows;
  }
};

/// All contacts that a particle has to report, by one walk through the grid.
struct ContactSearch {
  ParticleConstView particles;
  View<const ContactSystem> systems;
  UniformGridView grid;
  View<const int> occupied;
  Range outside;      ///< particles that are not in the grid; indices above them are shifted there
  Vec3 low, high;     ///< [m] box around the grid's particles
  float grid_radius;  ///< [m] greatest radius in the grid

  MERGANSER_METHOD bool bonded(const ContactSystem& system, int i, int j) const {
    if (system.bond_first.empty()) return false;
    const int a = i - system.first, b = j - system.first;
    int low = system.bond_first[a], high = system.bond_first[a + 1];
    while (low < high) {
      const int middle = low + (high - low) / 2, entry = system.bond_neighbor[middle];
      const int neighbor = entry < 0 ? ~entry : entry;
      if (neighbor == b) return entry >= 0;
      if (neighbor < b)
        low = middle + 1;
      else
        high = middle;
    }
    return false;
  }

  /// visit(j, x_i - x_j) for the pairs that i reports: with any particle of the grid if i is not in it, else
  /// with later ones.
  template <class Visit>
  MERGANSER_METHOD void for_each_contact(int i, const Visit& visit) const {
    const int own = particles.system[i];
    if (!systems[own].searches) return;
    const Vec3 x = particles.position[i];
    const float radius = particles.radius[i], reach = radius + grid_radius;
    if (x.x < low.x - reach || x.y < low.y - reach || x.z < low.z - reach || x.x > high.x + reach ||
        x.y > high.y + reach || x.z > high.z + reach)
      return;
    const Int3 cell = grid.shape.cell(x);
    const int rows = occupied[grid.shape.bucket(cell)];
    if (rows == 0) return;
    const bool immobile = !(particles.inverse_mass[i] > 0);
    const bool in_grid = !outside.contains(i);
    auto look = [&](int sorted, const Vec3& offset, float distance2) {
      const int k = grid.order[sorted];
      const int j = k < outside.first ? k : k + outside.count;
      if (in_grid && j <= i) return;
      const float contact = radius + particles.radius[j];
      if (!(distance2 < contact * contact)) return;
      if (immobile && !(particles.inverse_mass[j] > 0)) return;
      if (particles.system[j] == own && (!systems[own].self_contact || bonded(systems[own], i, j))) return;
      visit(j, offset);
    };
    for (int row = 0; row < 9; ++row) {
      if (!(rows >> row & 1)) continue;
      grid.for_each_range_of_row(x, cell, row % 3 - 1, row / 3 - 1,
                                 [&](int begin, int end, const Vec3& query) {
                                   for (int sorted = begin; sorted < end; ++sorted) {
                                     const Vec3 offset = query - grid.position.data[sorted];
                                     const float distance2 = norm_squared(offset);
                                     if (distance2 < reach * reach) look(sorted, offset, distance2);
                                   }
                                 });
    }
  }
};

struct CountContacts {
  static constexpr const char* name = "contacts: count";
  ContactSearch search;
  View<int> count;
  View<int> in_contact;  ///< per particle: 1 where it is in some pair
  MERGANSER_METHOD void operator()(int i) const {
    int n = 0;
    search.for_each_contact(i, [&](int j, const Vec3&) {
      atomic_max(&in_contact[j], 1);
      ++n;
    });
    if (n > 0) atomic_max(&in_contact[i], 1);
    count[i] = n;
  }
};

struct FillContacts {
  static constexpr const char* name = "contacts: fill";
  ContactSearch search;
  View<const int> first, place;  ///< per particle: pairs, and contact particles, before it
  View<ItemPair> pair;           ///< contact particles, the smaller one first
  View<int> approaching;
  View<int> contact_particle;
  MERGANSER_METHOD void operator()(int i) const {
    if (place[i + 1] > place[i]) contact_particle[place[i]] = i;
    int at = first[i];
    if (first[i + 1] == at) return;
    search.for_each_contact(i, [&](int j, const Vec3& offset) {
      pair[at] = {place[i < j ? i : j], place[i < j ? j : i]};
      approaching[at++] =
          dot(offset, search.particles.velocity[i] - search.particles.velocity[j]) < 0 ? 1 : 0;
    });
  }
};

/// How many pairs and contact particles there are, side by side for one read.
struct ContactTotals {
  static constexpr const char* name = "contacts: totals";
  View<const int> pair_first, place;
  View<ContactCount> total;
  MERGANSER_METHOD void operator()(int) const {
    total[0] = {pair_first[pair_first.count - 1], place[place.count - 1]};
  }
};

/// From counts and flags of particles to places and totals.
struct ScanContacts {
  static constexpr const char* name = "contacts: scan";
  View<int> pair_first, place;
  View<ContactCount> total;
  MERGANSER_EITHER_SIDE
  template <class Phases>
  MERGANSER_METHOD void operator()(Phases& phases) const {
    phases.scan(pair_first.subview(0, pair_first.count - 1), pair_first);
    phases.scan(place.subview(0, place.count - 1), place);
    phases.run(1, ContactTotals{pair_first, place, total});
  }
};

bool same(const ContactSystem& a, const ContactSystem& b) {
  return a.first == b.first && a.self_contact == b.self_contact && a.implicit == b.implicit &&
         a.searches == b.searches && a.bond_first.data == b.bond_first.data &&
         a.bond_first.count == b.bond_first.count && a.bond_neighbor.data == b.bond_neighbor.data &&
         a.bond_neighbor.count == b.bond_neighbor.count;
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

void ContactDetection::clear() { found_ = {}; }

void ContactDetection::upload_systems(const ParticleStore& particles,
                                      const std::vector<ContactRules>& systems, int outside) {
  std::vector<ContactSystem> now;
  for (int s = 0; s < particles.system_count(); ++s) {
    const ContactRules& system = systems[size_t(s)];
    bool searches = system.self_contact;
    for (int other = 0; other < particles.system_count(); ++other)
      searches = searches || (other != s && other != outside && particles.range(other).count > 0);
    now.push_back({particles.range(s).first, system.self_contact, system.implicit, searches,
                   system.bond_first, system.bond_neighbor});
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

void ContactDetection::detect(const ParticleStore& particles, const std::vector<ContactRules>& systems) {
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
  const float greatest_reach = radii.in_grid + fmaxf(radii.in_grid, radii.outside);
  if (!(greatest_reach > 0)) return;
  build_grid(particles, parts, bounds_known, greatest_reach * 1.00001f);
  ContactSearch search{.particles = particles.const_view(),
                       .systems = systems_.const_view(),
                       .grid = grid_.view(),
                       .occupied = occupied_.const_view(),
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
  found_ = read_back(total_.const_view(), 0);
  if (found_.pairs == 0) return;
  have_room(pair_, found_.pairs);
  have_room(approaching_, found_.pairs);
  have_room(contact_particle_, found_.particles);
  launch(count, FillContacts{.search = search,
                             .first = pair_first_.const_view(),
                             .place = place_.const_view(),
                             .pair = pair_.view(),
                             .approaching = approaching_.view(),
                             .contact_particle = contact_particle_.view()});
}

MERGANSER_END
