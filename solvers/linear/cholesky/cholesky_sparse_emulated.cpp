/// The work of cuSPARSE in plain loops, on the emulated GPU's stream.
#include "device/launch.h"
#include "solvers/linear/cholesky/cholesky_triangle.h"

MERGANSER_BEGIN

const char* sparse_library() { return "plain loops in cuSPARSE's place"; }

struct LibraryProduct::Plan {};
LibraryProduct::LibraryProduct(const SparseRows& matrix) : matrix_(matrix) {}
LibraryProduct::~LibraryProduct() = default;

void LibraryProduct::solve(View<const float> x, View<float> y, int right_sides) {
  enqueue({"SpMM", [rows = matrix_.rows, first = matrix_.first.data(), column = matrix_.column.data(),
                    value = matrix_.value.data(), x = x.data, y = y.data, right_sides] {
             for (int i = 0; i < rows; ++i)
               for (int k = 0; k < right_sides; ++k) {
                 float sum = 0;
                 for (int e = first[i]; e < first[i + 1]; ++e)
                   sum += value[e] * x[column[e] * right_sides + k];
                 y[i * right_sides + k] = sum;
               }
           }});
}

struct LibraryTriangle::Plan {};
LibraryTriangle::LibraryTriangle(const SparseRows& upper, int right_sides)
    : upper_(upper), right_sides_(right_sides), vectors_(upper.rows * right_sides) {}
LibraryTriangle::~LibraryTriangle() = default;

void LibraryTriangle::solve() {
  enqueue({"SpSM", [rows = upper_.rows, first = upper_.first.data(), column = upper_.column.data(),
                    value = upper_.value.data(), b = vectors_.data(), sides = right_sides_] {
             for (int k = 0; k < sides; ++k) {
               for (int i = 0; i < rows; ++i) {  // U^T y = b; a row's first entry is its diagonal
                 const float y = b[i * sides + k] /= value[first[i]];
                 for (int e = first[i] + 1; e < first[i + 1]; ++e) b[column[e] * sides + k] -= value[e] * y;
               }
               for (int i = rows - 1; i >= 0; --i) {  // U x = y
                 float sum = b[i * sides + k];
                 for (int e = first[i] + 1; e < first[i + 1]; ++e) sum -= value[e] * b[column[e] * sides + k];
                 b[i * sides + k] = sum / value[first[i]];
               }
             }
           }});
}

MERGANSER_END
