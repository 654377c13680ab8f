/// cuSPARSE, opened when it is first asked for: SpMM with a sparse matrix, SpSM with a triangle. Nothing but
/// benchmarks and tests needs it.
#include <cusparse.h>

#include <string>

#include "device/launch.h"
#include "solvers/linear/cholesky/cholesky_triangle.h"
#include "solvers/linear/cholesky/cuda_libraries.h"

MERGANSER_BEGIN

const char* sparse_library() { return "cuSPARSE"; }

namespace {

void check(int status, const char* what) {
  if (status != 0)
    throw DeviceError(std::string("CUDA error in ") + what + ": status " + std::to_string(status));
}

/// Functions of cuSPARSE that are used, under the names that the toolkit's header gives them.
struct Sparse {
  void* library = open_cuda_library("cusparse");
#define MERGANSER_FUNCTION(member, name) \
  decltype(&name) member = cuda_function<decltype(&name)>(library, #name)
  MERGANSER_FUNCTION(create, cusparseCreate);
  MERGANSER_FUNCTION(set_stream, cusparseSetStream);
  MERGANSER_FUNCTION(create_rows, cusparseCreateCsr);
  MERGANSER_FUNCTION(set_attribute, cusparseSpMatSetAttribute);
  MERGANSER_FUNCTION(destroy_rows, cusparseDestroySpMat);
  MERGANSER_FUNCTION(create_dense, cusparseCreateDnMat);
  MERGANSER_FUNCTION(destroy_dense, cusparseDestroyDnMat);
  MERGANSER_FUNCTION(product_size, cusparseSpMM_bufferSize);
  MERGANSER_FUNCTION(product, cusparseSpMM);
  MERGANSER_FUNCTION(create_solve, cusparseSpSM_createDescr);
  MERGANSER_FUNCTION(destroy_solve, cusparseSpSM_destroyDescr);
  MERGANSER_FUNCTION(solve_size, cusparseSpSM_bufferSize);
  MERGANSER_FUNCTION(analyse, cusparseSpSM_analysis);
  MERGANSER_FUNCTION(solve, cusparseSpSM_solve);
#undef MERGANSER_FUNCTION
  cusparseHandle_t handle = nullptr;
};

/// One handle on the process' stream; like the stream it is left to the process's end.
const Sparse& sparse() {
  static const Sparse* const opened = [] {
    auto* made = new Sparse;
    check(made->create(&made->handle), "cusparseCreate");
    check(made->set_stream(made->handle, stream()), "cusparseSetStream");
    return made;
  }();
  return *opened;
}

constexpr cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE,
                              transposed = CUSPARSE_OPERATION_TRANSPOSE;
const float one = 1, zero = 0;

/// cuSPARSE's name for a matrix of ours.
struct RowsDescriptor {
  explicit RowsDescriptor(const SparseRows& m) {
    check(sparse().create_rows(&matrix, m.rows, m.rows, m.column.size(), const_cast<int*>(m.first.data()),
                               const_cast<int*>(m.column.data()), const_cast<float*>(m.value.data()),
                               CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
          "cusparseCreateCsr");
  }
  RowsDescriptor(const RowsDescriptor&) = delete;
  RowsDescriptor& operator=(const RowsDescriptor&) = delete;
  ~RowsDescriptor() { (void)sparse().destroy_rows(matrix); }
  cusparseSpMatDescr_t matrix = nullptr;
};
/// And for several vectors, side by side.
struct VectorsDescriptor {
  VectorsDescriptor(const float* values, int rows, int right_sides) {
    check(sparse().create_dense(&vectors, rows, right_sides, right_sides, const_cast<float*>(values),
                                CUDA_R_32F, CUSPARSE_ORDER_ROW),
          "cusparseCreateDnMat");
  }
  VectorsDescriptor(const VectorsDescriptor&) = delete;
  VectorsDescriptor& operator=(const VectorsDescriptor&) = delete;
  ~VectorsDescriptor() { (void)sparse().destroy_dense(vectors); }
  cusparseDnMatDescr_t vectors = nullptr;
};

/// C = op(U)^-1 B, analysed once.
struct TriangleSolve {
  TriangleSolve(const RowsDescriptor& of_upper, cusparseOperation_t of_operation,
                const VectorsDescriptor& from, const VectorsDescriptor& into)
      : upper(of_upper), b(from), c(into), operation(of_operation) {
    check(sparse().create_solve(&solve), "cusparseSpSM_createDescr");
    size_t bytes = 0;
    check(sparse().solve_size(sparse().handle, operation, plain, &one, upper.matrix, b.vectors, c.vectors,
                              CUDA_R_32F, CUSPARSE_SPSM_ALG_DEFAULT, solve, &bytes),
          "cusparseSpSM_bufferSize");
    buffer.reserve(bytes);
    check(sparse().analyse(sparse().handle, operation, plain, &one, upper.matrix, b.vectors, c.vectors,
                           CUDA_R_32F, CUSPARSE_SPSM_ALG_DEFAULT, solve, buffer.data()),
          "cusparseSpSM_analysis");
  }
  TriangleSolve(const TriangleSolve&) = delete;
  TriangleSolve& operator=(const TriangleSolve&) = delete;
  ~TriangleSolve() { (void)sparse().destroy_solve(solve); }
  void run() {
    check(sparse().solve(sparse().handle, operation, plain, &one, upper.matrix, b.vectors, c.vectors,
                         CUDA_R_32F, CUSPARSE_SPSM_ALG_DEFAULT, solve),
          "cusparseSpSM_solve");
  }
  const RowsDescriptor& upper;
  const VectorsDescriptor &b, &c;
  cusparseOperation_t operation;
  cusparseSpSMDescr_t solve = nullptr;
  Array<unsigned char> buffer;
};

}  // namespace

struct LibraryProduct::Plan {
  explicit Plan(const SparseRows& matrix) : rows(matrix) {}
  RowsDescriptor rows;
  Array<unsigned char> buffer;
};
LibraryProduct::LibraryProduct(const SparseRows& matrix)
    : matrix_(matrix), plan_(std::make_unique<Plan>(matrix)) {}
LibraryProduct::~LibraryProduct() = default;

void LibraryProduct::solve(View<const float> x, View<float> y, int right_sides) {
  const VectorsDescriptor from(x.data, matrix_.rows, right_sides), into(y.data, matrix_.rows, right_sides);
  size_t bytes = 0;
  check(sparse().product_size(sparse().handle, plain, plain, &one, plan_->rows.matrix, from.vectors, &zero,
                              into.vectors, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, &bytes),
        "cusparseSpMM_bufferSize");
  plan_->buffer.reserve(bytes);
  check(sparse().product(sparse().handle, plain, plain, &one, plan_->rows.matrix, from.vectors, &zero,
                         into.vectors, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, plan_->buffer.data()),
        "cusparseSpMM");
}

struct LibraryTriangle::Plan {
  Plan(const SparseRows& u, float* vectors, int right_sides)
      : rows(u),
        between(u.rows * right_sides),
        ends(vectors, u.rows, right_sides),
        middle(between.data(), u.rows, right_sides),
        forward(with_attributes(rows), transposed, ends, middle),
        backward(rows, plain, middle, ends) {}
  /// U's entries are all there are, its diagonal among them.
  static const RowsDescriptor& with_attributes(const RowsDescriptor& rows) {
    cusparseFillMode_t upper = CUSPARSE_FILL_MODE_UPPER;
    cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
    check(sparse().set_attribute(rows.matrix, CUSPARSE_SPMAT_FILL_MODE, &upper, sizeof upper),
          "cusparseSpMatSetAttribute");
    check(sparse().set_attribute(rows.matrix, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal),
          "cusparseSpMatSetAttribute");
    return rows;
  }
  RowsDescriptor rows;
  Array<float> between;
  VectorsDescriptor ends, middle;
  TriangleSolve forward, backward;
};
LibraryTriangle::LibraryTriangle(const SparseRows& upper, int right_sides)
    : upper_(upper),
      right_sides_(right_sides),
      vectors_(upper.rows * right_sides),
      plan_(std::make_unique<Plan>(upper, vectors_.data(), right_sides)) {}
LibraryTriangle::~LibraryTriangle() = default;

void LibraryTriangle::solve() {
  plan_->forward.run();
  plan_->backward.run();
}

MERGANSER_END
