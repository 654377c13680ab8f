#include "tests/fuzz/fuzz.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "device/errors.h"
#include "tests/support/note.h"
#include "tests/support/temporary_folder.h"

#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

namespace merganser::fuzz {
namespace {

struct CaseFailed {};

/// What a process of cases tells the test, in memory that both share.
struct Shared {
  std::uint64_t seed;
  std::uint64_t accepted;  ///< cases whose input was taken
  char record[16384];
};

std::optional<std::uint64_t> number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::optional<std::uint64_t>(std::strtoull(text, nullptr, 10)) : std::nullopt;
}

void limit(const Limits& limits) {
  const itimerval processor{{0, 0}, {processor_seconds(limits), 0}};
  setitimer(ITIMER_PROF, &processor, nullptr);
  alarm(static_cast<unsigned>(10 * processor_seconds(limits)));
}

void limit_process(const Limits& limits) {
  const rlimit no_core{0, 0}, memory{limits.memory, limits.memory};
  setrlimit(RLIMIT_CORE, &no_core);
  if (sanitized)  // which reserve terabytes of addresses: programs are told the limit, so that they refuse
    setenv("MERGANSER_MEMORY_LIMIT", std::to_string(limits.memory).c_str(), 1);
  else
    setrlimit(RLIMIT_AS, &memory);
}

void keep(Shared& shared, const std::string& record) {
  const size_t size = std::min(record.size(), sizeof shared.record - 1);
  std::memcpy(shared.record, record.data(), size);
  shared.record[size] = 0;
}

/// In the process of the cases: runs one, leaves with 1 where it fails.
void run_one(std::uint64_t seed, const std::function<bool(Case&)>& one, const Limits& limits,
             Shared& shared) {
  shared.seed = seed;
  shared.record[0] = 0;
  limit(limits);
  const test::TemporaryFolder folder;
  Case c(seed, folder.path(), [&shared](const std::string& record) { keep(shared, record); });
  try {
    shared.accepted += one(c);
    return;
  } catch (const CaseFailed&) {
  } catch (const std::exception& error) {
    c.note(std::string("FAILED: not an error of ours: ") + error.what());
  }
  _exit(1);
}

std::string ending(int status) {
  if (WIFEXITED(status))
    return WEXITSTATUS(status) == 1 ? "" : "ended with " + std::to_string(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  if (signal == SIGPROF) return "took more processor time than allowed";
  if (signal == SIGALRM) return "hung";
  return "died of signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

void run_all(std::uint64_t first, std::uint64_t cases, double seconds, const std::function<bool(Case&)>& one,
             const Limits& limits) {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  Shared& shared = *static_cast<Shared*>(memory);
  const auto begin = std::chrono::steady_clock::now();
  const auto in_time = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < seconds;
  };
  int failures = 0;
  std::uint64_t seed = first;
  while (seed - first < cases && in_time() && failures < 10) {
    const std::uint64_t end =
        std::min(first + cases, seed + static_cast<std::uint64_t>(limits.cases_per_process));
    std::fflush(nullptr);
    const pid_t process = fork();
    ASSERT_GE(process, 0);
    if (process == 0) {
      setpgid(0, 0);
      limit_process(limits);
      for (; seed != end && in_time(); ++seed) run_one(seed, one, limits, shared);
      shared.seed = seed;
      _exit(0);
    }
    int status = 0;
    waitpid(process, &status, 0);
    kill(-process, SIGKILL);  // what a case had started itself
    seed = shared.seed;
    if (status == 0) continue;
    ADD_FAILURE() << "seed " << seed << ' ' << ending(status) << '\n'
                  << shared.record << "\n(repeat with MERGANSER_FUZZ_SEED=" << seed << ")";
    ++failures;
    ++seed;
  }
  note("%llu cases from seed %llu on, %llu with input that was taken\n",
       static_cast<unsigned long long>(seed - first), static_cast<unsigned long long>(first),
       static_cast<unsigned long long>(shared.accepted));
  munmap(memory, sizeof(Shared));
}

}  // namespace

int processor_seconds(const Limits& limits) { return limits.processor_seconds * (sanitized ? 5 : 1); }

void Case::note(const std::string& what) {
  record_ += what + "\n";
  keep_(record_);
}

void Case::fail(const std::string& what) {
  note("FAILED: " + what);
  throw CaseFailed();
}

void run_cases(size_t quick, const std::function<bool(Case&)>& one, const Limits& limits) {
  const auto seed = number_in_environment("MERGANSER_FUZZ_SEED");
  const auto cases = number_in_environment("MERGANSER_FUZZ_CASES");
  run_all(seed.value_or(1), cases.value_or(seed ? 1 : quick), 1e9, one, limits);
}

void run_cases_for_long(const std::function<bool(Case&)>& one, const Limits& limits) {
  const auto seed = number_in_environment("MERGANSER_FUZZ_SEED");
  const auto cases = number_in_environment("MERGANSER_FUZZ_CASES");
  const auto seconds = number_in_environment("MERGANSER_FUZZ_SECONDS");
  const std::uint64_t new_seed = std::random_device()() * std::uint64_t{1000000};
  run_all(seed.value_or(new_seed), cases.value_or(seed ? 1 : ~new_seed),
          seed || cases ? 1e9 : static_cast<double>(seconds.value_or(1200)), one, limits);
}

void require_good_message(Case& c, const std::string& message, const std::string& named) {
  if (message.find(named) == message.npos) c.fail("does not name " + named + ": " + shortened(message));
  if (message.size() > 1500)
    c.fail("a message of " + std::to_string(message.size()) + " bytes: " + shortened(message));
  for (const char byte : message)
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f)
      c.fail("a control character in the message: " + shortened(message));
}

