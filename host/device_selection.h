#pragma once
/// Device and thread count that --device and --threads select on this machine.
#include <filesystem>
#include <string>

namespace merganser {

enum class Backend { cpu, cuda };

/// The device that a run uses.
struct Device {
  Backend backend = Backend::cpu;
  int index = 0;            ///< of the CUDA device
  int threads = 1;          ///< OpenMP threads of the CPU half
  std::string description;  ///< "cuda:0 (NVIDIA H200, 139.8 GiB)" or "cpu (AMD EPYC 7763, 16 threads)"
  std::string note;         ///< why `auto` chose it; empty where the user chose
};

/// `request`: auto | cuda[:N] | cpu. `threads`: 0 = all that the process may use. Throws InputError for
/// another word and DeviceError where there is no such device. Makes a CUDA device the current one.
Device select_device(const std::string& request, int threads);

/// Threads for a request; 0 = OMP_NUM_THREADS, else the cores of the affinity mask, and no more than the
/// control group's quota of processor time.
int thread_count(int requested);
/// Cores that a control group's quota amounts to (rounded up), 0 = no quota. `root` and `membership` are
/// /sys/fs/cgroup and the text of /proc/self/cgroup; both versions are understood.
int quota_cores(const std::filesystem::path& root, const std::string& membership);

/// The table of `merganser devices`, or JSON.
std::string device_report(bool json);

}  // namespace merganser
