/// Stubs of the CUDA half's benchmarks for builds without it; no device can be selected there.
#include "device/errors.h"
#include "solvers/benchmarks/cholesky_benchmark.h"
#include "solvers/benchmarks/primitive_benchmarks.h"

namespace merganser::gpu {

PrimitiveTiming time_primitive(const std::string&, int) { throw DeviceError("this build has no CUDA half"); }
CholeskyTiming time_cholesky(int) { throw DeviceError("this build has no CUDA half"); }
InverseTiming time_inverse(int) { throw DeviceError("this build has no CUDA half"); }
void time_kernels(bool) {}

}  // namespace merganser::gpu
