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
#include "solvers/core/kill_box.h"
#include "solvers/core/late_bodies.h"
#include "solvers/core/observable.h"
#include "solvers/core/system.h"
#include "solvers/coupling/boundary/wall_contact.h"
#include "solvers/coupling/implicit/implicit_coupling.h"
#include "solvers/coupling/merge_split/merge_split.h"
#include "solvers/coupling/pairwise_contact/pairwise_contacts.h"
#include "solvers/observables/all_observables.h"
#include "solvers/observables/particle_sums.h"

MERGANSER_BEGIN

inline Vec3 vec3(const Point3& p) { return {float(p[0]), float(p[1]), float(p[2])}; }
inline Vec3 vec3(const Float3& p) { return {p[0], p[1], p[2]}; }
inline Float3 float3(const Vec3& v) { return {v.x, v.y, v.z}; }

struct FrameCopies;

class SteppedSimulation final : public Simulation {
 public:
  /// Columns stand in the order of the observables.
  explicit SteppedSimulation(const InitialState& initial,
                             const std::vector<ObservableEntry>& observables = all_observables());

  long long step_count() const override { return step_; }
  double time() const override { return time_; }
  int particle_count() const override { return particles_.count(); }
  std::vector<int> particles_per_system() const override;
  StepStatistics advance(double stop_time, bool row) override;
  Columns columns() const override { return *columns_; }
  double next_time_step() override { return time_step_limit_; }
  std::vector<std::string> notes() const override;
  std::vector<std::string> setup_warnings() const override;
  std::vector<std::string> warnings_now() const override;
  std::vector<std::string> warnings_so_far() const override;
  void look(bool diverged) override {
    for (const auto& observable : observables_) observable->look(parts_, step_, time_, diverged);
  }
  std::vector<std::pair<std::string, double>> setup_metrics() const override;
  std::function<FrameData()> frame_now() const override;
  StateArchive save() const override;
  void load(const StateArchive& archive) override;
  size_t device_bytes() const override { return allocated_bytes(); }
  std::map<std::string, std::pair<long long, double>> kernel_times() const override;
  DeviceTraffic traffic() const override { return device_traffic(); }

 private:
  /// A step on its way.
  struct Step {
    const StepContext context;
    const bool has_row;
    bool second_stage = false;
    /// [m/s] dt g, what a free particle gains.
    Vec3 free_change() const { return float(context.dt) * context.gravity; }
  };
  struct Stage {
    const char* name;  ///< of its time in rows, ms_<name>
    void (SteppedSimulation::*run)(Step&);
  };
  static constexpr const char* second_integration = "integrate_2";
  /// Of a solve over several systems, fluids and solids: twice and more a step.
  static constexpr const char* coupled_pressure_stage = "coupled_pressure";
  static constexpr const char* statistics_stage = "statistics";
  static const std::vector<Stage> stages;

  void prepare(Step& step);
  void prepare_coupled(Step& step);
  void detect_contacts(Step& step);
  void merge(Step& step);
  void integrate_first(Step& step);
  void couple_first(Step& step);
  void synchronize(Step& step);
  void integrate_second(Step& step);
  void observe_before_advance(Step& step);
  void advance_positions(Step& step);
  void split(Step& step);
  void observe_after_split(Step& step);
  void apply_walls(Step& step);
  void integrate_again(Step& step);
  void finish(Step& step);
  void measure(Step& step);

  void emit();
  void remove_outside(std::vector<Emission>& emissions);
  View<const Vec3> half_kicks(const Step& step);
  void integrate(const Step& step, int stage);
  void couple(const Step& step, int stage);
  void throw_on_report();
  void throw_on_rows();
  [[noreturn]] void throw_divergence(const std::string& what) const;
  StepStatistics statistics(const Step& step);
  std::vector<ContactRules> contact_rules() const;
  std::vector<Observable*> observing(bool row) const;

  double step_size(double stop_time) const;
  bool reaches(double stop_time, double dt) const { return stop_time - time_ <= dt * (1 + 1e-9); }
  double cfl_limited(double limit) const;
  void measure_next_step(bool row);
  void limit_next_step();

  InitialState initial_;  ///< without the particles
  ParticleStore particles_;
  std::vector<std::unique_ptr<System>> systems_;
  std::unique_ptr<ImplicitCoupling> implicit_coupling_;  ///< where there are several implicit systems
  std::vector<Emitter> emitters_;
  std::vector<int> emitter_system_;
  std::vector<KillBox> kill_boxes_;
  LateBodies late_bodies_;
  MergeSplit merge_split_;
  PairwiseContacts pairwise_contacts_;
  WallContact walls_;
  ParticleSummation summation_;
  Vec3 gravity_;  ///< [m/s^2]
  ObservedParts parts_;
  std::vector<std::string> observable_names_;
  std::vector<std::unique_ptr<Observable>> observables_;
  std::shared_ptr<const Columns> columns_;
  KernelReport report_;
  Array<Vec3> end_velocity_, half_kick_;  ///< [m/s] per particle
  bool looks_for_contacts_;
  float least_radius_ = 3e38f;
  double time_ = 0, time_step_limit_ = 0, max_speed_ = 0;
  double cfl_time_step_ = 0;  ///< [s] of the next step, see StepStatistics
  long long step_ = 0;
  StageClock clock_;
  mutable std::vector<std::shared_ptr<FrameCopies>>
      frame_copies_;  ///< used again when nobody else holds them
};

MERGANSER_END
