/// What answers for the CUDA half in a build without it.
#include "device/errors.h"
#include "host/simulation.h"

namespace merganser::gpu {

std::unique_ptr<Simulation> make_simulation(const InitialState&) {
  throw DeviceError("this build has no CUDA half; build the preset 'cuda', or use --device cpu");
}

}  // namespace merganser::gpu
