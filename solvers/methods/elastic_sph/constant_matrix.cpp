#include "solvers/methods/elastic_sph/constant_matrix.h"

#include <algorithm>
#include <cmath>
#include <thread>

MERGANSER_BEGIN

namespace {
/// Neighborhoods' share of the rows. With g_ii = -sum_j g_ij and q_ij = k_ij X_ji, q_ii = -sum_j q_ij, the
/// energies of i are, for one component u of the positions,
///   mu V |D u|^2 + 1/2 sum_j k_ij (u_j - u_i - X_ji.D u)^2,   D u = sum_j g_ij u_j over N_i and i itself,
/// and twice their matrix is  g_ia.B g_ib - q_ia.g_ib - q_ib.g_ia + Laplacian of k,  B = 2 mu V 1 + sum_j
/// k_ij X_ji X_ji^T.
class Neighborhoods {
 public:
  explicit Neighborhoods(const ConstantMatrixInput& in)
      : input_(in), row_of_(size_t(in.shape.count()), -1), member_of_(row_of_.size(), -1) {
    for (size_t r = 0; r < in.particles.size(); ++r) row_of_[size_t(in.particles[r])] = static_cast<int>(r);
    for (int i = 0; i < in.shape.count(); ++i) {
      if (in.shape.body_of[size_t(i)] != in.shape.body_of[size_t(in.particles[0])]) continue;
      member_of_[size_t(i)] = static_cast<int>(own_.size());
      members_.push_back(i);
      own_.push_back({.first = pair_count_});
      pair_count_ += in.shape.first[size_t(i) + 1] - in.shape.first[size_t(i)];
    }
    pairs_.resize(size_t(pair_count_));
  }
  int members() const { return static_cast<int>(own_.size()); }
  const ConstantMatrixInput& input() const { return input_; }
  int row_of(int particle) const { return row_of_[size_t(particle)]; }

  void fill(int member) {
    const RestShape& shape = input_.shape;
    const int i = members_[size_t(member)];
    Own& own = own_[size_t(member)];
    const ElasticBody& body = shape.body(i);
    const double volume = shape.volume[size_t(i)] * body.volume, alpha = input_.control ? body.alpha : 0;
    const double stretching = 2 * body.mu * volume;
    own.b = {stretching, 0, 0, stretching, 0, stretching};
    for (int e = shape.first[size_t(i)]; e < shape.first[size_t(i) + 1]; ++e) {
      const int j = shape.neighbor[size_t(e)];
      const Vec3d x = shape.offset(i, j);
      Pair& pair = pairs_[size_t(own.first + e - shape.first[size_t(i)])];
      pair.g = shape.gradient(i, j);
      pair.k = alpha * body.mu * volume * shape.volume[size_t(j)] * pair_weights(body, norm(x)).value;
      pair.q = pair.k * x;
      own.g -= pair.g, own.q -= pair.q, own.k += pair.k;
      const double c[3] = {x.x, x.y, x.z};
      for (int a = 0, m = 0; a < 3; ++a)
        for (int d = a; d < 3; ++d, ++m) own.b[size_t(m)] += pair.k * c[a] * c[d];
    }
  }
  /// Hands to add(column particle, value) what center i gives to the row of particle p; `place` is the place
  /// of p in the list of i, -1 for p = i.
  template <class Add>
  void give(int i, int place, const Add& add) const {
    const RestShape& shape = input_.shape;
    const Own& own = own_[size_t(member_of_[size_t(i)])];
    const Pair* const pairs = pairs_.data() + own.first;
    const Vec3d gp = place < 0 ? own.g : pairs[place].g, qp = place < 0 ? own.q : pairs[place].q;
    const Symmetric6& m = own.b;
    const Vec3d h = Vec3d{m[0] * gp.x + m[1] * gp.y + m[2] * gp.z, m[1] * gp.x + m[3] * gp.y + m[4] * gp.z,
                          m[2] * gp.x + m[4] * gp.y + m[5] * gp.z} -
                    qp;
    const int first = shape.first[size_t(i)], size = shape.first[size_t(i) + 1] - first;
    for (int e = 0; e < size; ++e) {
      double value = dot(h, pairs[e].g) - dot(pairs[e].q, gp);
      if (e == place) value += pairs[e].k;
      if (place < 0) value -= pairs[e].k;
      add(shape.neighbor[size_t(first + e)], value);
    }
    add(i, dot(h, own.g) - dot(own.q, gp) + (place < 0 ? own.k : -pairs[place].k));
  }

