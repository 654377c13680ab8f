#pragma once
/// Queries to CUDA before a simulation is made. cuda/gpu_devices.cpp answers with the CUDA
/// runtime, openmp/gpu_devices.cpp in a build without it, emulated/gpu_devices.cpp where a GPU is emulated.
#include <cstddef>
#include <string>
#include <vector>

namespace merganser::gpu {

struct DeviceInfo {
  int index = 0;
  std::string name;
  std::string compute_capability;  ///< "9.0"
  size_t memory_bytes = 0;
  size_t free_bytes = 0;  ///< 0 where the device could not be asked
};

/// Devices in CUDA's order; empty where there is none.
std::vector<DeviceInfo> list_devices();
/// The reason for an empty list_devices(), in words.
std::string why_no_device();
/// True where the CPU stands in for the devices; then only who asks for one gets it.
bool emulated();
/// Makes a device the one of this thread. Throws DeviceError.
void select_device(int index);
/// "CUDA 13.0" or "no CUDA half".
std::string backend_text();
/// Driver version such as "13.0", empty where there is none.
std::string driver_version();

}  // namespace merganser::gpu
