#pragma once
/// Everything a simulation starts from, as plain host data: made by the host from a scene, consumed by both
/// backends.
#include <string>
#include <vector>

#include "solvers/base/host_types.h"
#include "solvers/core/fluid_parameters.h"
#include "solvers/core/method_parameters.h"
#include "solvers/core/probe_parameters.h"
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

/// A body that is not there for others before its start time, see solvers/core/late_bodies.h.
struct LateBody {
  int body;           ///< index into InitialState::bodies
  int first, count;   ///< its particles, local indices of the system
  double start_time;  ///< [s] above 0
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
  std::vector<LateBody> late;
  std::vector<EmitterParameters> emitters;
};

struct BodyInfo {
  std::string name;
  int system;
  double mass = 0;  ///< [kg] density times volume of what its particles fill; 0: they have no other
  /// Of a cloth: vertices of its mesh that were merged with others at their places.
  size_t welded_vertices = 0;
};

/// What a check asks to be measured beyond what always is.
struct MeasureRequest {
  std::string quantity;  ///< name of the observable that measures it, such as "travel"
  std::string column;    ///< name of the value in rows
  /// Indices of the system and body that are meant, and of a second body; -1 where the quantity has none.
  int system = -1, body = -1, other = -1;
};

struct InitialState : SimulationParameters, CouplingParameters {
  std::vector<SystemState> systems;
  std::vector<BodyInfo> bodies;
  std::vector<WallParameters> walls;
  std::vector<MeasureRequest> measures;
  std::vector<ProbeParameters> probes;

  /// Those for one observable.
  std::vector<MeasureRequest> requests(const std::string& quantity) const {
    std::vector<MeasureRequest> found;
    for (const MeasureRequest& request : measures)
      if (request.quantity == quantity) found.push_back(request);
    return found;
  }
  /// Whether somebody treats contacts or wants to know how deep they are.
  bool looks_for_contacts() const {
    return coupling.method != ContactMethod::none || report_overlap || !requests("deepest_overlap").empty();
  }
};

}  // namespace merganser
