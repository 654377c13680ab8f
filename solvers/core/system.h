#pragma once
/// Interface of a physical system to merging-and-splitting: a black box that turns the particles and
/// velocities at the beginning of a step into velocities at its end ([MS] sec. 4).
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/bounds.h"
#include "device/kernel_report.h"
#include "device/particle_store.h"
#include "solvers/base/state_archive.h"
#include "solvers/core/step_exchange.h"
#include "solvers/core/wall_load.h"
#include "solvers/geometry/walls/wall.h"

MERGANSER_BEGIN

/// Meta-particles of the step. Particle indices are global.
///
/// A group's members share one velocity and keep their offsets. Each system integrates the members it owns as
/// one particle. So that momentum is conserved whatever the systems are, and the implicit ones feel the
/// inertia of the whole group, an implicit system gives its members mass_scale times their own mass, where
/// mass_scale = M / (mass of all members that belong to implicit systems); explicit systems use the members'
/// own mass. Let V* = V + dt g be the group's free velocity and v what the system computed; the system
/// returns v_hat = V* + mass_scale (v - V*) (explicit: v_hat = v). With these, the mass-weighted average of
/// [MS] eq. 17 over all members adds up exactly the impulses that all systems gave the group.
struct MetaParticleView {
  View<const int> group_of;  ///< per particle: its group, or -1
  View<const int> first;     ///< per group, one more at the end: start of its members
  /// member particles, ascending within a group (so each system's are contiguous); those behind
  /// first[group_count] are alone
  View<const int> member;
  View<const Vec3> velocity;  ///< [m/s] per group, at the beginning of the step, [MS] eq. 3
  View<const float>
      inverse_mass;  ///< [1/kg] per group; 0 = a member is immobile: the group moves with `velocity`
  View<const float> mass_scale;  ///< per group, see above; 1 where no member belongs to an implicit system
  int group_count = 0;
  /// [m/s] per particle and per group (the mean by mass; 0 where it is immobile): see
  /// System::write_half_kick(); both empty where no system's velocities are behind.
  View<const Vec3> half_kick = {}, group_half_kick = {};
};

/// What a step hands to the systems: whole from the beginning of the step, and the same to its end.
struct StepContext {
  ParticleStore& particles;
  KernelReport& report;
  Vec3 gravity;    ///< [m/s^2]
  double time;     ///< [s] at the beginning of the step
  double dt;       ///< [s]
  long long step;  ///< steps done before this one
  /// Before integrate() where they are at the beginning of the step, with the velocity of the step before;
  /// from then on with the mean velocity of this step; after the advance where they are at its end.
  WallView walls = {};
  bool walls_move = false;
  bool frame_end = false;  ///< the step reaches the time it was to stop at: of a frame, or the end of the run
  std::vector<Range> waiting = {};  ///< of the store, ascending: particles of bodies that are not there yet
};

/// What the statistics want to know of a system after a step.
struct SystemStatistics {
  double elastic_energy = 0;   ///< [J] elastic or internal (pressure) energy where the system has one
  double density_error = 0;    ///< largest relative compression |rho/rho0 - 1| above rho0 (fluids)
  int iterations[2] = {0, 0};  ///< linear solver iterations of the first and second stage
  double residual = 0;         ///< relative residual the solver stopped at
  bool tolerance_met = true;   ///< false: the iteration cap ended a solve
  long long broken_bonds = 0;
  long long bonds = 0;         ///< that were whole at the beginning
  StepExchange exchange;       ///< of the step, see record_exchange()
  double fracture_energy = 0;  ///< [J] elastic energy of the bonds that broke in the step, as they broke
};

/// What System::measure is to measure.
enum class Measures {
  time_step,  ///< what the next step needs
  all         ///< that, and what the statistics say
};

class ImplicitSystem;

