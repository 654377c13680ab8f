#pragma once
/// Estimates of bodies and systems before a particle is made: counts and bytes. Each kind of body and each
/// method says it in its own folder; here is what they fill in, and how it is added up.
#include <string>
#include <vector>

#include "solvers/base/host_types.h"

namespace merganser {

struct BodyParameters;
struct BodySite;
struct EmitterParameters;
struct SystemState;

struct BodyEstimate {
  std::string name = {};
  const BodyParameters* parameters = nullptr;
  double particles = 0, springs = 0, triangles = 0;
  double mass = 0;                                                ///< [kg]
  double by_volume = 0;                                           ///< particles of a filled body, not rounded
  double thinnest = 1, longest = 1;                               ///< of a filled body, in spacings
  Point3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};  ///< [m] box around a filled body
  double filling_bytes = 0;                                       ///< on the host, while a mesh is filled
};

/// Bytes per piece at the worst moment of a run on the host (initial state, set-up, a frame) and in device
/// arrays, measured with two to three resolutions of the shipped scenes (tests/unit/estimate_test.cpp).
struct PieceBytes {
  double host, device;
};

/// Bytes a particle of the store's spare arrays, where a fluid of so many particles is sorted in each step
/// (ParticleStore::permute).
double spare_bytes(double particles);

struct SystemEstimate {
  std::string name, type;
  std::vector<BodyEstimate> bodies = {};
  double particles = 0, emitted = 0;  ///< at the start, and by emitters until the scene's end
  double springs = 0, bonds = 0, triangles = 0, neighbors = 0;
  double emitters = 0, layer = 0;           ///< discs, and the particles of one layer of all of them
  double flow = 0;                          ///< [m^3/s] of all of them
  double host_bytes = 0, device_bytes = 0;  ///< at the worst moment; on the CPU both are the host's

  double all_particles() const { return particles + emitted; }
  void add(double count, const PieceBytes& bytes) {
    host_bytes += count * bytes.host;
    device_bytes += count * bytes.device;
  }
};

/// A body of a system to be, its mesh measured.
struct NamedBody {
  std::string name;
  const BodyParameters* parameters;
};
/// What the system takes whose keys and emitters `system` holds. `site`: its resolution, and how many lattice
/// points may be looked at; `end_time` [s] of the scene.
SystemEstimate estimate_system(const SystemState& system, const std::vector<NamedBody>& bodies,
                               const BodySite& site, double end_time);

/// Particles of one layer of an emitter's disc in the mean, pi r^2/d^2; 0 where it is smaller than a
/// particle.
double disc_particles(double radius, double spacing);
/// Those of so many layers.
double particles_of_layers(double layers, double of_one);
/// Particles, in lattice units of 1, of a ball of the radius.
double ball_volume(double radius);

}  // namespace merganser
