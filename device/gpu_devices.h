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
  std::string uuid;                ///< "GPU-01234567-89ab-...", which CUDA_VISIBLE_DEVICES takes
  size_t memory_bytes = 0;
};

/// Devices in CUDA's order; empty where there is none. Makes no context: a listed device stays free for
/// others.
std::vector<DeviceInfo> list_devices();
/// Free memory [bytes] of a device, 0 where it cannot be asked. Makes a context on it (hundreds of megabytes)
/// and makes it the one of this thread: for the device that is used, or for a program that ends at once.
size_t free_memory(int index);
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
