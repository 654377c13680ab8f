#include "solvers/linear/cholesky/cuda_libraries.h"

#if MERGANSER_COMPILED_BY_NVCC
#include <cublas_v2.h>
#include <cusolverDn.h>
#include <cusparse.h>
#endif
#include <dlfcn.h>

#include <string>
#include <vector>

#include "device/errors.h"
#include "solvers/linear/cholesky/cuda_library_search.h"

MERGANSER_BEGIN

namespace {

// Numbers in the libraries' file names, as of the toolkit that compiles this; 0 where none does.
#if MERGANSER_COMPILED_BY_NVCC
constexpr int cuda_major = CUDART_VERSION / 1000, blas_major = CUBLAS_VER_MAJOR,
              solver_major = CUSOLVER_VER_MAJOR, sparse_major = CUSPARSE_VER_MAJOR;
#else
constexpr int cuda_major = 0, blas_major = 0, solver_major = 0, sparse_major = 0;
#endif

/// The libraries that one needs are opened before it, so that the loader knows them: in a folder not on
/// its path it would not look.
struct CudaLibrary {
  const char* name;
  int major;
  std::vector<const char*> needs;
};
const std::vector<CudaLibrary>& known_libraries() {
  static const std::vector<CudaLibrary> libraries = {
      {"nvJitLink", cuda_major, {}},
      {"cublasLt", blas_major, {}},
      {"cublas", blas_major, {"cublasLt"}},
      {"cusparse", sparse_major, {"nvJitLink"}},
      {"cusolver", solver_major, {"nvJitLink", "cublasLt", "cublas", "cusparse"}}};
  return libraries;
}

/// The name with the version compiled against, then the plain one that toolkits have as well.
std::vector<std::string> file_names(const std::string& name, int major) {
  const std::string plain = "lib" + name + ".so";
  if (major == 0) return {plain};
  return {plain + "." + std::to_string(major), plain};
}

}  // namespace

void* open_cuda_library(const char* name) {
  CudaLibrary wanted{name, 0, {}};
  for (const CudaLibrary& library : known_libraries())
    if (library.name == std::string(name)) wanted = library;

  const std::vector<std::filesystem::path> folders = cuda_library_folders(process_environment);
  std::string failures;
  for (const CudaLibrary& library : known_libraries())
    for (const char* needed : wanted.needs)
      // Where this fails the library itself says what it lacks.
      if (library.name == std::string(needed))
        open_first_library(file_names(library.name, library.major), folders, failures);
  const std::vector<std::string> files = file_names(name, wanted.major);
  if (void* library = open_first_library(files, folders, failures)) return library;

  std::string message =
      "cannot load NVIDIA's library " + files.front() +
      ", which this scene needs on the GPU: looked where the loader looks (LD_LIBRARY_PATH, "
      "ld.so.cache)";
  for (const auto& folder : folders) message += ", " + folder.string();
  if (!failures.empty()) message += " (" + failures + ")";
  throw DeviceError(message + "; install the CUDA Toolkit or the Python package nvidia-" + name +
                    " of that version, name its folder in LD_LIBRARY_PATH, or use --device cpu");
}

void* cuda_function_address(void* library, const char* name) {
  if (void* address = dlsym(library, name)) return address;
  const char* reason = dlerror();
  throw DeviceError(std::string("NVIDIA's library has no function ") + name + " (" +
                    (reason ? reason : "its address is null") +
                    "); it is of another version than the one this program was built with");
}

MERGANSER_END
