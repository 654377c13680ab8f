#pragma once
/// merganser benchmark: throughput by stage (tools/benchmark/README.md).
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace merganser {

struct BenchmarkOptions {
  std::vector<std::string> names = {};  ///< empty = all
  std::string device = "auto";          ///< auto | cuda[:N] | cpu
  int threads = 0;                      ///< 0 = all
  std::filesystem::path json_file;      ///< empty = table on stdout only
  bool quick = false;                   ///< tiny cases and few steps, to try the program
  bool list = false;                    ///< only print the names
  std::function<bool()> stopped = {};   ///< asked between steps and cases; empty = never
};

/// Returns the exit code: 0, or 75 where `stopped` said so; results until then are shown and in the file.
/// Throws Error.
int run_benchmark(const BenchmarkOptions& options);

}  // namespace merganser
