#pragma once
/// Rigid bodies. See README.md for the equations.
#include <memory>

#include "solvers/core/system.h"
#include "solvers/methods/rigid/rigid_motion.h"

MERGANSER_BEGIN

class RigidBodies : public System {
 public:
  /// Throws InputError where a body would have no inertia about some axis.
  RigidBodies(const SystemState& state, const std::vector<BodyInfo>& bodies, int system_index);

  bool implicit() const override { return true; }
  /// What bodies do without groups: gravity, walls, told motions.
  void prepare(const StepContext& step) override;
  void integrate(const StepContext& step, const MetaParticleView& groups, int stage,
                 View<Vec3> end_velocity) override;
  void record_exchange(const StepContext& step, const MetaParticleView& groups,
                       View<const Vec3> end_velocity) override;
  /// Moves the bodies, and puts their particles where they belong.
  void finish(const StepContext& step, View<const Vec3> end_velocity) override;
  double time_step_limit() const override { return 1e30; }
  SystemStatistics measured() const override;
  bool has_rigid_bodies() const override { return true; }
  /// "rotation_w", "rotation_x", ...: of the particle's body, from its principal axes.
  std::vector<std::pair<std::string, std::vector<float>>> frame_fields() const override;
  void save(StateArchive& archive, const std::string& prefix) const override;
  void load(const StateArchive& archive, const std::string& prefix) override;

 private:
  RigidStepView step_view();
  /// The system's part of an array of the store.
  template <class T>
  View<T> own(Array<T>& array, const ParticleStore& particles) const {
    const Range range = particles.range(system_index_);
    return array.view().subview(range.first, range.count);
  }
  void follow_motions(const StepContext& step);
  void find_touches(const StepContext& step);
  void meet_walls(const StepContext& step);

  int system_index_;
  RigidParameters parameters_;
  RigidState state_;
  Array<int> motion_first_;  ///< per body, one more at the end
  Array<ToldMotion> motion_;
  Array<Vec3d> next_place_;
  Array<Quaternion> next_turn_;
  Array<Twist> given_, momenta_, velocity_;
  Array<TwistMatrix> inverse_;
  Array<MemberMomenta> members_;
  Array<WallTouch> touch_;
  Reduction<StepExchange> exchange_, placed_;
};

/// The system of the given index of the store; its particles are already there, in the order of `state`.
std::unique_ptr<System> make_rigid(const SystemState& state, const InitialState& initial, int system_index,
                                   const ParticleStore& particles);

MERGANSER_END
