#include "solvers/coupling/implicit/solution_history.h"

#include "device/launch.h"

MERGANSER_BEGIN

namespace {
constexpr int depth = SolutionHistory::depth;

struct DifferSolutions {
  static constexpr const char* name = "guess differences";
  int size;
  View<const Vec3> solution[depth];
  View<Vec3> direction[depth];
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 a = solution[0][i];
    direction[0][i] = a;
    if (size > 1) direction[1][i] = a - solution[1][i];
    if (size > 2) direction[2][i] = (a - solution[1][i]) - (solution[1][i] - solution[2][i]);
  }
};
/// The differences of what A = h + dt^2 K makes of the solutions, known of steps of other lengths:
/// A u = h u + (dt/dt_then)^2 (A_then u - h u). (Damping, which goes with dt, is taken for a part of K.)
struct DifferProducts {
  static constexpr const char* name = "guess known products";
  int size;
  float change[depth];  ///< (dt/dt_then)^2 - 1
  View<const float> effective_mass;
  View<const Vec3> solution[depth], known[depth];
  View<Vec3> product[depth];
  MERGANSER_METHOD Vec3 now(int k, int i) const {
    const Vec3 then = known[k][i];
    return then + change[k] * (then - effective_mass[i] * solution[k][i]);
  }
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 a = now(0, i);
    product[0][i] = a;
    if (size < 2) return;
    const Vec3 b = now(1, i);
    product[1][i] = a - b;
    if (size > 2) product[2][i] = (a - b) - (b - now(2, i));
  }
};
struct KeepSolution {
  static constexpr const char* name = "guess solution";
  View<const Vec3> found;
  SolvedStep step;
  View<Vec3> solution, product;
  MERGANSER_METHOD void operator()(int i) const {
    solution[i] = found[i];
    // The momentum that a solve leaves is restored by velocities that nothing but inertia resists.
    Vec3 made = step.right_side[i] - step.residual[i] + step.effective_mass[i] * (found[i] - step.change[i]);
    if (!step.walls.empty()) made -= step.walls[i] * step.change[i];
    product[i] = made;
  }
};
struct CombineDirections {
  static constexpr const char* name = "guess combination";
  int size;
  View<const float> c;
  View<const Vec3> direction[depth], product[depth];
  View<const Vec3> b;
  View<Vec3> x, residual;
  MERGANSER_METHOD void operator()(int i) const {
    Vec3 sum{0, 0, 0}, rest = b[i];
    for (int k = 0; k < size; ++k) {
      sum += c[k] * direction[k][i];
      rest -= c[k] * product[k][i];
    }
    x[i] = sum;
    residual[i] = rest;
  }
};
}  // namespace

struct SumHistoryProducts {
  static constexpr const char* name = "guess products";
  using Value = SolutionHistory::Products;
  SolveRows rows;
  int size;
  View<const Vec3> direction[depth], product[depth];
  View<const Vec3> b;
  View<float> coefficient;  ///< written
  MERGANSER_METHOD Value operator()(int i) const {
    Value value = identity();
    if (!rows.counts(i)) return value;
    int at = 0;
    for (int k = 0; k < depth; ++k)
      for (int l = k; l < depth; ++l, ++at)
        if (l < size) value.entry[at] = dot(to_double(direction[k][i]), to_double(product[l][i]));
    for (int k = 0; k < size; ++k) value.entry[at + k] = dot(to_double(direction[k][i]), to_double(b[i]));
    return value;
  }
  MERGANSER_METHOD static Value identity() { return Value{}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    Value sum;
    for (int k = 0; k < depth * (depth + 1) / 2 + depth; ++k) sum.entry[k] = a.entry[k] + b.entry[k];
    return sum;
  }
  /// Solves for the coefficients by Cholesky; a direction that depends on the ones before is left out.
  MERGANSER_METHOD void finish(const Value& products) const {
    double g[depth][depth], c[depth];
    bool used[depth];
    for (int k = 0, at = 0; k < depth; ++k)
      for (int l = k; l < depth; ++l, ++at) g[l][k] = products.entry[at];
    for (int k = 0; k < size; ++k) {
      const double least = 1e-9 * g[k][k];
      double pivot = g[k][k], right = products.entry[depth * (depth + 1) / 2 + k];
      for (int m = 0; m < k; ++m) {
        if (!used[m]) continue;
        double entry = g[k][m];
        for (int n = 0; n < m; ++n)
          if (used[n]) entry -= g[k][n] * g[m][n];
        g[k][m] = entry / g[m][m];
        pivot -= g[k][m] * g[k][m];
        right -= g[k][m] * c[m];
      }
      used[k] = pivot > least && pivot > 0;
      g[k][k] = used[k] ? std::sqrt(pivot) : 1;
      c[k] = used[k] ? right / g[k][k] : 0;
    }
    for (int k = size - 1; k >= 0; --k) {
      if (!used[k]) {
        coefficient[k] = 0;
        continue;
      }
      for (int m = k + 1; m < size; ++m)
        if (used[m]) c[k] -= g[m][k] * c[m];
      c[k] /= g[k][k];
      coefficient[k] = static_cast<float>(c[k]);
    }
  }
};

