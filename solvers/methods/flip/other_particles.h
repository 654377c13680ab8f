#pragma once
/// Particles of other systems in the pressure solve of FLIP fluids: their velocities are on the faces, and
/// pressure pushes them (other_faces.h).
#include "solvers/core/pressed_bodies.h"
#include "solvers/methods/flip/foreign_particles.h"
#include "solvers/methods/flip/other_faces.h"
#include "solvers/methods/flip/pressure_solver.h"

MERGANSER_BEGIN

class OtherParticles {
 public:
  /// A system of rigid bodies, whose particles move with them.
  void use(int system, PressedBodies& bodies) { rigid_.push_back({system, &bodies}); }
  /// `without`: ranges of the store that do not count. particle_mass: of the first fluid [kg].
  void find(const ParticleStore& store, const FlipGrid& grid, const GridShape& lattice,
            const std::vector<Range>& without, double particle_mass);
  bool any() const { return count_ > 0; }
  UniformGridView view() const { return foreign_.view(); }
  View<const float> ease() const { return ease_.const_view().subview(0, count_); }  ///< see EaseOfOthers

  /// Velocities of all particles on faces, see JoinFaces. face_mass: of the fluids [particles].
  FaceViews<const float> join(const FlipPressure& pressure, FaceViews<const float> u,
                              FaceViews<const float> face_mass, View<const Vec3> end_velocity);
  /// After the solve: what it does to these particles. Changes of faces become those of the fluids.
  void take(FlipPressure& pressure);
  /// Gives it to them, in end_velocity, once that of the fluids is there: groups move with rigid bodies.
  void give(const StepContext& step, const MetaParticleView& groups, View<Vec3> end_velocity);
  OtherChanges changes(const FlipPressure& pressure) const;  ///< of the last take()
  /// [N s] over the store: what particles that are held got.
  void add_held_impulses(const HeldParticles& held, View<Vec3> impulse) const;

 private:
  struct RigidSystem {
    int system;
    PressedBodies* bodies;
  };
  int count_ = 0;
  float particle_mass_ = 0;  ///< [kg]
  std::vector<RigidSystem> rigid_;
  ForeignParticles foreign_;
  Array<float> ease_;
  FaceArrays<float> of_faces_;  ///< [m/s] joint velocities, then pushes
  FaceArrays<float> drag_, drag_of_others_;
  Array<Vec3> taken_;
  Array<Range> ranges_;
  Array<Quad> acceleration_;
  Array<int> place_, active_;
};

MERGANSER_END
