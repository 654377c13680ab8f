#pragma once
/// Rigid bodies. See README.md for the equations.
#include <memory>

#include "device/scan.h"
#include "solvers/core/held_impulses.h"
#include "solvers/core/pressed_bodies.h"
#include "solvers/core/system.h"
#include "solvers/core/wall_loads.h"
#include "solvers/coupling/implicit/stage_rows.h"
#include "solvers/methods/rigid/body_factor.h"
#include "solvers/methods/rigid/body_gradient.h"
#include "solvers/methods/rigid/pressing_walls.h"
#include "solvers/methods/rigid/tie_results.h"

MERGANSER_BEGIN

class RigidBodies : public System, public ImplicitSystem, public PressedBodies, public HeldImpulses {
 public:
  /// Throws InputError where a body would have no inertia about some axis.
  RigidBodies(const SystemState& state, const std::vector<BodyInfo>& bodies, int system_index,
              const std::vector<WallParameters>& walls = {});

  bool implicit() const override { return true; }
  /// Told motions.
  void prepare(const StepContext& step) override;
  void integrate(const StepContext& step, const MetaParticleView& groups, int stage,
                 View<Vec3> end_velocity) override;
  void record_exchange(const StepContext& step, const MetaParticleView& groups,
                       View<const Vec3> end_velocity) override;
  void write_held_impulses(const StepContext& step, const MetaParticleView& groups, View<const Vec3>,
                           View<Vec3> impulse) override;
  /// Moves the bodies, and puts their particles where they belong.
  void finish(const StepContext& step, View<const Vec3> end_velocity) override;
  double time_step_limit() const override { return 1e30; }
  SystemStatistics measured() const override;
  bool tolerance_met() const override { return statistics_.tolerance_met; }
  bool has_rigid_bodies() const override { return true; }
  View<const Vec3> group_impulses() const override {
    return given_by_groups_ ? impulse_.const_view() : View<const Vec3>{};
  }
  void set_waiting(int body, bool waits) override { state_.set_waiting(body, waits); }
  ImplicitSystem* implicit_system() override { return this; }
  WallLoad wall_load(int k) const override { return wall_loads_.fetched(k); }
  /// "rotation_w", "rotation_x", ...: of the particle's body, from its principal axes.
  std::vector<std::pair<std::string, std::vector<float>>> frame_fields() const override;
  void save(StateArchive& archive, const std::string& prefix) const override;
  void load(const StateArchive& archive, const std::string& prefix) override;

  // Their part of a solve with groups that other systems share, see rigid_contacts.h.
  int system_index() const override { return system_index_; }
  double tolerance() const override { return parameters_.tolerance; }
  int max_iterations() const override { return parameters_.max_iterations; }
  void right_side(const StepContext& step, const PartRows& rows, View<Vec3> b) override;
  void diagonal(double dt, View<SymmetricMatrix3> blocks) override;
  void multiply(SolveProgress progress, double dt, const PartRows& rows, View<const Vec3> u,
                View<Vec3> y) override;
  bool preconditions() const override { return true; }
  void precondition(const PartRows& rows, View<const Vec3> r, View<Vec3> z) override;
  void add_to_key(double, LaunchKey&) const override {}
  bool completes() const override { return true; }
  void complete(const StepContext& step, const PartRows& rows, const ResidualShares& shares,
                View<const Vec3> u, View<Vec3> balanced) override;
  bool solve_again() override;
  void solved(int stage, const LinearSolveResult& result) override;

  // Their part of a pressure solve, see pressed_motion.h.
  void prepare_pressure(const StepContext& step, const MetaParticleView& groups) override;
  void move_as_bodies(View<const int> active, View<const float> mass, View<const int> place,
                      View<Quad> acceleration) override;
  void add_pressure_key(LaunchKey& key) const override;
  void push(const StepContext& step) override;
  void press(const StepContext& step, const MetaParticleView& groups, View<Vec3> end_velocity) override;

