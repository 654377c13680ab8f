#include "solvers/linear/two_level/coarse_level.h"

#include <algorithm>
#include <array>
#include <cmath>

MERGANSER_BEGIN

namespace {

/// Of rows in a plane that is at an angle rounding leaves about 1e-7 of a coordinate; of a part one row thick
/// in a jittered plane there is more.
constexpr double least_rest = 1e-3;

using Block = std::array<double, part_functions * part_functions>;

/// Gram-Schmidt, twice; `value` of the rows [begin, end).
void set_functions(const std::vector<Point3>& positions, int begin, int end,
                   std::vector<FunctionValues>& value) {
  Point3 center{0, 0, 0};
  for (int i = begin; i < end; ++i)
    for (size_t k = 0; k < 3; ++k) center[k] += positions[size_t(i)][k] / (end - begin);
  std::array<std::vector<double>, part_functions> function;
  for (size_t f = 0; f < part_functions; ++f) {
    std::vector<double>& own = function[f];
    for (int i = begin; i < end; ++i) own.push_back(f == 0 ? 1 : positions[size_t(i)][f - 1] - center[f - 1]);
    const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
      double sum = 0;
      for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
      return sum;
    };
    const double whole = std::sqrt(dot(own, own));
    for (int time = 0; time < 2; ++time)
      for (size_t g = 0; g < f; ++g) {
        const double share = dot(own, function[g]);
        for (size_t i = 0; i < own.size(); ++i) own[i] -= share * function[g][i];
      }
    const double rest = std::sqrt(dot(own, own));
    const bool told = rest > 0 && rest > least_rest * whole;
    for (double& x : own) x = told ? x / rest : 0;
    for (int i = begin; i < end; ++i) value[size_t(i)].of[f] = static_cast<float>(own[size_t(i - begin)]);
  }
}

/// Blocks of P^T A P of one part's rows with the parts before it and with itself.
class BlockRow {
 public:
  BlockRow(const HostSparseMatrix& matrix, const std::vector<FunctionValues>& value,
           const std::vector<int>& part_of)
      : matrix_(matrix), value_(value), part_of_(part_of) {}

  void sum(int begin, int end) {
    parts.clear(), blocks.clear();
    for (int i = begin; i < end; ++i) {
      std::int64_t e = matrix_.first[size_t(i)];
      const std::int64_t last = matrix_.first[size_t(i) + 1];
      while (e < last) {  // columns ascend, and so do their parts
        const int part = part_of_[size_t(matrix_.column[size_t(e)])];
        std::array<double, part_functions> beside{}, at{};  // sum_j A_ij phi(j) of j < i; A_ii phi(i)
        for (; e < last && part_of_[size_t(matrix_.column[size_t(e)])] == part; ++e) {
          const int j = matrix_.column[size_t(e)];
          for (size_t b = 0; b < part_functions; ++b)
            (j == i ? at : beside)[b] += matrix_.value[size_t(e)] * double(value_[size_t(j)].of[b]);
        }
        add(part, part == part_of_[size_t(i)], value_[size_t(i)], beside, at);
      }
    }
  }
  std::vector<int> parts;     ///< in the order in which they were met
  std::vector<Block> blocks;  ///< [a of the row's part][b of the other]

 private:
  void add(int part, bool own, const FunctionValues& phi, const std::array<double, part_functions>& beside,
           const std::array<double, part_functions>& at) {
    auto known = std::find(parts.begin(), parts.end(), part);
    if (known == parts.end()) {
      known = parts.insert(parts.end(), part);
      blocks.push_back({});
    }
    Block& block = blocks[size_t(known - parts.begin())];
    for (size_t a = 0; a < part_functions; ++a)
      for (size_t b = 0; b < part_functions; ++b)
        block[a * part_functions + b] +=
            double(phi.of[a]) * (beside[b] + at[b]) + (own ? beside[a] * double(phi.of[b]) : 0.0);
  }
  const HostSparseMatrix& matrix_;
  const std::vector<FunctionValues>& value_;
  const std::vector<int>& part_of_;
};

/// Appends the four rows of a part; `function_is` tells which of its functions are not zero.
void append_rows(const BlockRow& from, int part, const std::array<bool, part_functions>& function_is,
                 HostSparseMatrix& to) {
  std::vector<size_t> ascending(from.parts.size());
  for (size_t k = 0; k < ascending.size(); ++k) ascending[k] = k;
  std::sort(ascending.begin(), ascending.end(),
            [&](size_t a, size_t b) { return from.parts[a] < from.parts[b]; });
  for (int a = 0; a < part_functions; ++a) {
    for (const size_t k : ascending)
      for (int b = 0; b < (from.parts[k] == part ? a + 1 : part_functions); ++b) {
        const bool missing = from.parts[k] == part && a == b && !function_is[size_t(a)];
        to.column.push_back(part_functions * from.parts[k] + b);
        to.value.push_back(missing ? 1 : from.blocks[k][size_t(a * part_functions + b)]);
      }
    to.first.push_back(static_cast<std::int64_t>(to.column.size()));
  }
}

}  // namespace

LevelOfParts coarse_level(const HostSparseMatrix& matrix, const std::vector<Point3>& positions,
                          const std::vector<int>& first) {
  const int rows = matrix.rows();
  LevelOfParts made;
  made.value.resize(size_t(rows));
  std::vector<int> part_of(static_cast<size_t>(rows));
  const auto end_of = [&](size_t part) { return part + 1 < first.size() ? first[part + 1] : rows; };
  for (size_t p = 0; p < first.size(); ++p) {
    set_functions(positions, first[p], end_of(p), made.value);
    std::fill(part_of.begin() + first[p], part_of.begin() + end_of(p), static_cast<int>(p));
  }
  made.matrix.first.assign(1, 0);
  BlockRow row(matrix, made.value, part_of);
  for (size_t p = 0; p < first.size(); ++p) {
    row.sum(first[p], end_of(p));
    std::array<bool, part_functions> function_is{};
    Point3 center{0, 0, 0};
    for (int i = first[p]; i < end_of(p); ++i) {
      for (size_t a = 0; a < part_functions; ++a) function_is[a] |= made.value[size_t(i)].of[a] != 0;
      for (size_t k = 0; k < 3; ++k) center[k] += positions[size_t(i)][k] / (end_of(p) - first[p]);
    }
    append_rows(row, static_cast<int>(p), function_is, made.matrix);
    made.position.insert(made.position.end(), part_functions, center);
  }
  return made;
}

MERGANSER_END
