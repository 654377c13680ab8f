/// The fronts on the GPU: dense blocks by cuSOLVER and cuBLAS, one front after the other on the stream;
/// assembly and storage are kernels. Each call's bits depend on its arguments alone (cuBLAS without atomics,
/// one stream).
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <algorithm>
#include <string>

#include "device/launch.h"
#include "solvers/linear/cholesky/cholesky_front_sequence.h"
#include "solvers/linear/cholesky/cuda_libraries.h"

MERGANSER_BEGIN

namespace {

void check_library(int status, const char* what) {
  if (status != 0)
    throw DeviceError(std::string("CUDA error in ") + what + ": status " + std::to_string(status));
}

/// Functions of cuBLAS and cuSOLVER that are used, under the names that the toolkit's headers give them.
struct Blas {
  void* library = open_cuda_library("cublas");
  decltype(&cublasCreate_v2) create = cuda_function<decltype(create)>(library, "cublasCreate_v2");
  decltype(&cublasSetStream_v2) set_stream =
      cuda_function<decltype(set_stream)>(library, "cublasSetStream_v2");
  decltype(&cublasDtrsm_v2) dtrsm = cuda_function<decltype(dtrsm)>(library, "cublasDtrsm_v2");
  decltype(&cublasDtrmm_v2) dtrmm = cuda_function<decltype(dtrmm)>(library, "cublasDtrmm_v2");
  decltype(&cublasDgemm_v2) dgemm = cuda_function<decltype(dgemm)>(library, "cublasDgemm_v2");
};
struct Solver {
  void* library = open_cuda_library("cusolver");
  decltype(&cusolverDnCreate) create = cuda_function<decltype(create)>(library, "cusolverDnCreate");
  decltype(&cusolverDnSetStream) set_stream =
      cuda_function<decltype(set_stream)>(library, "cusolverDnSetStream");
  decltype(&cusolverDnCreateParams) create_parameters =
      cuda_function<decltype(create_parameters)>(library, "cusolverDnCreateParams");
  decltype(&cusolverDnXpotrf_bufferSize) factor_size =
      cuda_function<decltype(factor_size)>(library, "cusolverDnXpotrf_bufferSize");
  decltype(&cusolverDnXpotrf) factor = cuda_function<decltype(factor)>(library, "cusolverDnXpotrf");
  decltype(&cusolverDnXtrtri_bufferSize) invert_size =
      cuda_function<decltype(invert_size)>(library, "cusolverDnXtrtri_bufferSize");
  decltype(&cusolverDnXtrtri) invert = cuda_function<decltype(invert)>(library, "cusolverDnXtrtri");
};

/// Both libraries with a handle each on the process' stream, made by the first factorization. Like the stream
/// they are left to the process's end.
struct DenseHandles {
  DenseHandles() {
    check_library(blas.create(&blas_handle), "cublasCreate");
    check_library(blas.set_stream(blas_handle, stream()), "cublasSetStream");
    check_library(solver.create(&solver_handle), "cusolverDnCreate");
    check_library(solver.set_stream(solver_handle, stream()), "cusolverDnSetStream");
    check_library(solver.create_parameters(&parameters), "cusolverDnCreateParams");
  }
  Blas blas;
  Solver solver;
  cublasHandle_t blas_handle = nullptr;
  cusolverDnHandle_t solver_handle = nullptr;
  cusolverDnParams_t parameters = nullptr;
};
const DenseHandles& dense_handles() {
  static const DenseHandles handles;
  return handles;
}

/// The dense operations of FrontSequence, with the scratch memory of one factorization.
class DenseLibraries {
 public:
  /// L L^T = A in the lower triangle; *info > 0: the column whose pivot is not positive, from 1.
  void factor(double* a, int n, int stride, int* info) {
    size_t on_device = 0, on_host = 0;
    check_library(use_.solver.factor_size(use_.solver_handle, use_.parameters, CUBLAS_FILL_MODE_LOWER, n,
                                          CUDA_R_64F, a, stride, CUDA_R_64F, &on_device, &on_host),
                  "cusolverDnXpotrf_bufferSize");
    make_room(on_device, on_host);
    check_library(
        use_.solver.factor(use_.solver_handle, use_.parameters, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F, a,
                           stride, CUDA_R_64F, device_.data(), on_device, host_.data(), on_host, info),
        "cusolverDnXpotrf");
  }
  /// Lower triangle to its inverse.
  void invert(double* a, int n, int stride, int* info) {
    size_t on_device = 0, on_host = 0;
    check_library(use_.solver.invert_size(use_.solver_handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_NON_UNIT, n,
                                          CUDA_R_64F, a, stride, &on_device, &on_host),
                  "cusolverDnXtrtri_bufferSize");
    make_room(on_device, on_host);
    check_library(
        use_.solver.invert(use_.solver_handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_NON_UNIT, n, CUDA_R_64F, a,
                           stride, device_.data(), on_device, host_.data(), on_host, info),
        "cusolverDnXtrtri");
  }
  /// B = B L^-T.
  void solve_transposed(const double* lower, double* b, int rows, int n, int stride) {
    const double one = 1;
    check_library(use_.blas.dtrsm(use_.blas_handle, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T,
                                  CUBLAS_DIAG_NON_UNIT, rows, n, &one, lower, stride, b, stride),
                  "cublasDtrsm");
  }
  /// B = -B L.
  void multiply_negative(const double* lower, double* b, int rows, int n, int stride) {
    const double minus = -1;
    check_library(use_.blas.dtrmm(use_.blas_handle, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                                  CUBLAS_DIAG_NON_UNIT, rows, n, &minus, lower, stride, b, stride, b, stride),
                  "cublasDtrmm");
  }
  /// C -= A B^T.
  void subtract_product(const double* a, const double* b, int rows, int columns, int inner, int stride,
                        double* c, int c_stride) {
    const double minus = -1, one = 1;
    check_library(use_.blas.dgemm(use_.blas_handle, CUBLAS_OP_N, CUBLAS_OP_T, rows, columns, inner, &minus, a,
                                  stride, b, stride, &one, c, c_stride),
                  "cublasDgemm");
  }

 private:
  void make_room(size_t on_device, size_t on_host) {
    device_.reserve(on_device);
    if (host_.size() < on_host) host_.resize(on_host);
  }
  const DenseHandles& use_ = dense_handles();
  Array<unsigned char> device_;
  std::vector<unsigned char> host_;
};

}  // namespace

long long factorize(const PermutedMatrix& matrix, const FrontTree& tree,
                    const std::vector<std::int64_t>& offset, float* stored) {
  DenseLibraries dense;
  return FrontSequence<DenseLibraries>(matrix, tree, offset, stored, dense).run();
}

void factorize_triangle(const PermutedMatrix& matrix, const FrontTree& tree, const TriangleStore& triangle) {
  DenseLibraries dense;
  FrontSequence<DenseLibraries>(matrix, tree, {}, nullptr, dense).run(triangle);
}

MERGANSER_END