class System {
 public:
  virtual ~System() = default;
  /// True where the system solves for its end-of-step velocities with its own inertia (see MetaParticleView).
  virtual bool implicit() const = 0;
  /// Everything that depends on positions and on velocities before merging: sort into cell order (fluids
  /// permute their range of the store here), forces, matrices. Once per step, before contacts are detected.
  virtual void prepare(const StepContext& step) = 0;
  /// True where velocities are half a step behind the positions (velocity Verlet as v += dt f/m, x += dt v)
  /// and collisions want to know of it.
  virtual bool half_step_behind() const { return false; }
  /// What the system's own forces give its particles until the time of their positions, dt f / (2 m) [m/s],
  /// gravitation left out; indexed like the store, 0 before. After prepare(), and again (`advanced`) with the
  /// forces at the new positions before groups split. Groups merge and split with these velocities
  /// (solvers/coupling/merge_split/METHOD.md); all that systems see stays half a step behind.
  virtual void write_half_kick(const StepContext&, bool /*advanced*/, View<Vec3> /*half_kick*/) {}
  /// End-of-step velocities [m/s] of the system's own particles, end_velocity indexed like the store; for
  /// members of groups v_hat. Called for stage 0 and, where marked pairs turned to approach, for stage 1 with
  /// enlarged groups; then end_velocity holds stage 0's synchronized result as the initial guess.
  virtual void integrate(const StepContext& step, const MetaParticleView& groups, int stage,
                         View<Vec3> end_velocity) = 0;
  /// Once all systems of a scene have been made, in its order: for those that solve together with others.
  virtual void meet(const std::vector<std::unique_ptr<System>>&) {}
  /// Indices of the systems whose particles push each other by pressure in a solve of this system, itself
  /// among them: two of them never merge. Empty: none do.
  virtual std::vector<int> coupled_systems() const { return {}; }
  /// Once all systems are prepared, before contacts are detected: a solve over several systems that changes
  /// their velocities for all that follows in the step.
  virtual void prepare_coupled(const StepContext&) {}
  /// Once all systems have integrated, in each stage, before groups that span systems are synchronized: a
  /// solve over several systems that changes their end velocities.
  virtual void integrate_coupled(const StepContext&, const MetaParticleView&, int /*stage*/,
                                 View<Vec3> /*end_velocity*/) {}
  /// Sums what the step takes from and gives to energy and momentum (solvers/observables/ledger/README.md),
  /// for statistics(). After the last integrate(), before positions advance with `end_velocity` (indexed like
  /// the store): the store holds the beginning of the step, and forces and matrices are those of prepare().
  virtual void record_exchange(const StepContext&, const MetaParticleView&,
                               View<const Vec3> /*end_velocity*/) {}
  /// Launches a sum of the elastic energy of the positions that `end_velocity` (indexed like the store) led
  /// to, before walls move any: what walls then change of it is theirs
  /// (solvers/observables/ledger/README.md). Fluids have none.
  virtual void measure_before_walls(const StepContext&, View<const Vec3> /*end_velocity*/) {}
  /// That sum [J], of the last fetch_results().
  virtual double energy_before_walls() const { return 0; }
  /// After positions and velocities of the store have advanced, before groups split and walls act: what moved
  /// particles beside their velocities is taken off these.
  virtual void advanced(const StepContext&) {}
  /// After positions have advanced with the synchronized velocities `end_velocity` [m/s] (indexed like the
  /// store), groups have split and walls have acted: density update, springs' bookkeeping.
  virtual void finish(const StepContext&, View<const Vec3> /*end_velocity*/) {}
  /// Launches the sums over the particles as they are after finish(), and before the first step. The next
  /// fetch_results() brings them to the host.
  virtual void measure(const ParticleStore&, Measures) {}
  /// Largest stable step [s] for the particles that were measured.
  virtual double time_step_limit() const = 0;
  /// Of the particles that were measured with Measures::all, and of the step before.
  virtual SystemStatistics measured() const = 0;
  /// What the step's pressure and viscosity gave to the k-th of the walls with names, as of the last
  /// fetch_results() (contacts after the advance: WallContact).
  virtual WallLoad wall_load(int /*k*/) const { return {}; }
  /// Whether all solves of the last step reached their tolerance.
  virtual bool tolerance_met() const { return true; }
  /// Both at once, for a system by itself. Blocking.
  double largest_time_step(const ParticleStore& particles) {
    measure(particles, Measures::time_step);
    fetch_results();
    return time_step_limit();
  }
  SystemStatistics statistics(const ParticleStore& particles) {
    measure(particles, Measures::all);
    fetch_results();
    return measured();
  }
  /// True where prepare() may move particles.
  virtual bool moves_in_prepare() const { return false; }
  /// Particles appended to the end of the system's range by an emitter, within a box: grow own arrays.
  virtual void particles_added(const ParticleStore&, int /*count*/, const Bounds& /*box*/) {}
  /// A kill box took particles out of the system's range: new particle k is old particle kept[k], local
  /// indices. Before the step that it is the beginning of; fluids alone have kill boxes.
  virtual void particles_removed(View<const int> /*kept*/) {}
  /// A body of the system waits for its start time from now on, or no longer (LateBodies): before the first
  /// step, before the step that it starts with, and before load() as it was when the archive was saved. Its
  /// particles in the store are immobile and at rest while it waits.
  virtual void set_waiting(int /*body*/, bool /*waits*/) {}
  /// Implicit systems that can be solved together with others (see ImplicitCoupling) say so here.
  virtual ImplicitSystem* implicit_system() { return nullptr; }
  /// Directly bonded pairs never merge ([MS] sec. 5.1): CSR over local indices, neighbors ascending; empty
  /// where none. A broken bond keeps its place as ~neighbor, a negative number, and holds nothing together.
  virtual View<const int> bond_first() const { return {}; }
  virtual View<const int> bond_neighbor() const { return {}; }
  /// True: two particles of one body never merge, whatever their distance.
  virtual bool has_rigid_bodies() const { return false; }
  /// [N s] What groups gave to each particle in the last stage, local indices, where the system can do
  /// without those that pull; else empty.
  virtual View<const Vec3> group_impulses() const { return {}; }
  /// True where the system's bodies are solved implicitly and store and return what a collision takes from
  /// their motion: of merges among such particles alone nothing is given back
  /// (solvers/coupling/merge_split/METHOD.md, "Soft bodies").
  virtual bool stores_impacts() const { return false; }
  /// Per-particle fields for frames, by name (e.g. "density").
  virtual std::vector<std::pair<std::string, std::vector<float>>> frame_fields() const { return {}; }
  /// State beyond the store's fields, under the given path prefix.
  virtual void save(StateArchive&, const std::string& /*prefix*/) const {}
  virtual void load(const StateArchive&, const std::string& /*prefix*/) {}

 protected:
  System() = default;
};

MERGANSER_END
