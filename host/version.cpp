#include "host/version.h"

#include <host_commit.h>  // written into the build folder by commit.cmake
#include "device/gpu_devices.h"

namespace merganser {

std::string version() { return MERGANSER_VERSION; }
std::string commit() { return MERGANSER_COMMIT; }

std::string version_text() {
  return "merganser " + version() + " (commit " + commit() +
         "), build: " MERGANSER_BUILD ", backends: CPU (OpenMP), " + gpu::backend_text();
}

}  // namespace merganser
