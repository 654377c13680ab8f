#pragma once
/// Cloths that take part in the pressure solve of a FLIP fluid.
#include <vector>

#include "solvers/core/initial_state.h"
#include "solvers/core/pressed_sheet.h"
#include "solvers/linear/krylov/grid_conjugate_gradient.h"
#include "solvers/methods/flip/sheet_differences.h"

MERGANSER_BEGIN

class FlipSheets final : public OperatorTerm {
 public:
  /// Of the mass-spring systems of a scene, those that have triangles.
  explicit FlipSheets(const InitialState& initial);
  const std::vector<int>& systems() const { return systems_; }
  bool any() const { return count_ > 0; }
  void use(int system, PressedSheet& sheet);

  /// Closed faces, and `passage`, what they leave of `open`, for sheets where they are now. cell_mass [kg].
  void find(const ParticleStore& store, const FlipGrid& grid, FaceViews<const float> open, double cell_mass);
  FaceViews<const float> passage() const { return passage_.const_view(); }

  /// Before the solve: the sheets' velocities with the fluid that moves with them, see JoinSheets, through
  /// closed faces. open: with those that are closed. face_mass: of particles that weigh particle_mass [kg].
  void join(const StepContext& step, const MetaParticleView& groups, View<const Vec3> end_velocity,
            View<const signed char> kind, FaceViews<const float> open, FaceViews<const float> u,
            FaceViews<const float> face_mass, double particle_mass, double tolerance,
            FaceViews<float> carried);
  /// J A^-1 J^T p, A of PressedSheet.
  void add(View<const float> p, View<float> q) override;
  /// After the solve: what pressure gives, in end_velocity, and `change` of closed faces.
  void press(View<const double> pressure, View<Vec3> end_velocity, FaceViews<const float> u,
             FaceViews<const float> face_mass, double particle_mass, FaceViews<float> change);
  /// Then, [N s] over the store: what particles that are held got. u and the masses as for join().
  void add_held_impulses(const HeldParticles& held, FaceViews<const float> u,
                         FaceViews<const float> face_mass, double particle_mass, View<Vec3> impulse) const;

 private:
  struct Sheet {
    Array<int> first, corner;  ///< see SheetAreas
    PressedSheet* answers = nullptr;
    Range places{0, 0};  ///< of its particles, among those of all sheets
  };
  void list_rows();
  /// To impulse_, by place.
  void answer(View<Vec3> change);
  void push(const SheetImpulse& impulse);
  SheetRows rows() const { return {first_.const_view(), face_.const_view(), weight_.const_view()}; }
  SheetImpulse by(View<const float> p, FaceViews<const float> difference) const;
  SheetPoints points() const { return {grid_, sorted_.view(), area_.const_view()}; }
  ClosedFaces faces() const { return {points(), kind_, met_.const_view(), inverse_sum_.const_view()}; }

  std::vector<int> systems_;
  std::vector<Sheet> sheets_;
  int count_ = 0;
  FlipGrid grid_;
  float cell_mass_ = 0;  ///< [kg]
  View<const signed char> kind_;
  FaceViews<const float> open_;
  // Of all sheets' particles, by place.
  Array<int> store_index_, flag_;
  Array<Vec3> all_areas_, added_, impulse_, joined_, change_;  ///< added_: see PressedSheet
  // Of those on the grid.
  Array<int> index_, place_, offset_, total_;  ///< index_: in the store
  Array<Vec3> area_, position_, before_, velocity_, gained_;
  bool listed_ = false;  ///< rows, of this step
  Array<int> first_, face_;
  Array<float> weight_, distance_, pressure_;
  FaceArrays<float> met_, inverse_sum_, passage_, response_, difference_;
  UniformGrid sorted_;
  Scratch scratch_;
};

MERGANSER_END