void SolutionHistory::directions() {
  DifferSolutions differ{.size = size_, .solution = {}, .direction = {}};
  for (int k = 0; k < size_; ++k) {
    direction_[k].resize(solution_[0].size());
    product_[k].resize(solution_[0].size());
    differ.solution[k] = solution_[k].view();
    differ.direction[k] = direction_[k].view();
  }
  launch(solution_[0].size(), differ);
  coefficient_.resize(depth);
}

bool SolutionHistory::knows_products() const {
  for (int k = 0; k < size_; ++k)
    if (!(known_dt_[k] > 0)) return false;
  return size_ > 0;
}

void SolutionHistory::known_products(double dt, View<const float> effective_mass) {
  DifferProducts differ{.size = size_,
                        .change = {},
                        .effective_mass = effective_mass,
                        .solution = {},
                        .known = {},
                        .product = {}};
  for (int k = 0; k < size_; ++k) {
    const double ratio = dt / known_dt_[k];
    differ.change[k] = float(ratio * ratio - 1);
    differ.solution[k] = solution_[k].view();
    differ.known[k] = known_[k].view();
    differ.product[k] = product_[k].view();
  }
  launch(solution_[0].size(), differ);
}

void SolutionHistory::combine(const SolveRows& rows, View<const Vec3> b, View<Vec3> x, View<Vec3> residual) {
  SumHistoryProducts sum{.rows = rows,
                         .size = size_,
                         .direction = {},
                         .product = {},
                         .b = b,
                         .coefficient = coefficient_.view()};
  CombineDirections combination{.size = size_,
                                .c = coefficient_.const_view(),
                                .direction = {},
                                .product = {},
                                .b = b,
                                .x = x,
                                .residual = residual};
  for (int k = 0; k < size_; ++k) {
    sum.direction[k] = combination.direction[k] = direction_[k].view();
    sum.product[k] = combination.product[k] = product_[k].view();
  }
  products_.run(rows.count, sum);
  launch(rows.count, combination);
}

void SolutionHistory::add_to_key(LaunchKey& key) const {
  merganser::MERGANSER_BACKEND::add_to_key(key, size_);
  for (int k = 0; k < size_; ++k) {
    key.push_back(direction_[k].data());
    key.push_back(product_[k].data());
    key.push_back(known_[k].data());
  }
  key.push_back(products_.scratch());
  key.push_back(coefficient_.data());
}

void SolutionHistory::make_room(int rows, bool again) {
  if (size_ > 0 && solution_[0].size() != rows) size_ = 0;
  if (again && size_ > 0) return;
  for (int k = depth - 1; k > 0; --k) {
    solution_[k].swap(solution_[k - 1]);
    known_[k].swap(known_[k - 1]);
    known_dt_[k] = known_dt_[k - 1];
  }
  size_ = size_ < depth ? size_ + 1 : depth;
}

void SolutionHistory::remember(View<const Vec3> solution, bool again) {
  make_room(solution.count, again);
  solution_[0].assign(solution);
  known_dt_[0] = 0;
}

void SolutionHistory::remember(View<const Vec3> solution, bool again, const SolvedStep& step) {
  make_room(solution.count, again);
  solution_[0].resize(solution.count);
  known_[0].resize(solution.count);
  launch(solution.count, KeepSolution{solution, step, solution_[0].view(), known_[0].view()});
  known_dt_[0] = step.dt;
}

namespace {
void put_vectors(StateArchive& archive, const std::string& name, const Array<Vec3>& vectors) {
  const auto host = vectors.to_host();
  archive.put(name, reinterpret_cast<const float*>(host.data()), 3 * host.size());
}
void get_vectors(const StateArchive& archive, const std::string& name, Array<Vec3>& vectors) {
  const auto flat = archive.get<float>(name);
  std::vector<Vec3> values(flat.size() / 3);
  for (size_t i = 0; i < values.size(); ++i) values[i] = {flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]};
  vectors.assign(values);
}
}  // namespace

void SolutionHistory::save(StateArchive& archive, const std::string& prefix) const {
  archive.put(prefix + "/guess_size", std::vector<std::int32_t>{size_});
  archive.put(prefix + "/guess_time_steps", known_dt_, depth);
  for (int k = 0; k < size_; ++k) {
    put_vectors(archive, prefix + "/guess_" + std::to_string(k), solution_[k]);
    if (known_dt_[k] > 0) put_vectors(archive, prefix + "/guess_product_" + std::to_string(k), known_[k]);
  }
}

void SolutionHistory::load(const StateArchive& archive, const std::string& prefix) {
  size_ = archive.get<std::int32_t>(prefix + "/guess_size").at(0);
  if (size_ < 0 || size_ > depth) throw FileError("checkpoint: '" + prefix + "/guess_size' is out of range");
  const auto steps = archive.get<double>(prefix + "/guess_time_steps");
  for (int k = 0; k < depth; ++k) known_dt_[k] = steps.at(size_t(k));
  for (int k = 0; k < size_; ++k) {
    get_vectors(archive, prefix + "/guess_" + std::to_string(k), solution_[k]);
    if (known_dt_[k] > 0) get_vectors(archive, prefix + "/guess_product_" + std::to_string(k), known_[k]);
  }
}

MERGANSER_END
