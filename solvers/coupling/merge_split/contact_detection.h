#pragma once
/// Overlapping pairs of particles, [MS] sec. 5.1, collision rules 1 and 2.
#include <memory>
#include <optional>
#include <vector>

#include "device/merge_groups.h"
#include "device/particle_store.h"
#include "device/uniform_grid.h"

MERGANSER_BEGIN

/// What contact detection and merging need to know of a system.
struct ContactRules {
  bool implicit = false;            ///< see MetaParticleView
  bool self_contact = false;        ///< its own particles collide with each other
  View<const int> bond_first = {};  ///< directly bonded particles, see System::bond_first
  View<const int> bond_neighbor = {};
  bool moves_in_prepare = false;  ///< see System::moves_in_prepare
  bool rigid_bodies = false;      ///< see System::has_rigid_bodies
  int pressure_solve = -1;        ///< which one it takes part in, see System::coupled_systems; -1: none
  bool stores_impacts = false;    ///< see System::stores_impacts
};

/// The same in a kernel.
struct ContactSystem {
  int first;  ///< first particle of the system
  int self_contact;
  int implicit;
  int searches;  ///< 0 where no particle in the grid can be a partner of the system's particles
  int rigid_bodies;
  int pressure_solve;
  View<const int> bond_first, bond_neighbor;
  int stores_impacts = 0;
  int fluid = 0;  ///< its particles have no bonds and are of no rigid body
};

struct ContactSearch;

/// Greatest collision radii.
struct ContactRadii {
  float in_grid, outside;  ///< [m]
};

class ContactDetection {
 public:
  /// Periodic axes have length > 0 and hold all particles in [origin, origin + length).
  ContactDetection(Vec3 periodic_origin, Vec3 periodic_length);

  /// Finds all pairs i < j with |x_j - x_i| < r_i + r_j (eq. 21; the nearest image on periodic axes) of
  /// different systems, or of one system with self contact. Left out: directly bonded pairs, pairs of two
  /// immobile particles and pairs of systems that share a pressure solve.
  ///
  /// The largest system without self contact (a fluid, as a rule) stays out of the grid and only asks, so a
  /// step costs little more than one look at each of its particles; those outside the box around the grid's
  /// particles, or in a cell with nothing of the grid in it or next to it, do not even search. Blocking: one
  /// read of the numbers of pairs and particles; the greatest radii where there are other particles than
  /// before, the box where measure_bounds() did not look.
  ///
  /// Where the last step had contacts, but no more than `few`, nothing is read: pairs are listed as far as
  /// there is room for them, and until set_counts() pending() alone may be asked for.
  ///
  /// `half_kick` [m/s] per particle, or empty: see System::write_half_kick().
  void detect(const ParticleStore& particles, const std::vector<ContactRules>& systems,
              const PairCount& few = {}, View<const Vec3> half_kick = {});
  /// Pairs, marks and contact particles, of which only the device knows how many there are, with their room.
  struct Pending {
    View<const ItemPair> pairs;
    View<const int> approaching, particles;
    View<const PairCount> count;
  };
  std::optional<Pending> pending() const;
  /// What somebody has read of pending()->count. Lists the pairs again where there was too little room.
  void set_counts(const PairCount& count);
  /// Launches the search for the box around the grid's particles, at the end of a step: the next detect()
  /// takes it from the last fetch_results().
  void measure_bounds(const ParticleStore& particles, const std::vector<ContactRules>& systems);
  /// What is known of the particles no longer holds.
  void forget();
  /// No pairs; for steps without contact treatment.
  void clear();

  int pair_count() const { return found_.pairs; }
  /// Pairs as contact particles (see below), ascending by the particle that found them, then in grid order.
  View<const ItemPair> pairs() const { return pair_.view().subview(0, found_.pairs); }
  /// Per pair: 1 where n . (v2 - v1) < 0 (eq. 22), to be merged; 0 where it is only marked. Coincident
  /// particles are marked.
  View<const int> approaching() const { return approaching_.view().subview(0, found_.pairs); }
  /// Contact particles: all that are in some pair, ascending.
  View<const int> contact_particles() const { return contact_particle_.view().subview(0, found_.items); }
  View<const ContactSystem> systems() const { return systems_.view(); }

 private:
  /// How the particles are parted for the search.
  struct Parts {
    int outside_system;  ///< or -1
    Range outside;       ///< particles that stay out of the grid
    int count;           ///< particles
    int grid_count() const { return count - outside.count; }
    bool operator==(const Parts& o) const {
      return outside_system == o.outside_system && outside.first == o.outside.first &&
             outside.count == o.outside.count && count == o.count;
    }
  };
  static Parts parts_of(const ParticleStore& particles, const std::vector<ContactRules>& systems);
  ContactRadii greatest_radii(const ParticleStore& particles, const Parts& parts);
  void build_grid(const ParticleStore& particles, const Parts& parts, bool bounds_known, float radius);
  void list_pairs();
  void upload_systems(const ParticleStore& particles, const std::vector<ContactRules>& systems, int outside);

  Vec3 period_;
  UniformGrid grid_;
  Reduction<ContactRadii> radii_reduction_;
  std::optional<Parts> parts_of_radii_;  ///< whose radii_ are
  ContactRadii radii_{0, 0};
  Reduction<Bounds> bounds_;
  std::optional<Parts> parts_of_bounds_;
  std::vector<ContactSystem> host_systems_;
  Array<ContactSystem> systems_;
  Array<Vec3> grid_position_;
  PairCount found_;
  bool pending_ = false;  ///< found_ is not known yet
  PairCount last_found_;  ///< the last step
  PairCount few_;         ///< of the last detect()
  Array<PairCount> total_;
  Array<int> occupied_, pair_first_, contact_particle_, approaching_;
  Array<int> place_;  ///< per particle: contact particles before it
  Array<ItemPair> pair_;
  Scratch scratch_;
  std::shared_ptr<const ContactSearch> search_;  ///< of the last detect(), from the numbers to the list
};

MERGANSER_END
