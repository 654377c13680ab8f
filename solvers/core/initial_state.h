#pragma once
/// Everything a simulation starts from, as plain host data: made by the host from a scene, consumed by both
/// backends.
#include <string>
#include <vector>

#include "solvers/base/host_types.h"
#include "solvers/core/fluid_parameters.h"
#include "solvers/core/method_parameters.h"
#include "solvers/core/simulation_parameters.h"
#include "solvers/geometry/walls/wall_parameters.h"

namespace merganser {

struct Method;

enum class SpringKind : int { structural, shear, bend };

/// A spring between two particles, local indices of the system.
struct Spring {
  int a, b;
  float rest_length;  ///< [m]
  float stiffness;    ///< [N/m]
  SpringKind kind;
};

/// Particles that move with a given velocity, and turn about a point that moves with it, between two times
/// and stand still otherwise.
struct PrescribedMotion {
  std::vector<int> particles;              ///< local indices of the system; their inverse mass is 0
  Point3 velocity{0, 0, 0};                ///< [m/s]
  double start_time = 0, end_time = 1e30;  ///< [s]
  Point3 angular_velocity{0, 0, 0};        ///< [rad/s]
  Point3 centre{0, 0, 0};                  ///< [m] that they turn about, where it is at the start time
};

/// Initial particles and parameters of one system. All per-particle vectors have the same length.
struct SystemState {
  std::string name;
  /// Sets the method, and its parameters as they start.
  void use(const Method& its_method);
  const Method* method = nullptr;  ///< what it is solved by
  MethodParameters parameters;     ///< the method's
  FluidParameters fluid;           ///< of a fluid, whichever its method
  bool self_contact = false;       ///< its own particles collide with each other (solids)

  std::vector<Float3> position;  ///< [m]
  std::vector<Float3> velocity;  ///< [m/s]
  std::vector<float> mass;       ///< [kg]
  std::vector<float> radius;     ///< [m] collision radius
  std::vector<char> immobile;    ///< 1 = pinned or prescribed (inverse mass 0)
  std::vector<int> body;         ///< index into InitialState::bodies

  /// [m] elastic solids: the rest shape, where that is not `position`
  std::vector<Float3> rest_position;

  std::vector<Spring> springs;      ///< mass-spring systems
  std::vector<Triangle> triangles;  ///< sheets: surface triangles, local indices; for crossings and pictures
  std::vector<PrescribedMotion> prescribed;
  std::vector<EmitterParameters> emitters;
};

struct BodyInfo {
  std::string name;
  int system;
};

struct InitialState : SimulationParameters, CouplingParameters {
  std::vector<SystemState> systems;
  std::vector<BodyInfo> bodies;
  std::vector<WallParameters> walls;
  /// Crossing counters: fluid system `fluid` through the sheet of body `sheet` (body index).
  struct CrossingCheck {
    int fluid_system;
    int sheet_body;
  };
  std::vector<CrossingCheck> crossing_checks;
  /// Two bodies of one system that a check compares: a body and its copy, or two that must not be linked.
  struct BodyPair {
    int body, other;  ///< body indices
  };
  std::vector<BodyPair> copied_bodies;    ///< whose motions are compared
  std::vector<BodyPair> unlinked_bodies;  ///< whose links are counted
  std::vector<int> tracked_bodies;        ///< body indices whose distance from their start is measured
  std::vector<int> shaped_bodies;         ///< body indices whose distance from their rest shape is measured
};

}  // namespace merganser
