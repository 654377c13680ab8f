#include "host/benchmark/benchmark_report.h"

#include <fmt/format.h>

#include <cstdio>

#include "host/files/atomic_file.h"
#include "host/terminal_line.h"

namespace merganser {

namespace {

constexpr double refresh_seconds = 0.2;  ///< on a terminal
constexpr double log_seconds = 60;       ///< elsewhere, within a case

void print_result(const BenchmarkResult& result) {
  std::printf("%-10s %s\n", result.name.c_str(), result.case_name.c_str());
  std::printf("  %12.4g ms per step   %12.4g million particle-steps/s", result.ms_per_step,
              1e-6 * result.particle_steps_per_second());
  if (result.bytes_per_particle > 0) std::printf("   %.0f bytes per particle", result.bytes_per_particle);
  std::printf("   (%lld steps)\n", result.steps);
  double whole = 0;
  for (const auto& [stage, milliseconds] : result.stages) whole += milliseconds;
  for (const auto& [stage, milliseconds] : result.stages)
    std::printf("    %-44s %10.4g ms  %5.1f %%\n", stage.c_str(), milliseconds,
                whole > 0 ? 100 * milliseconds / whole : 0);
  for (const auto& [figure, value] : result.figures) std::printf("    %-44s %10.4g\n", figure.c_str(), value);
  std::fflush(stdout);
}

nlohmann::ordered_json pairs_as_object(const std::vector<std::pair<std::string, double>>& pairs) {
  auto object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}

}  // namespace

BenchmarkReport::BenchmarkReport(nlohmann::ordered_json head, const BenchmarkOptions& options,
                                 size_t benchmarks)
    : document_(std::move(head)),
      json_file_(options.json_file),
      stopped_(options.stopped),
      terminal_(stderr_is_terminal()),
      benchmarks_(benchmarks) {
  document_["finished"] = false;
  document_["results"] = nlohmann::ordered_json::array();
  std::error_code none;
  if (!std::filesystem::exists(json_file_, none)) write();
}

BenchmarkReport::~BenchmarkReport() {
  if (visible_) clear_line();
}

double BenchmarkReport::since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void BenchmarkReport::write() const {
  if (!json_file_.empty()) write_file_atomically(json_file_, {document_.dump(2), "\n"});
}

void BenchmarkReport::stop_if_asked() const {
  if (stopped_ && stopped_()) throw BenchmarkStopped();
}

void BenchmarkReport::begin(const std::string& benchmark) {
  end_case();
  name_ = benchmark;
  ++benchmark_;
  left_ = TimeLeft({1});
}

void BenchmarkReport::expect(std::vector<double> costs) { left_ = TimeLeft(std::move(costs)); }

void BenchmarkReport::end_case() {
  if (case_runs_) left_.case_done(since(case_start_));
  case_runs_ = false;
}

void BenchmarkReport::begin_case(const std::string& words) {
  end_case();
  stop_if_asked();
  case_runs_ = true;
  words_ = words;
  share_ = 0;
  case_start_ = steps_start_ = last_shown_ = Clock::now();
  if (terminal_) {
    renew_line(line());
    visible_ = true;
  } else {
    std::fprintf(stderr, "merganser: %s\n", line().c_str());
  }
}

void BenchmarkReport::at(double share) {
  stop_if_asked();
  share_ = share;
  if (share == 0) steps_start_ = Clock::now();
  if (since(last_shown_) < (terminal_ ? refresh_seconds : log_seconds)) return;
  last_shown_ = Clock::now();
  visible_ = terminal_;
  if (terminal_)
    renew_line(line());
  else
    std::fprintf(stderr, "merganser: %s\n", line().c_str());
}

std::string BenchmarkReport::line() const {
  std::string text = name_;
  if (benchmarks_ > 1) text += fmt::format(" ({} of {})", benchmark_, benchmarks_);
  if (left_.cases() > 1) text += fmt::format(", case {} of {}", left_.cases_done() + 1, left_.cases());
  if (!words_.empty()) text += ": " + words_;
  if (share_ > 0) text += fmt::format(": {:.0f} %", 100 * share_);
  const double left = left_.seconds(since(case_start_), since(steps_start_), share_);
  if (left >= 0) text += ", about " + duration_text(left) + " left of " + name_;
  return text;
}

void BenchmarkReport::add(const BenchmarkResult& result) {
  if (visible_) clear_line();
  visible_ = false;
  print_result(result);
  document_["results"].push_back({{"name", result.name},
                                  {"case", result.case_name},
                                  {"particles", result.particles},
                                  {"steps", result.steps},
                                  {"ms_per_step", result.ms_per_step},
                                  {"particle_steps_per_second", result.particle_steps_per_second()},
                                  {"bytes_per_particle", result.bytes_per_particle},
                                  {"stages", pairs_as_object(result.stages)},
                                  {"figures", pairs_as_object(result.figures)}});
  write();
}

std::string BenchmarkReport::kept() const {
  const size_t results = document_["results"].size();
  return fmt::format("{} result{} {}", results, results == 1 ? " is" : "s are",
                     json_file_.empty() ? "above" : "in '" + json_file_.string() + "'");
}

void BenchmarkReport::finish() {
  end_case();
  document_["finished"] = true;
  write();
}

}  // namespace merganser
