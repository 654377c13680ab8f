#include "device/gpu_devices.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "device/errors.h"

namespace merganser::gpu {
namespace {

/// CUDA writes 13.0 as 13000.
std::string version_words(int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

std::string uuid_words(const cudaUUID_t& uuid) {
  std::string words = "GPU";
  for (int k = 0; k < 16; ++k) {
    if (k == 0 || (k >= 4 && k <= 10 && k % 2 == 0)) words += '-';
    words += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[k]));
  }
  return words;
}

}  // namespace

std::vector<DeviceInfo> list_devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return {};
  std::vector<DeviceInfo> devices;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) continue;
    devices.push_back({index, properties.name, fmt::format("{}.{}", properties.major, properties.minor),
                       uuid_words(properties.uuid), properties.totalGlobalMem});
  }
  return devices;
}

size_t free_memory(int index) {
  size_t free = 0, total = 0;
  if (cudaSetDevice(index) != cudaSuccess || cudaMemGetInfo(&free, &total) != cudaSuccess) free = 0;
  cudaGetLastError();  // a device that is in use by others is no error of a later kernel
  return free;
}

std::string why_no_device() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess) return "no CUDA device on this machine";
  if (driver_version().empty()) return "no NVIDIA driver on this machine";
  return cudaGetErrorString(status);
}

bool emulated() { return false; }

void select_device(int index) {
  cudaError_t status = cudaSetDevice(index);
  if (status == cudaSuccess) status = cudaFree(nullptr);  // creates the context: a busy device answers here
  if (status != cudaSuccess)
    throw DeviceError(fmt::format("cannot use cuda:{}: {}; 'merganser devices' lists what there is", index,
                                  cudaGetErrorString(status)));
}

std::string backend_text() { return "CUDA " + version_words(CUDART_VERSION); }

std::string driver_version() {
  int number = 0;
  return cudaDriverGetVersion(&number) == cudaSuccess && number > 0 ? version_words(number) : "";
}

}  // namespace merganser::gpu
