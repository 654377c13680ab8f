#pragma once
/// The solid that particles fill, as kernels ask for it. Lengths are those of a frame that begins at the
/// lowest corner of the mesh, for far from the origin floats would be coarse, and has a unit of length of its
/// own, for powers of small lengths are out of their range. Here and where kernels work in it, [m] is that
/// unit.
#include "solvers/coupling/boundary/wall_volume_map.h"
#include "solvers/geometry/signed_distance/nearest_triangle.h"

MERGANSER_BEGIN

/// Depths of a solid: the grid of its wall tells them everywhere within a cell, the tree exactly.
struct FilledSolidView {
  MeshTreeView tree;
  WallView walls;     ///< one: the mesh, with particles inside
  WallFillView fill;  ///< what the outside takes of a kernel
  float radius;       ///< [m] of a particle
  float grid_error;   ///< [m] at most

  /// [m] negative outside, and the way inwards.
  MERGANSER_METHOD WallDistance depth(const Vec3& x) const { return walls.data[0].at(x); }

  /// [m] how thick the solid is at a place of its surface, against the normal there; at most two spacings.
  MERGANSER_METHOD double thickness(const Vec3d& on_surface, const Vec3d& normal) const {
    const double most = 4 * radius, hit = 0.01 * radius;
    if (depth(to_float(on_surface - normal * (0.5 * most))).distance > 0.5f * most - grid_error) return most;
    double way = 0.5 * radius;
    for (int k = 0; k < 16 && way < most; ++k) {
      const double free = -tree.at(on_surface - normal * way).distance;
      if (free < hit) break;
      way += free;
    }
    return way < most ? way : most;
  }
  /// A place about as deep as there are beside x: half the way through the solid, once for each axis.
  MERGANSER_METHOD Vec3 middle(const Vec3& x) const {
    Vec3 here = x;
    for (int axis = 0; axis < 3; ++axis) {
      const SurfacePlace place = tree.at(to_double(here));
      const Vec3d on_surface = to_double(here) - place.normal * place.distance;
      const Vec3 there = to_float(on_surface - place.normal * (0.5 * thickness(on_surface, place.normal)));
      if (depth(there).distance > depth(here).distance) here = there;
    }
    return here;
  }
  /// [m] Where the solid is less than two spacings thick, two rows of particles have room that are one
  /// spacing apart; with both a radius deep they would become one line. Below 1.25 spacings there is one row.
  MERGANSER_METHOD double least_depth(double thickness) const {
    const bool two_rows = thickness > 2.5 * radius && thickness < 4 * radius;
    return two_rows ? 0.5 * thickness - radius : double(radius);
  }

  /// x, or where it is less than a radius deep, the place that touches the surface from inside: x is moved
  /// against the normal of the nearest point ([ES] sec. 7). Beside edges and in corners one move uncovers the
  /// next. In limbs of up to two spacings least_depth() stands for the radius. Where the solid is thinner
  /// than a particle the moves end at its middle.
  MERGANSER_METHOD Vec3 touching(const Vec3& x) const {
    if (depth(x).distance > radius + grid_error) return x;
    constexpr int most_moves = 12, most_halvings = 4;
    constexpr double rounding = 1e-6;
    Vec3d here = to_double(x);
    SurfacePlace place = tree.at(here);
    if (!(place.distance > -(1 - rounding) * radius)) return x;
    const double least = least_depth(thickness(here - place.normal * place.distance, place.normal));
    for (int move = 0; move < most_moves && place.distance > -(1 - rounding) * least; ++move) {
      double way = place.distance + least;
      Vec3d there = here - place.normal * way;
      SurfacePlace next = tree.at(there);
      for (int k = 0; k < most_halvings && next.distance >= place.distance; ++k) {
        way *= 0.5;
        there = here - place.normal * way;
        next = tree.at(there);
      }
      if (!(next.distance < place.distance)) break;
      here = there;
      place = next;
    }
    return to_float(here);
  }
};

/// Owns the solid. Blocking.
class FilledSolid {
 public:
  /// Mesh, spacing and the unit of the frame, a power of two, in metres. The mesh does not overlap itself
  /// (solid_surface()): what of it lies inside would count as surface.
  /// Throws InputError where it is not closed, or its grid would be too large.
  FilledSolid(const TriangleMesh& mesh, double spacing, double unit = 1);
  FilledSolidView view() const {
    return {{nodes_.const_view(), triangles_.const_view()},
            walls_.view(),
            map_.view(),
            0.5f * spacing_,
            grid_error_};
  }
  /// A place of the frame where the mesh is.
  Float3 in_metres(const Vec3& x) const {
    const float unit = float(unit_);
    return {low_[0] + x.x * unit, low_[1] + x.y * unit, low_[2] + x.z * unit};
  }
  double unit() const { return unit_; }    ///< metres
  Vec3 extent() const { return extent_; }  ///< [m] of the box around the mesh
  double volume() const { return volume_; }
  float spacing() const { return spacing_; }

 private:
  Float3 low_{0, 0, 0};  ///< of the frame, metres
  double unit_ = 1;
  Vec3 extent_{0, 0, 0};
  double volume_ = 0;
  float spacing_, grid_error_ = 0;
  Array<TreeNode> nodes_;
  Array<TreeTriangle> triangles_;
  Walls walls_;
  WallVolumeMap map_;
};

MERGANSER_END
