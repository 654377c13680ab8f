#pragma once
/// Passage of a point on a straight path through a triangle whose corners move on straight lines meanwhile,
/// decided exactly.
///
/// Seen from the point, the triangle sweeps a prism: the triangle at the beginning, the triangle at the end,
/// and under each edge the bilinear patch that the edge sweeps. The number of times the prism's surface winds
/// around the point is the number of passages, counted with their direction. It is found by counting where a
/// ray from the point pierces that surface; a patch is pierced where one pair of triangles over its corners
/// is, with a correction while the point lies between that pair and the patch (Brochu, Edwards, Bridson,
/// Efficient Geometrically Exact Continuous Collision Detection, 2012).
///
/// Coordinates are integers, so that every sign is exact. Where a sign is zero (a path through a corner or an
/// edge, a point that rests on the triangle), the point counts as shifted by (e, e^2, e^3), e > 0 smaller
/// than any number: the same shift for every triangle and step. Patches are taken from the lower label to the
/// higher, so both triangles of an edge decide alike. So a path through a sheet of triangles is counted once,
/// wherever it goes through, and the ends of successive steps fit together.
#include "device/vector_math.h"

MERGANSER_BEGIN

__extension__ typedef __int128 WideInteger;
using LatticePoint = Vector3<long long>;

/// A corner relative to the point at the beginning and at the end of the step, each component within +-2^40.
struct MovingCorner {
  LatticePoint start, end;
  int label;  ///< of the corner's vertex; differs from those of the other corners
};

struct TrianglePassage {
  int passages = 0;       ///< +1: from the side that the normal (b - a) x (c - a) points to, to the other
  bool touching = false;  ///< the path ends on the triangle, edges and corners included
};

