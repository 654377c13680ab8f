/// The fronts on the emulated GPU: LAPACK and BLAS on its stream where the GPU has cuSOLVER and cuBLAS.
#include <algorithm>

#include <cblas.h>

#include "device/launch.h"
#include "solvers/linear/cholesky/cholesky_front_sequence.h"

extern "C" {
void dpotrf_(const char* triangle, const int* n, double* a, const int* lda, int* info);
void dtrtri_(const char* triangle, const char* diagonal, const int* n, double* a, const int* lda, int* info);
}

MERGANSER_BEGIN

namespace {

struct DenseLibraries {
  static void factor(double* a, int n, int stride, int* info) {
    enqueue({"dpotrf", [=] { dpotrf_("L", &n, a, &stride, info); }});
  }
  static void invert(double* a, int n, int stride, int* info) {
    enqueue({"dtrtri", [=] { dtrtri_("L", "N", &n, a, &stride, info); }});
  }
  static void solve_transposed(const double* lower, double* b, int rows, int n, int stride) {
    enqueue({"dtrsm", [=] {
               cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, rows, n, 1.0,
                           lower, stride, b, stride);
             }});
  }
  static void multiply_negative(const double* lower, double* b, int rows, int n, int stride) {
    enqueue({"dtrmm", [=] {
               cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, rows, n, -1.0,
                           lower, stride, b, stride);
             }});
  }
  static void subtract_product(const double* a, const double* b, int rows, int columns, int inner, int stride,
                               double* c, int c_stride) {
    enqueue({"dgemm", [=] {
               cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows, columns, inner, -1.0, a, stride, b,
                           stride, 1.0, c, c_stride);
             }});
  }
};

}  // namespace

long long factorize(const PermutedMatrix& matrix, const FrontTree& tree,
                    const std::vector<std::int64_t>& offset, float* stored) {
  openblas_set_num_threads(1);
  DenseLibraries dense;
  return FrontSequence<DenseLibraries>(matrix, tree, offset, stored, dense).run();
}

void factorize_triangle(const PermutedMatrix& matrix, const FrontTree& tree, const TriangleStore& triangle) {
  openblas_set_num_threads(1);
  DenseLibraries dense;
  FrontSequence<DenseLibraries>(matrix, tree, {}, nullptr, dense).run(triangle);
}

MERGANSER_END
