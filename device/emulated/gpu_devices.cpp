/// The answers of a build whose GPU is emulated on the CPU (device/emulated).
#include <unistd.h>

#include "device/errors.h"
#include "device/gpu_devices.h"

namespace merganser::gpu {

std::vector<DeviceInfo> list_devices() {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
  return {
      {0, "emulated on the CPU, for tests", "0.0", "", page * static_cast<size_t>(sysconf(_SC_PHYS_PAGES))}};
}
size_t free_memory(int) {
  return static_cast<size_t>(sysconf(_SC_PAGE_SIZE)) * static_cast<size_t>(sysconf(_SC_AVPHYS_PAGES));
}
std::string why_no_device() { return ""; }
bool emulated() { return true; }
void select_device(int index) {
  if (index != 0) throw DeviceError("the emulated build has one device, cuda:0");
}
std::string backend_text() { return "emulated CUDA (no GPU is used)"; }
std::string driver_version() { return ""; }

}  // namespace merganser::gpu
