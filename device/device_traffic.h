#pragma once
/// Counters of traffic from host to device since start: the same struct for every backend.

namespace merganser {

/// A step should need few of all, and no reads but one. Nothing is counted on the CPU, where nothing waits.
struct DeviceTraffic {
  long long kernels = 0;     ///< launched one by one; those within a sort or scan as far as they are known
  long long graphs = 0;      ///< launch graphs replayed
  long long copies = 0;      ///< on the device, fills included
  long long reads = 0;       ///< copies to the host, which wait for all that was launched before
  long long writes = 0;      ///< copies from the host
  long long recordings = 0;  ///< launch graphs recorded anew
};

}  // namespace merganser
