#pragma once
/// Memory and disk estimate of a scene, from its text alone: no particle is made, and nothing here grows with
/// their number. Bodies and methods say what they take (solvers/core/estimate.h); here it is added up.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "host/device_selection.h"
#include "host/scene/json_reader.h"
#include "host/scene/sample_options.h"
#include "host/scene/scene.h"
#include "solvers/core/method.h"
#include "solvers/geometry/sampling/mesh_size.h"

namespace merganser {

struct SceneEstimate {
  std::vector<SystemEstimate> systems = {};
  double resolution = 1;
  double particles = 0, emitted = 0;
  double host_bytes = 0, device_bytes = 0;
  double table_bytes = 0;  ///< of those: distances and tables of mesh walls
  double frames = 0, disk_bytes = 0;
};

class SceneEstimator {
 public:
  /// Reads the scene's meshes. Throws InputError.
  explicit SceneEstimator(const Scene& scene);
  /// The scene as it stands.
  SceneEstimate estimate() const { return at(parameters_.resolution, 1 << 20); }
  /// The largest resolution that fits into so many bytes on the host and on the device (0: the host's too),
  /// rounded down to two digits; 0 where none does.
  double resolution_within(double host_bytes, double device_bytes) const;

  /// The mesh with the longest side, and its size; "" without a mesh.
  std::string largest_mesh() const;

 private:
  SceneEstimate at(double resolution, double looked_at) const;
  struct System {
    SystemState state;  ///< its keys and emitters; no particles
    std::vector<std::unique_ptr<BodyParameters>> owned;
    std::vector<NamedBody> bodies;
  };
  void measure(const Json& scene);
  void measure_walls(const Json& walls);
  SimulationParameters parameters_;
  std::vector<System> systems_;
  double probe_bytes_ = 0;  ///< a particle
  std::vector<std::pair<WallParameters, MeshSize>> mesh_walls_;
};

/// Why a scene does not fit into the memory of the host and of the device, with numbers and what would fit;
/// empty where it does.
std::string why_too_large(const Scene& scene, const SceneEstimator& estimator, const SceneEstimate& estimate,
                          const Device& device);
/// Throws DeviceError where it does not fit. Returns what else the user should know: too little space on the
/// disk that `folder` is or will be on.
std::vector<std::string> expect_resources(const Scene& scene, const Device& device,
                                          const std::filesystem::path& folder);

/// Throws DeviceError where the memory does not hold the particles of `merganser sample`.
void expect_room_for(const TriangleMesh& mesh, const SampleOptions& options);

}  // namespace merganser
