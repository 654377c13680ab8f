#pragma once
/// Passages of points through moving triangles, the slow way: the times at which the point is coplanar with
/// the corners are roots of a cubic, and each root counts where the point is inside the triangle then. In
/// double precision and for paths in general position; it shares nothing with
/// solvers/observables/moving_triangle.h.
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "device/vector_math.h"
#include "solvers/base/host_types.h"

MERGANSER_BEGIN

/// A corner's position relative to the point at time 0 and time 1.
struct CornerPath {
  Vec3d start, end;
  Vec3d at(double time) const { return (1 - time) * start + time * end; }
};

/// All corners stay on one side of the point along an axis.
inline bool aside(const CornerPath& a, const CornerPath& b, const CornerPath& c) {
  int above[3] = {0, 0, 0}, below[3] = {0, 0, 0};
  for (const Vec3d& p : {a.start, b.start, c.start, a.end, b.end, c.end}) {
    const double component[3] = {p.x, p.y, p.z};
    for (int axis = 0; axis < 3; ++axis) {
      above[axis] += component[axis] > 0;
      below[axis] += component[axis] < 0;
    }
  }
  return above[0] == 6 || above[1] == 6 || above[2] == 6 || below[0] == 6 || below[1] == 6 || below[2] == 6;
}

/// Signed passages: +1 from the side that the normal points to.
inline int reference_passages(const CornerPath& a, const CornerPath& b, const CornerPath& c) {
  if (aside(a, b, c)) return 0;
  // Six times the signed volume over the point: the negative of its height over the plane times twice the
  // area.
  const auto volume = [&](double t) { return dot(a.at(t), cross(b.at(t), c.at(t))); };
  // Its cubic through four values, in powers of t.
  const double f0 = volume(0), f1 = volume(1), f2 = volume(-1), f3 = volume(2);
  const double even = 0.5 * (f1 + f2) - f0;                 // c2
  const double odd = 0.5 * (f1 - f2);                       // c1 + c3
  const double third = (f3 - f0 - 4 * even - 2 * odd) / 6;  // c3
  const double first = odd - third;
  std::vector<double> times{0};
  const double square = even * even - 3 * third * first;
  if (square > 0) {
    const double q = -(even + std::copysign(std::sqrt(square), even));
    double turns[2] = {q / (3 * third), first / q};
    if (turns[0] > turns[1]) std::swap(turns[0], turns[1]);
    for (double t : turns)
      if (t > 0 && t < 1) times.push_back(t);
  }
  times.push_back(1);
  int passages = 0;
  for (size_t piece = 0; piece + 1 < times.size(); ++piece) {
    double low = times[piece], high = times[piece + 1];
    const bool rises = volume(high) > 0;
    if ((volume(low) > 0) == rises) continue;
    for (int k = 0; k < 200; ++k) {
      const double middle = 0.5 * (low + high);
      ((volume(middle) > 0) == rises ? high : low) = middle;
    }
    const Vec3d p = a.at(low), q = b.at(low), r = c.at(low);
    const Vec3d normal = cross(q - p, r - p);
    if (dot(normal, cross(p, q)) > 0 && dot(normal, cross(q, r)) > 0 && dot(normal, cross(r, p)) > 0)
      passages += rises ? 1 : -1;
  }
  return passages;
}

/// Passages of every point through every triangle, whatever their direction.
inline long long reference_passages(const std::vector<Triangle>& triangles,
                                    const std::vector<Vec3>& sheet_start, const std::vector<Vec3>& sheet_end,
                                    const std::vector<Vec3>& start, const std::vector<Vec3>& end) {
  long long sum = 0;
  for (size_t i = 0; i < start.size(); ++i)
    for (const Triangle& t : triangles) {
      const auto corner = [&](int c) {
        const size_t v = size_t(t[size_t(c)]);
        return CornerPath{to_double(sheet_start[v]) - to_double(start[i]),
                          to_double(sheet_end[v]) - to_double(end[i])};
      };
      sum += std::abs(reference_passages(corner(0), corner(1), corner(2)));
    }
  return sum;
}

MERGANSER_END
