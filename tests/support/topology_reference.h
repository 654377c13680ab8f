#pragma once
/// [TN] sec. 5 in double precision, word by word and slowly: every pair is looked at, closures by loops over
/// all particles until nothing changes. Particles are named by their ids, 0, 1, ...
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "device/vector_math.h"

MERGANSER_BEGIN

class TopologyReference {
 public:
  using Pair = std::pair<int, int>;  ///< smaller id first

  TopologyReference(std::vector<Vec3> positions, std::vector<double> mass, std::vector<int> body, double h)
      : mass_(std::move(mass)), body_(std::move(body)), h_(h) {
    place(positions);
    for (const Pair& p : within_support())
      if (body_[size_t(p.first)] == body_[size_t(p.second)]) age_[p] = 1;
    update_density();
    merge(1);
  }

  /// Algorithm 1, lines 2-8.
  void update(const std::vector<Vec3>& positions, double growth) {
    place(positions);
    const std::set<Pair> near = within_support();
    std::map<Pair, double> kept;
    for (const auto& [p, age] : age_)
      if (near.count(p)) kept[p] = std::min(1.0, age + growth);
    age_ = kept;
    update_density();
    merge(0);
    split();
    closure(split_pairs_, 0);
    update_density();
  }

  const std::map<Pair, double>& links() const { return age_; }  ///< with their ages
  const std::vector<double>& density() const { return density_; }
  const std::set<Pair>& fused() const { return fused_; }  ///< by the last update
  const std::set<Pair>& split_pairs() const { return split_pairs_; }
  /// How near a decision of the last update was to falling otherwise, relative to h or C.
  double least_margin() const { return margin_; }

  bool linked(int i, int j) const { return age_.count(ordered(i, j)) > 0; }
  double distance(int i, int j) const { return norm(x_[size_t(i)] - x_[size_t(j)]); }
  /// Eq. 5's k for the pair, or -1.
  int mediator(const Pair& p) const {
    for (int k = 0; k < count(); ++k)
      if (k != p.first && k != p.second && linked(p.first, k) && linked(p.second, k) &&
          std::max(distance(p.first, k), distance(p.second, k)) <= alpha * h_)
        return k;
    return -1;
  }
  std::set<Pair> within_support() const {
    std::set<Pair> pairs;
    for (int i = 0; i < count(); ++i)
      for (int j = i + 1; j < count(); ++j)
        if (distance(i, j) < 2 * h_) pairs.insert({i, j});
    return pairs;
  }

 private:
  static constexpr double alpha = 1.25, beta = 1.01;

  int count() const { return static_cast<int>(x_.size()); }
  static Pair ordered(int i, int j) { return i < j ? Pair{i, j} : Pair{j, i}; }
  double kernel(double d) const { return std::pow(std::max(0.0, 1 - d * d / (4 * h_ * h_)), 5); }
  double iso() const { return kernel(h_ / 2); }
  void near_tie(double margin) { margin_ = std::min(margin_, std::abs(margin)); }

  void place(const std::vector<Vec3>& positions) {
    x_.clear();
    for (const Vec3& x : positions) x_.push_back(to_double(x));
    margin_ = 1e300;
    rows_.assign(x_.size(), {});
  }

  void update_density() {  // eq. 7
    rows_.assign(x_.size(), {});
    density_ = mass_;
    for (const auto& [p, age] : age_) {
      rows_[size_t(p.first)].push_back({p.second, age});
      rows_[size_t(p.second)].push_back({p.first, age});
      density_[size_t(p.first)] += age * mass_[size_t(p.second)] * kernel(distance(p.first, p.second));
      density_[size_t(p.second)] += age * mass_[size_t(p.first)] * kernel(distance(p.first, p.second));
    }
  }
  double g(int i, const Vec3d& x) const {  // eq. 8
    const auto f = [&](int j) {
      return mass_[size_t(j)] / density_[size_t(j)] * kernel(norm(x - x_[size_t(j)]));
    };
    double sum = f(i);
    for (const auto& [j, age] : rows_[size_t(i)]) sum += (1 - std::pow(1 - age, 3)) * f(j);
    return sum;
  }

