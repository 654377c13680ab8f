#pragma once
/// One pressure solve over the particles of several systems: fluids, elastic solids and rigid bodies ([ES]
/// alg. 1 and sec. 6). See README.md.
#include <memory>

#include "solvers/core/pressed_bodies.h"
#include "solvers/methods/dfsph/coupled_viscosity.h"
#include "solvers/methods/dfsph/rest_share.h"
#include "solvers/methods/dfsph/union_kernels.h"

MERGANSER_BEGIN

class CoupledPressure {
 public:
  /// `systems`: indices of those that take part.
  CoupledPressure(const DfsphParameters& parameters, const InitialState& initial, int leader,
                  const std::vector<int>& systems);

  std::vector<int> systems() const;
  /// Which of the systems is a fluid that keeps its pressures from step to step there, in the order of its
  /// particles; and which consists of rigid bodies.
  void use_fluid(int system, DfsphPressure& pressures);
  /// Its implicit viscosity, which solids take part in; `packed` finds the particles for it.
  void use_viscosity(int system, ImplicitViscosity& viscosity,
                     std::function<PackedFluid(const StepContext&)> packed);
  bool any_solid() const { return any_solid_; }
  void use_bodies(int system, PressedBodies& bodies);

  /// Sorts all particles into one grid; [ES] alg. 1, lines 3 to 7: neighbors, factors, divergence-free solve;
  /// viscosity between fluids and solids.
  /// Changes velocities of the store and of bodies. `pace`: see DfsphPressure::set_pace().
  PressureSolveResult prepare(const StepContext& step, const CompressionPace& pace);
  /// Line 15, constant-density solve: changes `end_velocity`, which all systems have written.
  PressureSolveResult integrate(const StepContext& step, const MetaParticleView& groups,
                                View<Vec3> end_velocity);

  /// Relative compression of the union's particles, and which of them are fluid (> 0).
  View<const float> compression() const { return count_ > 0 ? pressure_.compression() : View<const float>{}; }
  View<const float> in_fluid() const { return in_fluid_.const_view(); }
  /// Of a system's particles in the last step; zero before the first.
  void write_compression(int system, View<float> compression);
  void write_pressure(int system, View<float> pressure);
  /// What pressure gave to the k-th wall with a name in the step, as of the last fetch_results().
  WallLoad wall_load(int k) const { return count_ > 0 ? pressure_.wall_load(k) : WallLoad{}; }
  Vec3d wall_impulse() const { return pressure_.wall_impulse(); }
  /// See HeldImpulses: to held particles of all its systems, by pressure.
  void add_held_impulses(const StepContext& step, const MetaParticleView& groups, View<Vec3> impulse);
  /// Kinetic energy [J] that prepare() took, by the divergence-free solve and by viscosity between fluids and
  /// solids, as of the last fetch_results().
  double loss_before_step() const {
    return count_ > 0 ? kinetic_before_.fetched() - kinetic_after_.fetched() : 0;
  }

  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);

 private:
  struct Member {
    int system;
    PressedKind kind = PressedKind::elastic;
    PressedBodies* bodies = nullptr;
    bool is_part = false;          ///< see PressureShapes
    float viscosity = 0;           ///< [Pa s] of a fluid, explicit
    float implicit_viscosity = 0;  ///< [Pa s] likewise
    float density = 0;             ///< [kg/m^3] of a fluid at rest
    ImplicitViscosity* implicit = nullptr;
    std::function<PackedFluid(const StepContext&)> packed;
    DfsphPressure* fluid = nullptr;  ///< holds its pressures
    Array<float> pressure, steady;   ///< [Pa] of a solid, from step to step
    Array<float> excess;             ///< likewise, see RestExcess
    Array<float> share;              ///< of a solid, see PressureShapes
    Array<float> curvature;          ///< [1/m] likewise, see SolidDragOf
    Range range = {};                ///< of the store, in this step
    std::vector<Range> present;      ///< of it, without bodies that wait for their start
    int first = 0;                   ///< side by side: those present follow each other
    /// visit(place side by side, local index, count) for each range of particles that are present.
    template <class Visit>
    void for_each_present(const Visit& visit) const {
      int place = first;
      for (const Range& part : present) {
        if (part.count > 0) visit(place, part.first - range.first, part.count);
        place += part.count;
      }
    }
    Array<float>& kept() { return fluid ? fluid->density_pressure : pressure; }
    Array<float>& kept_excess() { return fluid ? fluid->rest_excess : excess; }
    Array<float>& kept_steady() { return fluid ? fluid->steady_pressure : steady; }
  };
  void lay_side_by_side(const StepContext& step);
  void sort();
  void find_places(const ParticleStore& particles);
  void find_mobility(const ParticleStore& particles, const MetaParticleView& groups);
  /// Of the union's particles; takes off their shares what is behind walls.
  ApartView find_apart(const StepContext& step);
  /// What members keep from step to step, from where it is kept and back there.
  void gather_kept(Array<float>& (Member::*kept)(), Array<float>& of_union);
  void scatter_kept(Array<float>& (Member::*kept)(), const Array<float>& of_union);
  template <class T>
  void gather(const Array<T>& side_by_side, Array<T>& sorted);
  /// v += dt a before the step, of the store and of bodies, whose a was the last that moved them.
  void give(const StepContext& step, View<const Quad> acceleration);
  /// Viscosity between fluids and solids, with the implicit one within fluids: changes velocities of the
  /// store and of bodies.
  bool add_viscosities(const StepContext& step);
  bool add_implicit_viscosity(const StepContext& step, Member& fluid);
  void add_explicit_drag(const StepContext& step);
  /// Fills viscosity_.
  void gather_viscosities(float Member::*viscosity, const Member* of_one);
  /// Of all members (PressedBodies); `mass` [kg] over the store, `active` empty: always.
  void move_as_bodies(View<const float> mass, View<const int> active, View<Quad> acceleration);
  void predict(const StepContext& step, const MetaParticleView& groups, View<Vec3> end_velocity);
  /// What makes accelerations those of bodies and groups; prepares both.
  PressureConstraint constraint(const StepContext& step, const MetaParticleView& groups,
                                View<const int> active);
  void write_field(int system, View<const float> of_union, View<float> field);

  DfsphPressure pressure_;
  bool divergence_solve_;
  std::vector<std::unique_ptr<Member>> members_;
  bool any_part_ = false, any_bodies_ = false, any_solid_ = false;
  bool any_drag_ = false, any_explicit_drag_ = false;
  CoupledViscosity coupled_viscosity_;
  UniformGrid grid_;
  Nozzles nozzles_;
  int count_ = 0;                                  ///< particles of the union
  Array<Vec3> position_;                           ///< [m] side by side
  Array<int> flat_index_, flat_kind_, flat_part_;  ///< likewise
  Array<float> flat_;                              ///< likewise, for one array at a time
  Array<int> store_index_, kind_, part_, apart_;   ///< of the union, as all that follows
  Array<float> share_, mobility_, in_fluid_;
  Array<float> viscosity_;  ///< [Pa s] see SolidFluidPairs; empty without drag
  Array<Quad> drag_;        ///< [m/s^2] likewise
  Array<Vec3> velocity_;    ///< [m/s] that a solve starts from
  Array<float> field_;
  Array<int> place_;      ///< over the store: place in the union, or -1
  Array<int> always_{1};  ///< 1: what moves bodies outside of solves
  Array<UnionGroup> groups_;
  Reduction<double> kinetic_before_, kinetic_after_;
};

MERGANSER_END
