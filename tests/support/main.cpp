/// main() of every test binary. A GPU binary without a GPU skips (exit code 77, which CTest shows as skipped)
/// and says why; MERGANSER_REQUIRE_GPU=1 turns that into a failure.
#include <gtest/gtest.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/note.h"
#include "tests/support/source_folder.h"

#if defined(MERGANSER_TEST_GPU)
#include <cuda_runtime.h>
#endif

namespace merganser {
namespace {

std::filesystem::path from_environment(const char* variable, const std::filesystem::path& otherwise) {
  const char* named = std::getenv(variable);
  return named ? std::filesystem::path(named) : otherwise;
}

bool asked(const char* variable) {
  const char* value = std::getenv(variable);
  return value && std::string(value) == "1";
}

std::string notes_of_test;

class NotesOfFailures : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { notes_of_test.clear(); }
  void OnTestEnd(const testing::TestInfo& test) override {
    if (test.result()->Failed() || asked("MERGANSER_TEST_NOTES")) std::fputs(notes_of_test.c_str(), stdout);
  }
};

#if defined(MERGANSER_TEST_GPU)
/// After an illegal access every later call of the process fails. It ends then, so that who runs it may go on
/// with the next test in another one (tools/gpu_round_tests.py, which knows the exit code).
class LostDevice : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    cudaGetLastError();
    if (cudaDeviceSynchronize() == cudaSuccess) return;
    cudaGetLastError();
    const cudaError_t again = cudaDeviceSynchronize();
    if (again == cudaSuccess) return;
    constexpr int device_lost = 86;
    std::fputs(notes_of_test.c_str(), stdout);
    std::printf("the device is lost to this process: %s\n[  FAILED  ] %s.%s\n", cudaGetErrorString(again),
                test.test_suite_name(), test.name());
    std::fflush(stdout);
    std::_Exit(device_lost);
  }
};
#endif

}  // namespace

void note(const char* format, ...) {
  char text[500];
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof(text), format, values);
  va_end(values);
  notes_of_test += text;
}

static void listen() {
  auto& listeners = testing::UnitTest::GetInstance()->listeners();  // which deletes them
  listeners.Append(new NotesOfFailures);
#if defined(MERGANSER_TEST_GPU)
  listeners.Append(new LostDevice);
#endif
}

std::filesystem::path source_folder() {
  return from_environment("MERGANSER_SOURCE_DIR", MERGANSER_BUILT_FROM);
}

std::filesystem::path shared_folder() {
  return from_environment("MERGANSER_SHARED", source_folder().parent_path() / "shared");
}

}  // namespace merganser

#if defined(__SANITIZE_ADDRESS__)
/// HDF5 1.10 loses memory where it gives up on a damaged file.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }
#endif

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  merganser::listen();
#if defined(MERGANSER_TEST_GPU)
  int devices = 0;
  if (!GTEST_FLAG_GET(list_tests) && (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)) {
    const bool fail = merganser::asked("MERGANSER_REQUIRE_GPU");
    std::printf("%s: no CUDA device on this machine\n",
                fail ? "FAILED (MERGANSER_REQUIRE_GPU=1)" : "SKIPPED");
    return fail ? 1 : 77;
  }
#endif
  return RUN_ALL_TESTS();
}
