/// Nested dissection by planes (George 1973), with the smallest separator that a plane's neighborhood holds.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "solvers/linear/cholesky/cholesky_ordering.h"

MERGANSER_BEGIN

namespace {

constexpr int leaf_rows = 40;  ///< a set this small is not cut further

double product(const Point3& a, const Point3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Smallest set of rows that touches every edge between two sets: as many as a maximum matching has edges
/// (Koenig), which alternating paths find (Hopcroft & Karp 1973).
class SmallestSeparator {
 public:
  /// `part`: which set a row belongs to, by row.
  SmallestSeparator(const MatrixGraph& graph, const std::vector<int>& part)
      : graph_(graph), part_(part), mate_(part.size()), depth_(part.size()) {}

  /// Rows of `low` have neighbors in part `high_part`, and these are `high`. Sets `chosen` of them all;
  /// returns the separator's size.
  int find(const std::vector<int>& low, const std::vector<int>& high, int high_part,
           std::vector<char>& chosen) {
    high_part_ = high_part;
    for (int row : low) mate_[row] = -1;
    for (int row : high) mate_[row] = -1;
    for (int row : low)
      for_crossing(row, [&](int k) {
        if (mate_[k] >= 0) return true;
        mate_[k] = row, mate_[row] = k;
        return false;
      });
    while (layer(low))
      for (int row : low)
        if (mate_[row] < 0) augment(row);
    // After the last layering, low rows with a depth are those that alternating paths reach from unmatched
    // ones.
    int size = 0;
    for (int row : low) size += chosen[row] = depth_[row] == unreached;
    for (int row : high) size += chosen[row] = mate_[row] >= 0 && depth_[mate_[row]] != unreached;
    return size;
  }

 private:
  static constexpr int unreached = -1, visited = -2;
  template <class Visit>
  void for_crossing(int row, const Visit& visit) const {
    for (int e = graph_.first[row]; e < graph_.first[row + 1]; ++e)
      if (part_[graph_.neighbor[e]] == high_part_ && !visit(graph_.neighbor[e])) return;
  }
  /// Distances from unmatched low rows; true where a path ends at an unmatched high row.
  bool layer(const std::vector<int>& low) {
    queue_.clear();
    for (int row : low) {
      depth_[row] = mate_[row] < 0 ? 0 : unreached;
      if (mate_[row] < 0) queue_.push_back(row);
    }
    bool open = false;
    for (size_t i = 0; i < queue_.size(); ++i) {
      const int row = queue_[i];
      for_crossing(row, [&](int k) {
        if (mate_[k] < 0)
          open = true;
        else if (depth_[mate_[k]] == unreached)
          depth_[mate_[k]] = depth_[row] + 1, queue_.push_back(mate_[k]);
        return true;
      });
    }
    return open;
  }
  bool augment(int row) {
    const int depth = depth_[row];
    depth_[row] = visited;
    bool found = false;
    for_crossing(row, [&](int k) {
      if (mate_[k] >= 0 && (depth_[mate_[k]] != depth + 1 || !augment(mate_[k]))) return true;
      mate_[k] = row, mate_[row] = k;
      found = true;
      return false;
    });
    return found;
  }
  const MatrixGraph& graph_;
  const std::vector<int>& part_;
  std::vector<int> mate_, depth_, queue_;
  int high_part_ = 0;
};

class Dissection {
 public:
  Dissection(const MatrixGraph& graph, const std::vector<Point3>& positions)
      : graph_(graph),
        positions_(positions),
        part_(positions.size(), 0),
        chosen_(positions.size(), false),
        smallest_(graph, part_) {}

  std::vector<int> run() {
    std::vector<int> rows(positions_.size());
    std::iota(rows.begin(), rows.end(), 0);
    order_.reserve(rows.size());
    dissect(rows.begin(), rows.end());
    return std::move(order_);
  }

 private:
  using Rows = std::vector<int>::iterator;

  void dissect(Rows begin, Rows end) {
    if (end - begin <= leaf_rows) {
      order_.insert(order_.end(), begin, end);
      return;
    }
    const Point3 side = longest_side(begin, end), axis = principal_axis(begin, end, side);
    int separated = cut(begin, end, side);
    if (std::abs(product(axis, side)) < 0.95) {  // a body that lies askew
      const int askew = cut(begin, end, axis);
      if (separated <= askew) separated = cut(begin, end, side);
    }
    const Rows middle = begin + (end - begin) / 2;
    const auto stays = [this](int row) { return !chosen_[row]; };
    const Rows low_end = std::stable_partition(begin, middle, stays);
    const Rows high_end = std::stable_partition(middle, end, stays);
    std::vector<int> separator(low_end, middle);
    separator.insert(separator.end(), high_end, end);
    for (int row : separator) chosen_[row] = false, part_[row] = 0;
    dissect(begin, low_end);
    dissect(middle, high_end);
    order_.insert(order_.end(), separator.begin(), separator.end());
  }

  /// Halves the rows by a plane and chooses the separator; returns its size.
  int cut(Rows begin, Rows end, const Point3& direction) {
    const Rows middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, [&](int a, int b) {
      const double x = product(positions_[a], direction), y = product(positions_[b], direction);
      return x != y ? x < y : a < b;
    });
    const int low = ++parts_, high = ++parts_;
    for (Rows i = begin; i != end; ++i) part_[*i] = i < middle ? low : high;
    const auto border = [this](Rows from, Rows to, int other) {
      std::vector<int> rows;
      std::copy_if(from, to, std::back_inserter(rows), [&](int row) {
        const int* neighbor = graph_.neighbor.data();
        return std::any_of(neighbor + graph_.first[row], neighbor + graph_.first[row + 1],
                           [&](int k) { return part_[k] == other; });
      });
      return rows;
    };
    for (Rows i = begin; i != end; ++i) chosen_[*i] = false;
    return smallest_.find(border(begin, middle, high), border(middle, end, low), high, chosen_);
  }

  Point3 longest_side(Rows begin, Rows end) const {
    Point3 low = positions_[*begin], high = low;
    for (Rows i = begin; i != end; ++i)
      for (size_t k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], positions_[*i][k]);
        high[k] = std::max(high[k], positions_[*i][k]);
      }
    size_t longest = 0;
    for (size_t k = 1; k < 3; ++k)
      if (high[k] - low[k] > high[longest] - low[longest]) longest = k;
    Point3 direction{0, 0, 0};
    direction[longest] = 1;
    return direction;
  }

  /// Unit vector along which the rows spread most, by power iterations from `start`; `start` itself where the
  /// spread along it is hardly less.
  Point3 principal_axis(Rows begin, Rows end, const Point3& start) const {
    Point3 mean{0, 0, 0};
    double covariance[3][3] = {};
    for (Rows i = begin; i != end; ++i)
      for (size_t k = 0; k < 3; ++k) mean[k] += positions_[*i][k] / static_cast<double>(end - begin);
    for (Rows i = begin; i != end; ++i)
      for (size_t k = 0; k < 3; ++k)
        for (size_t l = 0; l < 3; ++l)
          covariance[k][l] += (positions_[*i][k] - mean[k]) * (positions_[*i][l] - mean[l]);
    const auto times = [&](const Point3& x) {
      Point3 y{0, 0, 0};
      for (size_t k = 0; k < 3; ++k)
        for (size_t l = 0; l < 3; ++l) y[k] += covariance[k][l] * x[l];
      return y;
    };
    Point3 axis = start;
    for (int iteration = 0; iteration < 20; ++iteration) {
      const Point3 next = times(axis);
      const double length = std::sqrt(product(next, next));
      if (!(length > 0)) return start;
      for (size_t k = 0; k < 3; ++k) axis[k] = next[k] / length;
    }
    return product(axis, times(axis)) > 1.3 * product(start, times(start)) ? axis : start;
  }

  const MatrixGraph& graph_;
  const std::vector<Point3>& positions_;
  std::vector<int> part_;     ///< the set of the recursion that a row belongs to
  std::vector<char> chosen_;  ///< for the separator
  SmallestSeparator smallest_;
  int parts_ = 0;
  std::vector<int> order_;
};

}  // namespace

std::vector<int> geometric_order(const MatrixGraph& graph, const std::vector<Point3>& positions) {
  return Dissection(graph, positions).run();
}

MERGANSER_END
