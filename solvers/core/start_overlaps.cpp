#include "solvers/core/start_overlaps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "solvers/core/start_period.h"

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

/// Share of two radii by which particles may lie in each other. Those of one body are one another's
/// neighbors, with jitter nearer than touching.
double allowed_depth(bool one_body) { return one_body ? 0.5 : 1e-3; }

/// Overlaps of particles of one class of radii with those of the same or a coarser one, both sorted into
/// cells as wide as two of the coarser. `own`: also of a body with itself. Returns false where there are too
/// many.
bool compare(const std::vector<CellParticle>& fine, const std::vector<CellParticle>& coarse, bool own,
             Budget& budget, Found& found) {
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
        const bool one_body = a.body == b.body;
        if ((one_body && !own) || (same && column == 4 && j <= i)) continue;
        const double overlap = depth(a, b);
        if (overlap <= allowed_depth(one_body) * (double(a.radius) + b.radius)) continue;  // touching
        BodyOverlap& pair = found[std::minmax(a.body, b.body)];
        ++pair.pairs;
        pair.deepest = std::max(pair.deepest, overlap);
        if (found.size() > most_body_pairs) return false;
      }
    }
  }
  return true;
}

/// Images across the borders of a periodic domain, no further from it than `width`. `half`: of two opposite
/// ways one, so that pairs of particles of one list are met once.
std::vector<CellParticle> images_of(const std::vector<CellParticle>& particles,
                                    const SimulationParameters& domain, double width, bool half) {
  std::vector<CellParticle> images;
  for (int way = half ? 14 : 0; way < 27; ++way) {
    const std::array<int, 3> periods{way / 9 - 1, way / 3 % 3 - 1, way % 3 - 1};
    bool shifts = way != 13;
    for (size_t axis = 0; axis < 3; ++axis)
      shifts = shifts && (periods[axis] == 0 || domain.periodic_length[axis] > 0);
    if (!shifts) continue;
    for (CellParticle p : particles) {
      bool near = true;
      for (size_t axis = 0; axis < 3; ++axis) {
        if (periods[axis] == 0) continue;
        const double low = domain.periodic_origin[axis], length = domain.periodic_length[axis];
        p.position[axis] = float(p.position[axis] + periods[axis] * length);
        near = near && p.position[axis] > low - width && p.position[axis] < low + length + width;
      }
      if (near) images.push_back(p);
    }
  }
  return images;
}

/// Particles by classes of radii that differ by less than a factor of two: small ones look for large ones in
/// wide cells, but for each other in narrow ones.
class OverlapSearch {
 public:
  /// `own`: also of a body with itself.
  OverlapSearch(const InitialState& initial, bool own)
      : domain_(initial), periodic_(is_periodic(initial)), own_(own) {}
  void add(const Float3& position, float radius, int body) {
    classes_[std::ilogb(radius)].push_back(
        {.cell = {}, .position = in_domain(position, domain_), .radius = radius, .body = body});
    ++count_;
  }
  std::vector<BodyOverlap> find() {
    Budget budget(count_);
    Found found;
    bool complete = true;
    for (auto coarse = classes_.begin(); coarse != classes_.end(); ++coarse) {
      float largest = 0;
      for (const CellParticle& p : coarse->second) largest = std::max(largest, p.radius);
      const double width = 2.0 * largest;
      sort_into_cells(coarse->second, width);
      for (auto fine = classes_.begin(); fine != classes_.end() && fine->first <= coarse->first; ++fine) {
        if (fine != coarse) sort_into_cells(fine->second, width);
        complete = complete && compare(fine->second, coarse->second, own_, budget, found);
        if (!periodic_) continue;
        std::vector<CellParticle> images = images_of(coarse->second, domain_, width, fine == coarse);
        sort_into_cells(images, width);
        complete = complete && compare(fine->second, images, true, budget, found);
      }
    }
    std::vector<BodyOverlap> overlaps;
    for (const auto& [bodies, overlap] : found)
      overlaps.push_back({bodies.first, bodies.second, overlap.pairs, overlap.deepest, !complete});
    return overlaps;
  }

 private:
  const SimulationParameters& domain_;
  const bool periodic_, own_;
  std::map<int, std::vector<CellParticle>> classes_;
  size_t count_ = 0;
};

}  // namespace

std::vector<BodyOverlap> find_overlaps(const InitialState& initial) {
  std::set<int> late;
  for (const SystemState& system : initial.systems)
    for (const LateBody& body : system.late) late.insert(body.body);
  OverlapSearch search(initial, is_periodic(initial));
  for (const SystemState& system : initial.systems)
    for (size_t i = 0; i < system.position.size(); ++i)
      if (system.radius[i] > 0 && !late.contains(system.body[i]))
        search.add(system.position[i], system.radius[i], system.body[i]);
  return search.find();
}

std::vector<BodyOverlap> find_doubled(const std::vector<int>& systems, double distance,
                                      const InitialState& initial) {
  OverlapSearch search(initial, true);
  for (const int s : systems) {
    const SystemState& system = initial.systems[size_t(s)];
    for (size_t i = 0; i < system.position.size(); ++i)
      search.add(system.position[i], float(0.5 * distance), system.body[i]);
  }
  return search.find();
}

}  // namespace merganser
