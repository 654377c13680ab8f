/// Stub of the CUDA half for builds without it.
#include "device/errors.h"
#include "host/simulation/simulation.h"
#include "solvers/geometry/relaxation/relaxed_sampling.h"
#include "solvers/geometry/skinning/body_skin.h"
#include "solvers/geometry/surface/surface_builder.h"
#include "solvers/geometry/surface/topology_tracker.h"

namespace merganser::gpu {

namespace {
[[noreturn]] void throw_no_cuda() {
  throw DeviceError("this build has no CUDA half; build the preset 'cuda', or use --device cpu");
}
}  // namespace

std::unique_ptr<Simulation> make_simulation(const InitialState&) { throw_no_cuda(); }
std::unique_ptr<BodySkin> make_body_skin(const SkinBody&, double) { throw_no_cuda(); }
std::unique_ptr<SurfaceBuilder> make_surface_builder() { throw_no_cuda(); }
std::unique_ptr<TopologyTracker> make_topology_tracker() { throw_no_cuda(); }
RelaxedSample relaxed_sample(const TriangleMesh&, const RelaxationParameters&, const OnRelaxation&,
                             const StopAsked&) {
  throw_no_cuda();
}

}  // namespace merganser::gpu
