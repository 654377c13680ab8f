/// The answers of a build without the CUDA half.
#include "device/gpu_devices.h"
#include "device/errors.h"

namespace merganser::gpu {

std::vector<DeviceInfo> list_devices() { return {}; }
size_t free_memory(int) { return 0; }
std::string why_no_device() { return "this build has no CUDA half (preset 'cuda' builds it)"; }
bool emulated() { return false; }
void select_device(int) { throw DeviceError(why_no_device()); }
std::string backend_text() { return "no CUDA half"; }
std::string driver_version() { return ""; }

}  // namespace merganser::gpu