bool done_or_refused(Case& c, const std::string& named, const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    if (error.exit_code() != 2 && error.exit_code() != 3 && error.exit_code() != 5)
      c.fail("exit code " + std::to_string(error.exit_code()) + ": " + error.what());
    if (std::string(error.what()).find(named) == std::string::npos)
      c.fail("does not name " + named + ": " + shortened(error.what()));
  }
  return false;
}

void change_bytes(Draw& draw, std::string& bytes) {
  const std::vector<std::uint64_t> numbers = {0,
                                              1,
                                              0x7f,
                                              0x80,
                                              0xff,
                                              0x7fff,
                                              0xffff,
                                              0x7fffffff,
                                              0x80000000,
                                              0xffffffff,
                                              0x7fffffffffffffff,
                                              0x8000000000000000,
                                              ~std::uint64_t{0},
                                              0x7f800000 /* infinity */,
                                              0x7fc00000 /* NaN */,
                                              0x7ff0000000000000};
  for (size_t change = 0, changes = 1 + draw.below(4); change < changes; ++change) {
    const size_t at = draw.below(bytes.size() + 1), length = std::min(bytes.size() - at, 1 + draw.below(12));
    switch (draw.below(8)) {
      case 0:
        bytes.erase(at, length);
        break;
      case 1:
        bytes.insert(at, bytes.substr(draw.below(bytes.size() + 1), length));
        break;
      case 2:
        bytes.insert(at, length, static_cast<char>(draw.bits()));
        break;
      case 3:
        bytes.resize(at);
        break;
      case 4: {
        const std::uint64_t number = draw.of(numbers);
        const size_t width = std::min(bytes.size() - at, size_t{1} << draw.below(4));
        for (size_t k = 0; k < width; ++k) bytes[at + k] = static_cast<char>(number >> (8 * k));
        break;
      }
      case 5: {  // a block of the file stands where another one belongs, or is gone
        const size_t block = std::min(bytes.size() - at, size_t{1} << (4 + draw.below(9)));
        bytes.replace(
            at, block,
            draw.one_in(2) ? std::string(block, '\0') : bytes.substr(draw.below(bytes.size() + 1), block));
        break;
      }
      default:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << draw.below(8)));
    }
  }
}

std::string shortened(const std::string& text) {
  std::string shown;
  for (const char byte : text.substr(0, 200)) {
    char code[8];
    std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned char>(byte));
    shown += byte >= 0x20 && byte < 0x7f ? std::string(1, byte) : code;
  }
  return text.size() > 200 ? shown + "... (" + std::to_string(text.size()) + " bytes)" : shown;
}

}  // namespace merganser::fuzz