 private:
  RigidStepView step_view();
  TieView tie_view();
  OverBodies over_bodies(const PartRows& rows) { return {state_.view(), rows.effective_mass, tie_view()}; }
  /// The system's part of an array of the store.
  template <class T>
  View<T> own(Array<T>& array, const ParticleStore& particles) const {
    const Range range = particles.range(system_index_);
    return array.view().subview(range.first, range.count);
  }
  void follow_motions(const StepContext& step);
  void find_touches(const StepContext& step);
  /// What bodies do without groups, once a stage: q* in velocity_.
  void move_without_groups(const StepContext& step);
  /// `from_pressed`: see MeetWalls.
  void meet_walls(const StepContext& step, bool from_pressed = false);
  void record_pressure();
  View<const int> ties_now(const MetaParticleView& groups) const;
  void find_ties(const StepContext& step, const PartRows& rows);
  /// Which walls hold bodies in the solve at first.
  void hold_touches(const StepContext& step);
  void find_carried_twice(const StepContext& step);
  /// From what groups give to what bodies and rows end with.
  void respond(const StepContext& step, const PartRows& rows, View<const Vec3> u, View<Vec3> balanced);
  void end_solve(int stage, const LinearSolveResult& result);

  // The solve with groups that no other system shares, see body_equations.h.
  void integrate_groups(const StepContext& step, const MetaParticleView& groups, int stage,
                        View<Vec3> end_velocity);
  void list_ties(const StepContext& step, const PartRows& rows, View<const Vec3> end_velocity);
  TieList tie_list();
  bool factored() const { return state_.count() <= BodyFactor::most_bodies; }
  /// The matrix of the stage.
  void start_passes(const StepContext& step);
  /// From the multipliers and the walls' impulses as they are.
  LinearSolveResult solve_alone(const GroupResponse& groups, int stage);
  LinearSolveResult solve_pass(const StepContext& step, const PartRows& rows, int stage);
  /// What walls give in the next pass; whether the last one felt the same.
  bool press_walls(const StepContext& step);

  int system_index_;
  RigidParameters parameters_;
  RigidState state_;
  Array<int> motion_first_;  ///< per body, one more at the end
  Array<ToldMotion> motion_;
  Array<Vec3d> next_place_;
  Array<Quaternion> next_turn_;
  Array<Twist> given_, momenta_, velocity_;
  Array<MemberMomenta> members_;
  Array<WallTouch> touch_;
  WallLoads wall_loads_;
  bool walls_met_ = false;        ///< in this step
  bool walls_hold_ = false;       ///< in this step; the second stage goes on from what the first one found
  bool given_by_groups_ = false;  ///< momenta_ and velocity_ hold what groups gave in this step
  Array<double> stiffness_;       ///< see TieView
  Array<MassMoments> member_moments_;
  Array<TwistMatrix> ties_, inner_;
  Array<Twist> drive_, change_, carried_twice_;
  Array<Twist> pressed_by_walls_;             ///< [N s] see PressingView
  Array<Vec3> impulse_;                       ///< [N s] of the groups on each particle
  bool in_groups_ = false;                    ///< particles may be tied in this step
  static constexpr int passes_that_hold = 4;  ///< see ReviseHolds
  int passes_ = 0;                            ///< solves of this stage so far
  Array<int> revised_{1};                     ///< see ReviseHolds
  Array<int> tied_;                           ///< see TieView
  Array<Vec3d> arm_;
  SystemStatistics statistics_;
  double strength_ = tie_strength;  ///< see TieView
  StageRows rows_;
  Array<int> before_, tie_particle_, tie_next_;  ///< see TieList
  Array<double> tie_whole_, tie_mass_, tie_stiffness_;
  Array<Vec3d> multiplier_, next_multiplier_, tie_push_;
  Scratch scratch_;
  BodyGradient gradient_;
  Reduction<Press::Value> pressing_;
  BodyFactor factor_;
  Array<Vec3> group_change_, balanced_change_;  ///< [m/s] per particle: u, and with the bodies' momentum
  int expected_[2] = {2, 2};                    ///< iterations of both stages
  Reduction<StepExchange> exchange_, placed_, tie_exchange_;

  Array<TwistMatrix>
      response_;                ///< see BodyResponse; this and what follows is empty without a pressure solve
  Array<MassMoments> carried_;  ///< likewise
  Array<Twist> pressure_force_;    ///< [N], [N m] of its last iteration
  Array<Twist> pushed_, pressed_;  ///< [N s] before and within the step
  Array<Twist> pressed_change_;    ///< see GiveByPressure
  bool is_pressed_ = false;        ///< in this step
  Reduction<StepExchange> pressed_exchange_;
};

/// The system of the given index of the store; its particles are already there, in the order of `state`.
std::unique_ptr<System> make_rigid(const SystemState& state, const InitialState& initial, int system_index,
                                   const ParticleStore& particles);

MERGANSER_END
