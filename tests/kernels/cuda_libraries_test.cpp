/// The search for CUDA's libraries, on a made-up machine in a temporary folder.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "device/errors.h"
#include "solvers/linear/cholesky/cuda_libraries.h"
#include "solvers/linear/cholesky/cuda_library_search.h"
#include "tests/support/temporary_folder.h"

MERGANSER_BEGIN
namespace cuda_libraries_test {

namespace fs = std::filesystem;

class CudaLibraries : public testing::Test {
 protected:
  fs::path make(const std::string& folder) {
    fs::create_directories(machine / folder);
    return machine / folder;
  }
  /// A library that can be opened: a copy of the C library's mathematics.
  static fs::path put_library(const fs::path& file) {
    Dl_info mathematics{};
    EXPECT_NE(dladdr(reinterpret_cast<void*>(static_cast<double (*)(double)>(std::cos)), &mathematics), 0);
    fs::copy_file(mathematics.dli_fname, file);
    return file;
  }
  /// Where `library` was opened from.
  static fs::path origin(void* library) {
    Dl_info found{};
    EXPECT_NE(dladdr(dlsym(library, "cos"), &found), 0);
    return found.dli_fname;
  }
  std::vector<fs::path> folders() const {
    return cuda_library_folders(
        [&](const char* variable) {
          const auto value = environment.find(variable);
          return value == environment.end() ? std::string() : value->second;
        },
        machine.path());
  }

  test::TemporaryFolder machine;
  std::map<std::string, std::string> environment;
};

TEST_F(CudaLibraries, AMachineWithNothingHasNoFolders) { EXPECT_EQ(folders(), std::vector<fs::path>()); }

TEST_F(CudaLibraries, ToolkitsComeBeforePythonAndNamedOnesFirst) {
  const fs::path named = make("my_toolkit/lib64"), conda_lib = make("conda/lib"),
                 older = make("usr/local/cuda-12.9/lib64"), newer = make("usr/local/cuda-13.0/lib64");
  fs::create_directory_symlink(machine / "usr/local/cuda-13.0", machine / "usr/local/cuda");
  const fs::path site = make("site/nvidia/cu13/lib"),
                 environment_lib = make("venv/lib/python3.12/site-packages/nvidia/cublas/lib"),
                 conda = make("conda/lib/python3.11/site-packages/nvidia/cu13/lib"),
                 installed = make("python/lib/python3.12/site-packages/nvidia/cu13/lib"),
                 user = make("home/.local/lib/python3.12/site-packages/nvidia/cusolver/lib"),
                 system = make("usr/lib/python3/dist-packages/nvidia/cusparse/lib");
  make("usr/lib/python3/dist-packages/nvidia/without_libraries");
  make("usr/lib/python2.7/dist-packages/nvidia/cu13/lib");
  test::write_text(make("python/bin") / "python3.12", "");
  fs::create_symlink(machine / "python/bin/python3.12", make("links") / "python3");

  environment = {{"CUDA_HOME", (machine / "my_toolkit").string()},
                 {"CUDA_PATH", (machine / "not_there").string()},
                 {"CONDA_PREFIX", (machine / "conda").string()},
                 {"PYTHONPATH", (machine / "site").string()},
                 {"VIRTUAL_ENV", (machine / "venv").string()},
                 {"PATH", (machine / "empty").string() + ":" + (machine / "links").string()},
                 {"HOME", (machine / "home").string()}};
  const std::vector<fs::path> expected = {
      named, conda_lib, machine / "usr/local/cuda/lib64", older, site, environment_lib, conda, installed,
      user,  system};
  EXPECT_EQ(folders(), expected) << "the folder that two names lead to is there once";
  EXPECT_TRUE(fs::equivalent(folders()[2], newer));
}

TEST_F(CudaLibraries, OpensTheFirstThatOpens) {
  const fs::path first = make("first"), second = make("second"), third = make("third");
  test::write_text(first / "libmade_up.so.7", "not a library");
  put_library(second / "libmade_up.so.7");
  put_library(third / "libmade_up.so.7");
  std::string failures;
  void* library = open_first_library({"libmade_up.so.7"}, {first, second, third}, failures);
  ASSERT_NE(library, nullptr) << failures;
  EXPECT_EQ(origin(library), second / "libmade_up.so.7");
  EXPECT_NE(failures.find((first / "libmade_up.so.7").string()), std::string::npos) << failures;
  dlclose(library);
}

/// A library with the right number in a later folder counts more than one of any version in an earlier.
TEST_F(CudaLibraries, TheVersionCountsMoreThanTheFolder) {
  const fs::path first = make("first"), second = make("second");
  put_library(first / "libmade_up.so");
  std::string failures;
  const std::vector<std::string> files = {"libmade_up.so.7", "libmade_up.so"};
  void* plain = open_first_library(files, {first, second}, failures);
  ASSERT_NE(plain, nullptr) << failures;
  EXPECT_EQ(origin(plain), first / "libmade_up.so");
  dlclose(plain);
  put_library(second / "libmade_up.so.7");
  void* versioned = open_first_library(files, {first, second}, failures);
  ASSERT_NE(versioned, nullptr) << failures;
  EXPECT_EQ(origin(versioned), second / "libmade_up.so.7");
  dlclose(versioned);
}

TEST_F(CudaLibraries, NothingFound) {
  std::string failures = "of an earlier search";
  EXPECT_EQ(open_first_library({"libmade_up.so.7"}, {make("empty")}, failures), nullptr);
  EXPECT_EQ(failures, "");
  try {
    open_cuda_library("made_up");
    FAIL() << "there is no such library";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.exit_code(), 3);
    for (const char* part : {"libmade_up.so", "LD_LIBRARY_PATH", "nvidia-made_up", "--device cpu"})
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << part << " in: " << error.what();
  }
}

TEST_F(CudaLibraries, FunctionsByName) {
  std::string failures;
  const fs::path file = put_library(make("lib") / "libmade_up.so");
  void* library = open_first_library({"libmade_up.so"}, {file.parent_path()}, failures);
  ASSERT_NE(library, nullptr) << failures;
  EXPECT_EQ(cuda_function<double (*)(double)>(library, "cos")(0), 1);
  EXPECT_THROW(cuda_function<void (*)()>(library, "merganser_has_no_such_function"), DeviceError);
  dlclose(library);
}

}  // namespace cuda_libraries_test
MERGANSER_END
