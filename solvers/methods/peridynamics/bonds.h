#pragma once
/// The bonds of a system's bodies: who is bonded to whom, what is broken.
#include <string>
#include <vector>

#include "device/particle_store.h"
#include "device/reduce.h"
#include "solvers/base/state_archive.h"
#include "solvers/methods/peridynamics/bond_product.h"

MERGANSER_BEGIN

/// Bonds that broke since the beginning, pre-cracked ones left out, and the elastic energy [J] that those of
/// the last fracture() had.
struct BrokenBonds {
  long long count = 0;
  double energy = 0;
};

class PeridynamicBonds {
 public:
  /// Bonds the particles of each body that are within its horizon of each other now, which is their reference
  /// state; breaks those that pre-cracks cross. `seed` is for the scatter of critical stretches. Throws
  /// InputError where pre-cracks do not fit.
  PeridynamicBonds(const SystemState& state, std::vector<BondMaterial> materials, const ParticleStore& store,
                   Range range, std::uint32_t seed);

  /// Positions [m] of the particles, which all sums from here on see.
  void set_positions(View<const Vec3> position) {
    position_.assign(position);
    stiffness_kept_ = false;
  }
  /// The vector that products act on.
  void set_vector(View<const Vec3> vector) { vector_.assign(vector); }
  template <class Term>
  void sum(const Term& term) const {
    sum_over_bonds(term, list(), fields());
  }
  /// Diagonal blocks of K [N/m]. On the GPU the bonds' stiffness is kept for the products that follow.
  void measure_stiffness(View<SymmetricMatrix3> diagonal);
  /// The product that the term describes. It acts on term.u and may change the vector of set_vector().
  void multiply(const BondProduct& term);
  BondListView list() const;
  BondFields fields() const;

  /// True where some body can break.
  bool breakable() const { return breakable_; }
  /// Breaks what the positions stretch too far; `id` of the particles.
  void fracture(View<const int> id);
  /// Bonds that were whole at the beginning, pre-cracked ones left out.
  long long whole_at_start() const { return (neighbor_.size() - broken_at_start_) / 2; }
  /// Launches the sum that broken() takes.
  void count_broken();
  /// As of the last fetch_results().
  BrokenBonds broken() const;
  /// Launches the sum of the elastic energy [J] at the positions last set.
  void sum_energy(Reduction<double>& energy);
  /// Least sqrt(2 m / sum_j k_ij) [s] over the particles, the stable step of explicit integration (Silling &
  /// Askari 2005, eq. 34) of whole bodies; broken bonds only enlarge it.
  double stable_time_step() const { return stable_time_step_; }

  /// Share of a particle's bonds that are broken; 0 for a particle without bonds (blocking).
  std::vector<float> damage() const;
  /// Number of the particle's fragment, a connected part over whole bonds; numbered by their first particles
  /// (blocking).
  std::vector<float> fragments() const;

  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);

 private:
  void break_pre_cracks(const SystemState& state);
  /// Surface factors and the stable step, from the reference positions.
  void measure_families();

  std::uint32_t seed_;
  bool breakable_ = false;
  Array<BondMaterial> materials_;
  Array<int> material_;          ///< per particle
  Array<int> first_, neighbor_;  ///< see BondListView
  Array<int> broken_;            ///< per particle: broken entries
  Array<int> run_;
  Components position_, reference_, vector_;
  BondProducts products_;                  ///< GPU
  bool stiffness_kept_ = false;            ///< products_ holds the bonds at position_
  Array<float> volume_, family_, scalar_;  ///< padded; scalar_: results of sums
  long long broken_at_start_ = 0;          ///< entries
  double stable_time_step_ = 0;
  Array<double> fracture_energy_;      ///< [J] per particle, of the last fracture()
  Reduction<BrokenBonds> broken_sum_;  ///< `count`: broken entries, two a bond, pre-cracked ones included
};

MERGANSER_END
