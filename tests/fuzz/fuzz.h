#pragma once
/// Many wrong inputs in a row, each made from a seed of its own. Cases run in forked processes with bounded
/// memory and time, so that a crash is a failure with its seed and not the end of the test binary.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace merganser::fuzz {

/// All random draws of one case.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed * 0x9e3779b97f4a7c15u + 1) {}
  std::uint64_t bits() { return engine_(); }
  /// From 0 to `count` - 1.
  size_t below(size_t count) { return static_cast<size_t>(engine_() % count); }
  bool one_in(size_t count) { return below(count) == 0; }
  template <class Value>
  const Value& of(const std::vector<Value>& values) {
    return values[below(values.size())];
  }

 private:
  std::mt19937_64 engine_;
};

/// One case, inside its process.
class Case {
 public:
  using Keep = std::function<void(const std::string& record)>;
  Case(std::uint64_t seed, std::filesystem::path empty_folder, Keep keep)
      : draw(seed), folder(std::move(empty_folder)), keep_(std::move(keep)) {}
  /// Says what was done to the input; printed where the case fails.
  void note(const std::string& what);
  /// Ends the case as failed.
  [[noreturn]] void fail(const std::string& what);

  Draw draw;
  const std::filesystem::path folder;  ///< empty at the beginning of the case

 private:
  std::string record_;
  Keep keep_;
};

struct Limits {
  int processor_seconds = 20;       ///< of one case; ten times as long by the clock
  size_t memory = size_t{3} << 30;  ///< [bytes] of address space; with sanitizers of what programs estimate
  int cases_per_process = 100;
};

/// With the sanitizers' price.
int processor_seconds(const Limits& limits);

/// Runs `quick` cases with seeds 1, 2, ..., each of which returns whether its input was taken; or as the
/// environment says:
///   MERGANSER_FUZZ_SEED=N     begin with seed N, one case only
///   MERGANSER_FUZZ_CASES=N    so many cases
/// Every failure names its seed; the test ends after ten of them.
void run_cases(size_t quick, const std::function<bool(Case&)>& one, const Limits& limits = {});

/// Runs cases with new seeds for MERGANSER_FUZZ_SECONDS (20 minutes), or as MERGANSER_FUZZ_SEED and
/// MERGANSER_FUZZ_CASES say.
void run_cases_for_long(const std::function<bool(Case&)>& one, const Limits& limits = {});

/// Does the work; wrong input must end in an InputError, DeviceError or FileError with `named` in its text.
/// Returns whether the work was done.
bool done_or_refused(Case& c, const std::string& named, const std::function<void()>& work);

/// Fails the case unless the text is one line of at most 1,500 bytes that holds `named`.
void require_good_message(Case& c, const std::string& message, const std::string& named);

/// Changes some bytes: flips, erases, inserts, repeats, overwrites with a number in any width, cuts the end.
void change_bytes(Draw& draw, std::string& bytes);

/// For notes: at most 200 bytes of a text, others than printable ones as \xNN.
std::string shortened(const std::string& text);

}  // namespace merganser::fuzz
