#pragma once
/// Output of `merganser benchmark` while it runs: each result on stdout and in the JSON file as soon as its
/// case is done; on stderr the case that runs and the time left.
#include <chrono>
#include <nlohmann/json.hpp>

#include "host/benchmark/benchmark.h"
#include "host/benchmark/benchmark_result.h"
#include "host/benchmark/time_left.h"

namespace merganser {

/// Thrown between steps once options.stopped() is true.
struct BenchmarkStopped {};

class BenchmarkReport {
 public:
  /// `head`: what the JSON file says beside "finished" and "results". A file that is there stays until there
  /// is a result; else it is written at once, so that a wrong path is an error before the first case.
  BenchmarkReport(nlohmann::ordered_json head, const BenchmarkOptions& options, size_t benchmarks);
  ~BenchmarkReport();
  BenchmarkReport(const BenchmarkReport&) = delete;
  BenchmarkReport& operator=(const BenchmarkReport&) = delete;

  /// The next one of the benchmarks; of one case unless `expect` says otherwise.
  void begin(const std::string& benchmark);
  /// What each of its cases will cost beside the others, in any unit.
  void expect(std::vector<double> costs);
  /// The next case, in words. Throws BenchmarkStopped.
  void begin_case(const std::string& words);
  /// This share of the case's steps is done, 0 at their beginning. Throws BenchmarkStopped.
  void at(double share);
  /// A result of the case that runs; a case may have several.
  void add(const BenchmarkResult& result);
  /// All benchmarks are done.
  void finish();
  /// "5 results": what there is when it is stopped.
  std::string kept() const;

  /// "elastic_large (2 of 3), case 4 of 13: WORDS: 40 %, about 2:03 left of elastic_large".
  std::string line() const;

 private:
  using Clock = std::chrono::steady_clock;
  static double since(Clock::time_point start);
  void end_case();
  void stop_if_asked() const;
  void write() const;

  nlohmann::ordered_json document_;
  std::filesystem::path json_file_;
  std::function<bool()> stopped_;
  bool terminal_, visible_ = false, case_runs_ = false;
  size_t benchmarks_, benchmark_ = 0;
  std::string name_, words_;
  TimeLeft left_{{1}};
  double share_ = 0;
  Clock::time_point case_start_{}, steps_start_{}, last_shown_{};
};

}  // namespace merganser
