#pragma once
/// Interface of rigid bodies to a pressure solve that their particles take part in
/// (System::coupled_systems). Arrays are indexed by the particles of the system where nothing else is said.
#include "device/lanes.h"
#include "device/launch_graph.h"
#include "solvers/core/system.h"

MERGANSER_BEGIN

class PressedBodies {
 public:
  virtual ~PressedBodies() = default;
  /// Before each solve. `groups`: whose members move with the body that one of them belongs to; none before
  /// integrate().
  virtual void prepare_pressure(const StepContext& step, const MetaParticleView& groups) = 0;
  /// `acceleration` [m/s^2]: in: force/mass of every particle as if it were alone; out: of the motion that
  /// these forces give to its body. `active`: one word, 0: nothing is changed. `mass` [kg]; `place`: of a
  /// particle in `acceleration`.
  virtual void move_as_bodies(View<const int> active, View<const float> mass, View<const int> place,
                              View<Quad> acceleration) = 0;
  /// What launches of move_as_bodies() depend on besides its arguments.
  virtual void add_pressure_key(LaunchKey& key) const = 0;
  /// Before integrate(), once or several times: bodies and their particles in the store take up what the
  /// forces of the last move_as_bodies() give them within step.dt.
  virtual void push(const StepContext& step) = 0;
  /// After integrate(), once or several times: the same for `end_velocity` (indexed like the store), of
  /// members of `groups` as well. Walls hold against the forces.
  virtual void press(const StepContext& step, const MetaParticleView& groups, View<Vec3> end_velocity) = 0;
};

MERGANSER_END
