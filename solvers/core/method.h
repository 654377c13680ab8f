#pragma once
/// Declaration of a method (a solver of one kind of matter) for scenes, as plain host data. Each
/// declares it in its own folder (`*_method.cpp`) and stands in the one list, solvers/methods/all_methods.h.
#include <functional>
#include <string>
#include <vector>

#include "solvers/core/body.h"
#include "solvers/core/initial_state.h"
#include "solvers/core/speed_phase.h"

namespace merganser {

/// Called for each bound on the step [s]; `by` says what sets it.
using StepBound = std::function<void(double step, const std::string& by)>;

struct Method {
  std::string word;             ///< in scenes: the type of a system
  MethodParameters parameters;  ///< as they start
  bool is_fluid = false;        ///< its particles are of one kind, which FluidParameters describes
  /// A table of keys and what it is bound to: the parameters of the method, or the SystemState where methods
  /// share the keys.
  struct Keys {
    const ParameterTable* table;
    bool shared = false;
    void* bound_to(SystemState& system) const;
  };
  std::vector<Keys> keys;
  const std::vector<BodyKind>& bodies;  ///< kinds of bodies that such a system may have, all of one family
  std::string bodies_meaning;           ///< of the list, for the schema
  bool emits = false;                   ///< it may have emitters, and then no body
  /// Bounds on the step that follow from its parameters at the largest `speed` [m/s] to be expected; none
  /// where empty.
  std::function<void(const SystemState&, const InitialState&, double speed, const StepBound&)> bound_step =
      {};
  /// Speeds that motions and loads give its bodies; may be empty.
  std::function<std::vector<SpeedPhase>(const SystemState&, const InitialState&)> told_speeds = {};
  /// Bodies that a joint keeps from falling, indices into InitialState::bodies; may be empty.
  std::function<std::vector<int>(const SystemState&)> jointed_bodies = {};
  /// Adds what such a system takes beyond the counts of its bodies: bonds, neighbors, bytes; may be empty.
  std::function<void(const SystemState&, double spacing, SystemEstimate&)> estimate = {};
  /// Throws InputError that names the key where it cannot start from this; may be empty.
  std::function<void(const SystemState&, const InitialState&)> expect_start = {};
  /// Fills in parameters that follow from those of the simulation; may be empty.
  std::function<void(SystemState&, const SimulationParameters&)> complete = {};
  /// What is wrong, key first, where the domain is periodic and it knows no period; else "". `length`: the
  /// periods, for the message.
  std::function<std::string(const SystemState&, const std::string& length)> refuse_period =
      [](const SystemState&, const std::string&) { return std::string(); };
  /// Whether such a system solves for its velocities together with other implicit ones.
  std::function<bool(const SystemState&)> is_implicit = [](const SystemState&) { return false; };
  /// Indices of the systems that share its pressure solve, itself among them; may be empty.
  std::function<std::vector<int>(const SystemState&, const InitialState&)> solved_with = {};
  /// Share of its volume (solvers/observables/crowding.cpp) below which a body is said to lack room. Elastic
  /// solids do give way.
  double least_room = 0.5;
  /// False: its systems keep more than places and velocities from step to step that matters (broken bonds).
  bool starts_from_particles = true;
  /// Whether walls with noSlip drag such a fluid, by its viscosity; none does where empty.
  std::function<bool(const SystemState&)> sticks_to_walls = {};
  /// What its parameters do that is seldom meant, key first, with a remedy; else "". Empty: nothing.
  std::function<std::string(const SystemState&, const InitialState&)> note = {};
  bool may_overlap = false;     ///< particles of a fluid scatter where they start in places of others
  bool meets_walls = false;     ///< its systems treat walls by themselves; WallContact leaves them alone
  std::string stabilizer = {};  ///< which keys to change, and how, where a run diverges; may be empty
};

/// The keys that every solid's method has: selfContact; and every fluid's: those of FluidParameters.
Method::Keys solid_keys();
Method::Keys fluid_keys();
/// Method::refuse_period of every solid: positions are wrapped one by one, and poses, springs, bonds and
/// strains know no nearest image.
std::string solid_refuses_period(const SystemState& system, const std::string& length);
bool is_fluid(const SystemState& system);
bool meets_walls(const SystemState& system);

}  // namespace merganser