  /// The cubic's last crossing of C in [first, last], found by walking; false where there is none to be used.
  bool crossing(int i, const Vec3d& direction, double first, double last, double& r) {
    std::array<double, 4> t, v;
    for (size_t k = 0; k < 4; ++k) {
      t[k] = first + (last - first) * double(k) / 3;
      v[k] = g(i, x_[size_t(i)] + t[k] * direction);
      near_tie((v[k] - iso()) / iso());
    }
    const auto cubic = [&](double s) {  // Lagrange
      double sum = 0;
      for (size_t k = 0; k < 4; ++k) {
        double basis = 1;
        for (size_t l = 0; l < 4; ++l)
          if (l != k) basis *= (s - t[l]) / (t[k] - t[l]);
        sum += v[k] * basis;
      }
      return sum;
    };
    for (int k = 2; k >= 0; --k) {
      if (v[size_t(k)] < iso()) continue;
      double inside = t[size_t(k)], outside = t[size_t(k) + 1];
      while (outside - inside > 1e-14 * h_) {
        const double middle = (inside + outside) / 2;
        (cubic(middle) < iso() ? outside : inside) = middle;
      }
      r = inside;
      return true;
    }
    return false;
  }
  /// r_ij of sec. 5.1; false where the pair cannot fuse.
  bool reach(int i, int j, double& r) {
    const Vec3d d = x_[size_t(j)] - x_[size_t(i)], direction = d * (1 / norm(d));
    const auto at = [&](double t) { return g(i, x_[size_t(i)] + t * direction); };
    if (at(h_ / 4) < iso()) return crossing(i, direction, -h_ / 4, h_ / 4, r);
    if (at(3 * h_ / 4) >= iso()) return false;
    return crossing(i, direction, h_ / 4, 3 * h_ / 4, r);
  }

  void merge(double new_age) {
    fused_.clear();
    std::set<Pair> missing;
    for (const Pair& p : within_support()) {
      if (age_.count(p)) continue;
      missing.insert(p);
      double of_first = 0, of_second = 0;
      if (!reach(p.first, p.second, of_first) || !reach(p.second, p.first, of_second)) continue;
      const double gap = beta * (of_first + of_second) - distance(p.first, p.second);
      near_tie(gap / h_);
      if (gap > 0) fused_.insert(p);
    }
    for (const Pair& p : fused_) age_[p] = new_age;
    closure(missing, new_age);
    update_density();
  }

  void closure(const std::set<Pair>& candidates, double new_age) {  // eq. 5, in place
    for (bool changed = true; changed;) {
      changed = false;
      for (const Pair& p : candidates)
        if (!age_.count(p) && mediator(p) >= 0) {
          age_[p] = new_age;
          changed = true;
        }
    }
  }

  double least_on_segment(const Pair& p) const {
    const Vec3d a = x_[size_t(p.first)], d = x_[size_t(p.second)] - a;
    // Normal equations of the quadratic c0 + c1 t + c2 t^2 through t = 0, 1/3, 2/3, 1.
    double moment[5] = {}, right[3] = {};
    for (int k = 0; k < 4; ++k) {
      const double t = k / 3.0, v = std::max(g(p.first, a + t * d), g(p.second, a + t * d));
      for (int power = 0; power < 5; ++power) moment[power] += std::pow(t, power);
      for (int power = 0; power < 3; ++power) right[power] += v * std::pow(t, power);
    }
    double m[3][4];
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column) m[row][column] = moment[row + column];
      m[row][3] = right[row];
    }
    for (int pivot = 0; pivot < 3; ++pivot)
      for (int row = 0; row < 3; ++row) {
        if (row == pivot) continue;
        const double factor = m[row][pivot] / m[pivot][pivot];
        for (int column = 0; column < 4; ++column) m[row][column] -= factor * m[pivot][column];
      }
    double c[3], least = 1e300;
    for (int row = 0; row < 3; ++row) c[row] = m[row][3] / m[row][row];
    for (int k = 0; k <= 20000; ++k) {
      const double t = k / 20000.0;
      least = std::min(least, c[0] + t * (c[1] + t * c[2]));
    }
    return least;
  }

  void split() {
    split_pairs_.clear();
    for (const auto& [p, age] : age_) {
      near_tie(distance(p.first, p.second) / h_ - alpha);
      if (distance(p.first, p.second) <= alpha * h_ || mediator(p) >= 0) continue;
      const double least = least_on_segment(p);
      near_tie((least - iso()) / iso());
      if (least < iso()) split_pairs_.insert(p);
    }
    for (const Pair& p : split_pairs_) age_.erase(p);
  }

  std::vector<Vec3d> x_;
  std::vector<double> mass_, density_;
  std::vector<int> body_;
  double h_, margin_ = 1e300;
  std::map<Pair, double> age_;
  std::vector<std::vector<std::pair<int, double>>> rows_;
  std::set<Pair> fused_, split_pairs_;
};

MERGANSER_END
