/// The fronts on the GPU: dense blocks by cuSOLVER and cuBLAS, one front after the other on the stream;
/// assembly and storage are kernels. Each call's bits depend on its arguments alone (cuBLAS without atomics,
/// one stream).
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <algorithm>
#include <string>

#include "device/launch.h"
#include "solvers/linear/cholesky_front_sequence.h"

MERGANSER_BEGIN

namespace {

void check_library(int status, const char* what) {
  if (status != 0)
    throw DeviceError(std::string("CUDA error in ") + what + ": status " + std::to_string(status));
}

/// Handles of both libraries on the process' stream.
class DenseLibraries {
 public:
  DenseLibraries() {
    check_library(cublasCreate(&blas_), "cublasCreate");
    check_library(cublasSetStream(blas_, stream()), "cublasSetStream");
    check_library(cusolverDnCreate(&solver_), "cusolverDnCreate");
    check_library(cusolverDnSetStream(solver_, stream()), "cusolverDnSetStream");
    check_library(cusolverDnCreateParams(&parameters_), "cusolverDnCreateParams");
  }
  DenseLibraries(const DenseLibraries&) = delete;
  DenseLibraries& operator=(const DenseLibraries&) = delete;
  ~DenseLibraries() {
    (void)cusolverDnDestroyParams(parameters_);
    (void)cusolverDnDestroy(solver_);
    (void)cublasDestroy(blas_);
  }

  /// L L^T = A in the lower triangle; *info > 0: the column whose pivot is not positive, from 1.
  void factor(double* a, int n, int stride, int* info) {
    size_t on_device = 0, on_host = 0;
    check_library(cusolverDnXpotrf_bufferSize(solver_, parameters_, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F, a,
                                              stride, CUDA_R_64F, &on_device, &on_host),
                  "cusolverDnXpotrf_bufferSize");
    make_room(on_device, on_host);
    check_library(cusolverDnXpotrf(solver_, parameters_, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F, a, stride,
                                   CUDA_R_64F, device_.data(), on_device, host_.data(), on_host, info),
                  "cusolverDnXpotrf");
  }
  /// Lower triangle to its inverse.
  void invert(double* a, int n, int stride, int* info) {
    size_t on_device = 0, on_host = 0;
    check_library(cusolverDnXtrtri_bufferSize(solver_, CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_NON_UNIT, n,
                                              CUDA_R_64F, a, stride, &on_device, &on_host),
                  "cusolverDnXtrtri_bufferSize");
    make_room(on_device, on_host);
    check_library(cusolverDnXtrtri(solver_, CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_NON_UNIT, n, CUDA_R_64F, a,
                                   stride, device_.data(), on_device, host_.data(), on_host, info),
                  "cusolverDnXtrtri");
  }
  /// B = B L^-T.
  void solve_transposed(const double* lower, double* b, int rows, int n, int stride) {
    const double one = 1;
    check_library(cublasDtrsm(blas_, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T,
                              CUBLAS_DIAG_NON_UNIT, rows, n, &one, lower, stride, b, stride),
                  "cublasDtrsm");
  }
  /// B = -B L.
  void multiply_negative(const double* lower, double* b, int rows, int n, int stride) {
    const double minus = -1;
    check_library(cublasDtrmm(blas_, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                              CUBLAS_DIAG_NON_UNIT, rows, n, &minus, lower, stride, b, stride, b, stride),
                  "cublasDtrmm");
  }
  /// C -= A B^T.
  void subtract_product(const double* a, const double* b, int rows, int columns, int inner, int stride,
                        double* c, int c_stride) {
    const double minus = -1, one = 1;
    check_library(cublasDgemm(blas_, CUBLAS_OP_N, CUBLAS_OP_T, rows, columns, inner, &minus, a, stride, b,
                              stride, &one, c, c_stride),
                  "cublasDgemm");
  }

 private:
  void make_room(size_t on_device, size_t on_host) {
    device_.reserve(on_device);
    if (host_.size() < on_host) host_.resize(on_host);
  }
  cublasHandle_t blas_ = nullptr;
  cusolverDnHandle_t solver_ = nullptr;
  cusolverDnParams_t parameters_ = nullptr;
  Array<unsigned char> device_;
  std::vector<unsigned char> host_;
};

}  // namespace

long long factorize(const PermutedMatrix& matrix, const FrontTree& tree,
                    const std::vector<std::int64_t>& offset, float* stored) {
  DenseLibraries dense;
  return FrontSequence<DenseLibraries>(matrix, tree, offset, stored, dense).run();
}

MERGANSER_END
