#pragma once
/// Intersection of two triangles (Moeller 1997, A fast triangle-triangle intersection test). Plain host code.
#include <algorithm>
#include <array>
#include <cmath>

#include "device/vector_math.h"
#include "solvers/geometry/signed_distance/mesh_tree.h"

namespace merganser {

enum class TriangleContact {
  none,
  touch,  ///< they share points, but not of both insides
  cross   ///< their insides cross, or cover a part of each other in one plane
};

class TrianglePairTest {
 public:
  using Vec3d = cpu::Vec3d;
  /// `rounding` [m] of coordinates: what is nearer than that is at one place.
  TrianglePairTest(const TreeTriangle& a, const TreeTriangle& b, double rounding) : rounding_(rounding) {
    read(a, a_), read(b, b_);
  }

  TriangleContact contact(bool share_corner) const {
    const std::array<double, 3> of_a = heights(a_, b_), of_b = heights(b_, a_);
    if (apart(of_a) || apart(of_b)) return TriangleContact::none;
    if (in_plane(of_a) || in_plane(of_b)) {
      if (share_corner) return TriangleContact::none;
      return in_plane(of_a) && in_plane(of_b) ? contact_in_plane() : contact_on_line(of_a, of_b);
    }
    return contact_on_line(of_a, of_b);
  }

 private:
  struct Corners {
    std::array<Vec3d, 3> x;
    Vec3d normal;
  };
  struct Interval {
    double low = 1e300, high = -1e300;
    void add(double s) { low = std::min(low, s), high = std::max(high, s); }
  };

  static void read(const TreeTriangle& t, Corners& to) {
    for (size_t k = 0; k < 3; ++k) to.x[k] = {t.corner[k][0], t.corner[k][1], t.corner[k][2]};
    to.normal = normalized_or_zero(cross(to.x[1] - to.x[0], to.x[2] - to.x[0]));
  }
  /// [m] of the corners over the plane of the other one, 0 within rounding.
  std::array<double, 3> heights(const Corners& of, const Corners& over) const {
    std::array<double, 3> h{};
    for (size_t k = 0; k < 3; ++k) {
      h[k] = dot(of.x[k] - over.x[0], over.normal);
      if (std::abs(h[k]) <= rounding_) h[k] = 0;
    }
    return h;
  }
  static bool apart(const std::array<double, 3>& h) {
    return (h[0] > 0 && h[1] > 0 && h[2] > 0) || (h[0] < 0 && h[1] < 0 && h[2] < 0);
  }
  static bool in_plane(const std::array<double, 3>& h) { return h[0] == 0 && h[1] == 0 && h[2] == 0; }
  static bool on_both_sides(const std::array<double, 3>& h) {
    return *std::min_element(h.begin(), h.end()) < 0 && *std::max_element(h.begin(), h.end()) > 0;
  }

  /// The part of the planes' line of intersection that lies in a triangle.
  static Interval on_line(const Corners& of, const std::array<double, 3>& h, const Vec3d& line) {
    Interval made;
    for (size_t k = 0; k < 3; ++k) {
      const size_t next = (k + 1) % 3;
      const double here = dot(of.x[k], line), there = dot(of.x[next], line);
      if (h[k] == 0) made.add(here);
      if ((h[k] < 0 && h[next] > 0) || (h[k] > 0 && h[next] < 0))
        made.add(here + (there - here) * (h[k] / (h[k] - h[next])));
    }
    return made;
  }
  TriangleContact contact_on_line(const std::array<double, 3>& of_a,
                                  const std::array<double, 3>& of_b) const {
    const Vec3d line = normalized_or_zero(cross(a_.normal, b_.normal));
    const Interval a = on_line(a_, of_a, line), b = on_line(b_, of_b, line);
    const double common = std::min(a.high, b.high) - std::max(a.low, b.low);
    if (common < -rounding_) return TriangleContact::none;
    return common > rounding_ && on_both_sides(of_a) && on_both_sides(of_b) ? TriangleContact::cross
                                                                            : TriangleContact::touch;
  }

  /// By the normals of all six edges, which part triangles of one plane that lie apart.
  TriangleContact contact_in_plane() const {
    double least = 1e300;
    for (const Corners* of : {&a_, &b_})
      for (size_t k = 0; k < 3; ++k) {
        const Vec3d across = normalized_or_zero(cross(of->x[(k + 1) % 3] - of->x[k], of->normal));
        Interval a, b;
        for (size_t c = 0; c < 3; ++c) a.add(dot(a_.x[c], across)), b.add(dot(b_.x[c], across));
        least = std::min(least, std::min(a.high, b.high) - std::max(a.low, b.low));
      }
    if (least < -rounding_) return TriangleContact::none;
    return least > rounding_ ? TriangleContact::cross : TriangleContact::touch;
  }

  Corners a_{}, b_{};
  double rounding_;
};

}  // namespace merganser
