#pragma once
/// Rigid bodies that take part in the pressure solve of a FLIP fluid (`coupledTo`).
#include <vector>

#include "solvers/core/pressed_bodies.h"
#include "solvers/linear/krylov/grid_conjugate_gradient.h"
#include "solvers/methods/flip/covered_faces.h"
#include "solvers/methods/flip/foreign_particles.h"

MERGANSER_BEGIN

class FlipBodies final : public OperatorTerm {
 public:
  void use(int system, PressedBodies& bodies) { members_.push_back({system, &bodies}); }
  bool any() const { return count_ > 0; }
  /// Covered shares of faces and `passage`, what is left of their open shares, for bodies where they are now.
  /// spacing [m]; cell_mass [kg].
  void find(const ParticleStore& store, const FlipGrid& grid, const GridShape& lattice,
            FaceViews<const float> open, float spacing, double cell_mass);
  UniformGridView view() const { return count_ > 0 ? sorted_.view() : UniformGridView{}; }
  FaceViews<const float> passage() const { return passage_.const_view(); }
  FaceViews<const float> covered() const { return share_.const_view(); }
  /// [m/s] times the covered share.
  FaceViews<float> carried() { return carried_.view(); }

  /// What faces carry with end velocities (indexed like the store).
  void carry(View<const Vec3> end_velocity);
  void begin_solve(const StepContext& step, const MetaParticleView& groups, View<const signed char> kind,
                   FaceViews<const float> open);
  /// J M^-1 J^T p.
  void add(View<const float> p, View<float> q) override;
  /// After the solve: bodies take up what pressure gives them, in end_velocity; then `change` of the faces
  /// that they cover, which are `known`; and what bodies get of the fluid beyond pressure. face_mass: of
  /// particles that weigh particle_mass [kg]. mobility: of the solve's faces.
  void press(const StepContext& step, const MetaParticleView& groups, View<const double> pressure,
             View<Vec3> end_velocity, FaceViews<const float> u, FaceViews<const float> face_mass,
             double particle_mass, FaceViews<const float> mobility, FaceViews<float> change,
             FaceViews<signed char> known);
  /// Then, [N s] over the store: what particles that are held got.
  void add_held_impulses(const HeldParticles& held, View<Vec3> impulse) const;

 private:
  struct Member {
    int system;
    PressedBodies* bodies;
  };
  CoveredPressure by(View<const float> p) const;
  CoveredDifference differences() const;
  /// Motions of bodies, of acceleration_.
  void move_bodies();
  /// Accelerations of bodies by pressure, for a step of 1 s.
  void accelerate(View<const float> p);
  CubeOverlap cubes() const { return {grid_, spacing_}; }

  std::vector<Member> members_;
  int count_ = 0;
  FlipGrid grid_;
  GridShape lattice_;
  float spacing_ = 0, cell_mass_ = 0;
  const StepContext* step_ = nullptr;  ///< of the solve
  View<const signed char> kind_;
  FaceViews<const float> open_;
  Array<Range> ranges_;
  Array<int> flag_, index_, offset_, total_, place_, active_;
  Array<Vec3> position_, velocity_;
  Array<Quad> acceleration_;
  Array<float> pressure_;
  FaceArrays<float> share_, norm_, carried_, response_, passage_, difference_;
  UniformGrid sorted_;
  Scratch scratch_;
};

MERGANSER_END
