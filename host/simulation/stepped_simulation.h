#pragma once
/// The simulation of one backend: particles, systems and the step that sequences them.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/kernel_report.h"
#include "device/stage_clock.h"
#include "device/timers.h"
#include "host/simulation/simulation.h"
#include "solvers/core/emitter.h"
#include "solvers/core/system.h"
#include "solvers/coupling/boundary/wall_contact.h"
#include "solvers/coupling/implicit/implicit_coupling.h"
#include "solvers/coupling/merge_split/merge_split.h"
#include "solvers/coupling/pairwise_contact/pairwise_contacts.h"
#include "solvers/observables/body_centre.h"
#include "solvers/observables/copied_motion.h"
#include "solvers/observables/crossing_counter.h"
#include "solvers/observables/deepest_overlap.h"
#include "solvers/observables/ledger/ledger.h"
#include "solvers/observables/ledger/step_ledger.h"
#include "solvers/observables/particle_sums.h"
#include "solvers/observables/shape_error.h"

MERGANSER_BEGIN

inline Vec3 vec3(const Point3& p) { return {float(p[0]), float(p[1]), float(p[2])}; }
inline Vec3 vec3(const Float3& p) { return {p[0], p[1], p[2]}; }
inline Point3 point(const Vec3d& v) { return {v.x, v.y, v.z}; }
inline Float3 float3(const Vec3& v) { return {v.x, v.y, v.z}; }

class SteppedSimulation final : public Simulation {
 public:
  explicit SteppedSimulation(const InitialState& initial);

  long long step_count() const override { return step_; }
  double time() const override { return time_; }
  int particle_count() const override { return particles_.count(); }
  std::vector<int> particles_per_system() const override;
  StepStatistics advance(double stop_time, bool row) override;
  double next_time_step() override { return time_step_limit_; }
  std::vector<std::string> notes() const override;
  std::vector<std::pair<std::string, double>> setup_metrics() const override;
  FrameData frame() const override;
  StateArchive save() const override;
  void load(const StateArchive& archive) override;
  size_t device_bytes() const override { return allocated_bytes(); }
  std::map<std::string, std::pair<long long, double>> kernel_times() const override;
  DeviceTraffic traffic() const override { return device_traffic(); }

 private:
  void emit();
  double step_size(double stop_time) const;
  bool reaches(double stop_time, double dt) const { return stop_time - time_ <= dt * (1 + 1e-9); }
  double cfl_limited(double limit) const;
  void limit_next_step();
  /// All systems' end-of-step velocities; implicit solids are solved as one.
  void integrate(StepContext& step, int stage);
  void throw_on_report();
  std::vector<ContactRules> contact_rules() const;
  /// Looks for contacts, where something treats or reports them.
  void detect_contacts();
  /// What systems and ledger want to know of the step before positions advance.
  void record_exchange(const StepContext& step);
  /// Launches all that the host wants to know at the end of a step, and fetches it by one read.
  void measure(bool row);
  /// What is known of every step.
  StepStatistics outcome(double dt, bool second_stage) const;
  /// Adds the row of the step that was measured.
  void add_row(StepStatistics& row);
  void add_checked_values(StepStatistics& row);
  /// Before the first step, and before one with a row that follows one without. Blocking.
  struct Energy {
    double energy;   ///< [J] kinetic, potential and elastic
    Vec3d momentum;  ///< [kg m/s]
  };
  Energy energy_now();
  void measure_energy_before_walls(const StepContext& step);
  /// Closes the step; `exchange` and `fracture` of all systems.
  void close_ledger(const StepExchange& of_systems, double fracture, const MergeStatistics& merged,
                    const ParticleSums& sums, StepStatistics& row);

  InitialState initial_;  ///< without the particles
  ParticleStore particles_;
  std::vector<std::unique_ptr<System>> systems_;
  std::unique_ptr<ImplicitCoupling> implicit_coupling_;  ///< where there are several implicit systems
  std::vector<Emitter> emitters_;
  std::vector<int> emitter_system_;
  std::unique_ptr<MergeSplit> merge_split_;
  PairwiseContacts pairwise_contacts_;
  DeepestOverlap deepest_overlap_;
  WallContact walls_;
  std::vector<CrossingCounter> crossings_;
  struct TrackedBody {
    BodyCentre centre;
    Vec3d start;  ///< [m]
  };
  std::vector<TrackedBody> tracked_;
  std::vector<ShapeError> shaped_;
  struct CopiedBody {
    CopiedMotion motion;
    double smoothing_length;  ///< [m] of its system
  };
  std::vector<CopiedBody> copied_;
  ParticleSummation summation_;
  StepLedger step_ledger_;
  Ledger ledger_;
  bool ledger_is_current_ = true;            ///< it knows the energy and momentum at the end of the last step
  std::vector<char> measured_before_walls_;  ///< per system: its elastic energy, in this step
  double emitted_energy_ = 0;                ///< [J] before this step
  KernelReport report_;
  Array<Vec3> end_velocity_;
  Vec3 gravity_;
  bool looks_for_contacts_;
  float least_radius_ = 3e38f;
  double time_ = 0, time_step_limit_ = 0, max_speed_ = 0;
  double cfl_time_step_ = 0;  ///< [s] of the next step, see StepStatistics
  long long step_ = 0;
  int next_id_ = 0;
  StageClock stages_;
};

MERGANSER_END
