#pragma once
/// merganser benchmark: throughput by stage (DESIGN, "The command line").
#include <filesystem>
#include <string>
#include <vector>

namespace merganser {

struct BenchmarkOptions {
  std::vector<std::string> names;   ///< empty = all
  std::string device = "auto";      ///< auto | cuda[:N] | cpu
  int threads = 0;                  ///< 0 = all
  std::filesystem::path json_file;  ///< empty = table on stdout only
  bool quick = false;               ///< tiny cases and few steps, to try the program
  bool list = false;                ///< only print the names
};

/// Returns the exit code. Throws Error.
int run_benchmark(const BenchmarkOptions& options);

}  // namespace merganser
