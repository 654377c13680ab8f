#include "solvers/core/start_overlaps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace merganser {

namespace {

struct CellParticle {
  std::array<long long, 3> cell;
  Float3 position;
  float radius;
  int body;
  bool operator<(const CellParticle& other) const { return cell < other.cell; }
};

void sort_into_cells(std::vector<CellParticle>& particles, double width) {
  for (CellParticle& p : particles)
    for (size_t axis = 0; axis < 3; ++axis)
      p.cell[axis] = static_cast<long long>(std::clamp(std::floor(p.position[axis] / width), -1e18, 1e18));
  std::sort(particles.begin(), particles.end());
}

double depth(const CellParticle& a, const CellParticle& b) {
  double square = 0;
  for (size_t axis = 0; axis < 3; ++axis) square += std::pow(double(a.position[axis]) - b.position[axis], 2);
  return double(a.radius) + b.radius - std::sqrt(square);
}

/// Comparisons that are allowed: spheres that do not lie on one another need about a hundred for each.
class Budget {
 public:
  explicit Budget(size_t particles) : left_(100'000'000 + 500 * static_cast<long long>(particles)) {}
  bool take() { return --left_ >= 0; }

 private:
  long long left_;
};

constexpr size_t most_body_pairs = 10'000;
using Found = std::map<std::pair<int, int>, BodyOverlap>;

/// Overlaps of particles of one class of radii with those of the same or a coarser one, both sorted into
/// cells as wide as two of the coarser. Returns false where there are too many.
bool compare(const std::vector<CellParticle>& fine, const std::vector<CellParticle>& coarse, Budget& budget,
             Found& found) {
  const bool same = &fine == &coarse;
  // Columns of cells along z are contiguous. Of one class the own column and four of its eight neighbors:
  // every pair is met once.
  for (int column = same ? 4 : 0; column < 9; ++column) {
    const long long dx = column / 3 - 1, dy = column % 3 - 1;
    size_t begin = 0;
    for (size_t i = 0; i < fine.size(); ++i) {
      const CellParticle& a = fine[i];
      const std::array<long long, 3> low{a.cell[0] + dx, a.cell[1] + dy, a.cell[2] - 1};
      const std::array<long long, 3> high{low[0], low[1], low[2] + 2};
      while (begin < coarse.size() && coarse[begin].cell < low) ++begin;
      for (size_t j = begin; j < coarse.size() && coarse[j].cell <= high; ++j) {
        const CellParticle& b = coarse[j];
        if (!budget.take()) return false;
        if (a.body == b.body || (same && column == 4 && j <= i)) continue;
        const double overlap = depth(a, b);
        if (overlap <= 1e-3 * (double(a.radius) + b.radius)) continue;  // touching
        BodyOverlap& pair = found[std::minmax(a.body, b.body)];
        ++pair.pairs;
        pair.deepest = std::max(pair.deepest, overlap);
        if (found.size() > most_body_pairs) return false;
      }
    }
  }
  return true;
}

}  // namespace

std::vector<BodyOverlap> find_overlaps(const InitialState& initial) {
  // Classes of radii that differ by less than a factor of two: small particles look for large ones in wide
  // cells, but for each other in narrow ones.
  std::map<int, std::vector<CellParticle>> classes;
  size_t count = 0;
  std::set<int> late;
  for (const SystemState& system : initial.systems)
    for (const LateBody& body : system.late) late.insert(body.body);
  for (const SystemState& system : initial.systems)
    for (size_t i = 0; i < system.position.size(); ++i, ++count)
      if (system.radius[i] > 0 && !late.contains(system.body[i]))
        classes[std::ilogb(system.radius[i])].push_back(
            {.cell = {}, .position = system.position[i], .radius = system.radius[i], .body = system.body[i]});
  Budget budget(count);
  Found found;
  bool complete = true;
  for (auto coarse = classes.begin(); coarse != classes.end(); ++coarse) {
    float largest = 0;
    for (const CellParticle& p : coarse->second) largest = std::max(largest, p.radius);
    sort_into_cells(coarse->second, 2.0 * largest);
    for (auto fine = classes.begin(); fine != classes.end() && fine->first <= coarse->first; ++fine) {
      if (fine != coarse) sort_into_cells(fine->second, 2.0 * largest);
      complete = complete && compare(fine->second, coarse->second, budget, found);
    }
  }
  std::vector<BodyOverlap> overlaps;
  for (const auto& [bodies, overlap] : found)
    overlaps.push_back({bodies.first, bodies.second, overlap.pairs, overlap.deepest, !complete});
  return overlaps;
}

}  // namespace merganser