namespace exact {

MERGANSER_FN int sign(WideInteger a) { return a > 0 ? 1 : a < 0 ? -1 : 0; }
MERGANSER_FN WideInteger product(long long a, long long b) { return static_cast<WideInteger>(a) * b; }

/// Component z of (q - p) x (r - p) and its cyclic kin: of the axes u, v.
MERGANSER_FN WideInteger area(long long pu, long long pv, long long qu, long long qv, long long ru,
                              long long rv) {
  return product(qu - pu, rv - pv) - product(qv - pv, ru - pu);
}

/// On which side of the vertical line through the shifted point the segment from p to q passes.
MERGANSER_FN int side(const LatticePoint& p, const LatticePoint& q) {
  const int s = sign(product(p.x, q.y) - product(p.y, q.x));
  if (s != 0) return s;
  return p.y != q.y ? (p.y > q.y ? 1 : -1) : q.x > p.x ? 1 : q.x < p.x ? -1 : 0;
}

/// det(p, q, r), six times the volume over the point.
MERGANSER_FN WideInteger volume(const LatticePoint& p, const LatticePoint& q, const LatticePoint& r) {
  return (product(q.y, r.z) - product(q.z, r.y)) * p.x + (product(q.z, r.x) - product(q.x, r.z)) * p.y +
         (product(q.x, r.y) - product(q.y, r.x)) * p.z;
}

/// Sign of the same over the shifted point; 0 only where p, q, r lie on one line.
MERGANSER_FN int volume_sign(const LatticePoint& p, const LatticePoint& q, const LatticePoint& r) {
  int s = sign(volume(p, q, r));
  if (s == 0) s = -sign(area(p.y, p.z, q.y, q.z, r.y, r.z));
  if (s == 0) s = -sign(area(p.z, p.x, q.z, q.x, r.z, r.x));
  if (s == 0) s = -sign(area(p.x, p.y, q.x, q.y, r.x, r.y));
  return s;
}

/// +-1 where the ray from the shifted point upwards pierces triangle pqr from its back or its front, else 0.
MERGANSER_FN int pierced(const LatticePoint& p, const LatticePoint& q, const LatticePoint& r) {
  const int turn = side(p, q);
  if (turn == 0 || side(q, r) != turn || side(r, p) != turn) return 0;
  return volume_sign(p, q, r) == turn ? turn : 0;
}

/// The same for the bilinear patch that the edge from i to j sweeps.
MERGANSER_FN int pierced_patch(const MovingCorner& i, const MovingCorner& j) {
  const LatticePoint &a = i.start, &b = j.start, &c = j.end, &d = i.end;
  const int pair = pierced(a, b, c) + pierced(a, c, d);
  const int inside = volume_sign(b, c, d);
  if (inside == 0 || -volume_sign(a, c, d) != inside || volume_sign(a, b, d) != inside ||
      -volume_sign(a, b, c) != inside)
    return pair;
  // Inside the tetrahedron of the corners: the patch is where the barycentric weights, here times six
  // volumes, satisfy w_a w_c = w_b w_d. At its distance from rounding either answer is a possible path of the
  // edge.
  const double w_a = static_cast<double>(volume(b, c, d)), w_b = -static_cast<double>(volume(a, c, d)),
               w_c = static_cast<double>(volume(a, b, d)), w_d = -static_cast<double>(volume(a, b, c));
  return w_a * w_c > w_b * w_d ? pair + inside : pair;
}

MERGANSER_FN int pierced_edge(const MovingCorner& from, const MovingCorner& to) {
  return from.label < to.label ? pierced_patch(from, to) : -pierced_patch(to, from);
}

/// The point lies in the triangle, edges and corners included.
MERGANSER_FN bool contains_point(const LatticePoint& p, const LatticePoint& q, const LatticePoint& r) {
  if (volume(p, q, r) != 0) return false;
  const auto inside = [](long long pu, long long pv, long long qu, long long qv, long long ru, long long rv) {
    const int a = sign(product(pu, qv) - product(pv, qu)), b = sign(product(qu, rv) - product(qv, ru)),
              c = sign(product(ru, pv) - product(rv, pu));
    return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
  };
  return inside(p.x, p.y, q.x, q.y, r.x, r.y) && inside(p.y, p.z, q.y, q.z, r.y, r.z) &&
         inside(p.z, p.x, q.z, q.x, r.z, r.x);
}

/// All corners, at both ends, lie beyond one plane through the point: nothing can have been passed.
MERGANSER_FN bool apart(const MovingCorner& a, const MovingCorner& b, const MovingCorner& c) {
  const LatticePoint points[6] = {a.start, b.start, c.start, a.end, b.end, c.end};
  LatticePoint low = points[0], high = points[0];
  for (const LatticePoint& p : points) {
    low = {low.x < p.x ? low.x : p.x, low.y < p.y ? low.y : p.y, low.z < p.z ? low.z : p.z};
    high = {high.x > p.x ? high.x : p.x, high.y > p.y ? high.y : p.y, high.z > p.z ? high.z : p.z};
  }
  if (low.x > 0 || low.y > 0 || low.z > 0 || high.x < 0 || high.y < 0 || high.z < 0) return true;
  // Any normal serves; with rounded numbers the distances must exceed the rounding.
  const Vec3d o = vector_cast<double>(a.start);
  const Vec3d n = cross(vector_cast<double>(b.start) - o, vector_cast<double>(c.start) - o);
  const double reach = static_cast<double>(high.x - low.x + high.y - low.y + high.z - low.z);
  const double rounding = 1e-14 * (std::fabs(n.x) + std::fabs(n.y) + std::fabs(n.z)) * reach;
  bool all_above = true, all_below = true;
  for (const LatticePoint& p : points) {
    const double distance = dot(n, vector_cast<double>(p));
    all_above = all_above && distance > rounding;
    all_below = all_below && distance < -rounding;
  }
  return all_above || all_below;
}

}  // namespace exact

/// The passages of the point at the origin through the moving triangle abc.
MERGANSER_FN TrianglePassage passage(const MovingCorner& a, const MovingCorner& b, const MovingCorner& c) {
  if (exact::apart(a, b, c)) return {};
  return {exact::pierced(a.end, b.end, c.end) - exact::pierced(a.start, b.start, c.start) +
              exact::pierced_edge(a, b) + exact::pierced_edge(b, c) + exact::pierced_edge(c, a),
          exact::contains_point(a.end, b.end, c.end)};
}

MERGANSER_END