 private:
  struct Pair {
    Vec3d g, q;
    double k;
  };
  struct Own {
    int first;  ///< of its pairs
    Vec3d g{0, 0, 0}, q{0, 0, 0};
    double k = 0;
    Symmetric6 b{};
  };
  const ConstantMatrixInput& input_;
  std::vector<int> row_of_, member_of_;  ///< per particle of the system, -1 = none
  std::vector<int> members_;             ///< particles of the body, fixed ones as well
  std::vector<Own> own_;
  std::vector<Pair> pairs_;
  int pair_count_ = 0;
};

/// A run of consecutive rows.
struct RowRange {
  std::vector<std::int64_t> size;
  std::vector<int> column;
  std::vector<double> value;
};

void assemble_rows(const Neighborhoods& from, int begin, int end, RowRange& rows) {
  const ConstantMatrixInput& input = from.input();
  const RestShape& shape = input.shape;
  std::vector<double> sum(input.particles.size(), 0);
  std::vector<char> touched(sum.size(), 0);
  std::vector<int> columns;
  const double factor = input.dt * input.dt;
  for (int row = begin; row < end; ++row) {
    const int p = input.particles[size_t(row)];
    columns.assign(1, row);
    touched[size_t(row)] = 1;
    auto add = [&](int particle, double value) {
      const int column = from.row_of(particle);
      if (column < 0 || column > row) return;
      if (!touched[size_t(column)]) {
        touched[size_t(column)] = 1;
        columns.push_back(column);
      }
      sum[size_t(column)] += value;
    };
    from.give(p, -1, add);
    for (int e = shape.first[size_t(p)]; e < shape.first[size_t(p) + 1]; ++e) {
      const int i = shape.neighbor[size_t(e)];
      const auto list = shape.neighbor.begin() + shape.first[size_t(i)],
                 last = shape.neighbor.begin() + shape.first[size_t(i) + 1];
      from.give(i, static_cast<int>(std::lower_bound(list, last, p) - list), add);
    }
    std::sort(columns.begin(), columns.end());
    for (int column : columns) {
      const double mass = column == row ? input.mass[size_t(p)] : 0.0;
      rows.column.push_back(column);
      rows.value.push_back(mass + factor * sum[size_t(column)]);
      sum[size_t(column)] = 0;
      touched[size_t(column)] = 0;
    }
    rows.size.push_back(static_cast<std::int64_t>(columns.size()));
  }
}

/// work(begin, end, k) for the k-th of `parts` equal shares of [0, count), each in its own thread.
template <class Work>
void share_out(int count, int parts, const Work& work) {
  std::vector<std::thread> threads;
  for (int k = 0; k < parts; ++k)
    threads.emplace_back([&, k] {
      work(int(std::int64_t(count) * k / parts), int(std::int64_t(count) * (k + 1) / parts), k);
    });
  for (std::thread& thread : threads) thread.join();
}
}  // namespace

HostSparseMatrix constant_matrix(const ConstantMatrixInput& input) {
  const int rows = static_cast<int>(input.particles.size());
  const int parts = std::clamp(int(std::thread::hardware_concurrency()), 1, std::max(1, rows / 512));
  Neighborhoods neighborhoods(input);
  share_out(neighborhoods.members(), parts, [&](int begin, int end, int) {
    for (int member = begin; member < end; ++member) neighborhoods.fill(member);
  });
  std::vector<RowRange> ranges(static_cast<size_t>(parts));
  share_out(rows, parts,
            [&](int begin, int end, int k) { assemble_rows(neighborhoods, begin, end, ranges[size_t(k)]); });
  HostSparseMatrix matrix;
  matrix.first.assign(1, 0);
  size_t entries = 0;
  for (const RowRange& range : ranges) entries += range.column.size();
  matrix.column.reserve(entries), matrix.value.reserve(entries);
  for (RowRange& range : ranges) {
    for (std::int64_t size : range.size) matrix.first.push_back(matrix.first.back() + size);
    matrix.column.insert(matrix.column.end(), range.column.begin(), range.column.end());
    matrix.value.insert(matrix.value.end(), range.value.begin(), range.value.end());
    range = {};
  }
  return matrix;
}

bool nearly_equal(const HostSparseMatrix& a, const HostSparseMatrix& b, double tolerance) {
  if (a.first != b.first || a.column != b.column) return false;
  auto diagonal = [](const HostSparseMatrix& m, int row) {
    return m.value[size_t(m.first[size_t(row) + 1]) - 1];
  };
  for (int row = 0; row < a.rows(); ++row)
    for (std::int64_t e = a.first[size_t(row)]; e < a.first[size_t(row) + 1]; ++e) {
      const double size = std::sqrt(diagonal(a, row) * diagonal(a, a.column[size_t(e)]));
      if (!(std::abs(a.value[size_t(e)] - b.value[size_t(e)]) <= tolerance * size)) return false;
    }
  return true;
}

MERGANSER_END
