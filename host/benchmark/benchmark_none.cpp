/// The answer of a build without the benchmarks.
#include "device/errors.h"
#include "host/benchmark/benchmark.h"

namespace merganser {

int run_benchmark(const BenchmarkOptions&) { throw InputError("this build has no benchmarks"); }

}  // namespace merganser
