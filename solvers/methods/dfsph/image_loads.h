#pragma once
/// Loads of walls with images on a fluid.
///
/// The impulse between i and the image of j, and that between j and the image of i, sum up to what the walls
/// between them give: the parts along walls without friction cancel. So of each impulse a wall gets the part
/// along its normal; of what drags, a wall without slip gets all.
#include "device/sum_of.h"
#include "solvers/core/wall_loads.h"
#include "solvers/methods/dfsph/row_pairs.h"
#include "solvers/methods/dfsph/velocity_gradient.h"
#include "solvers/methods/dfsph/wall_images.h"

MERGANSER_BEGIN

/// -V^2 (p_i + p_j) grad W dt, see factors.h.
struct ImagePressure {
  static constexpr const char* load_name = "dfsph image loads";
  static constexpr const char* total_name = "dfsph image total";
  static constexpr bool drags = false;
  View<const WallImage> image;
  View<const float> part;      ///< 0: takes no part in the solve and has no pressure
  View<const float> pressure;  ///< [Pa] of those that do
  float scale;                 ///< [m^6 s] V^2 dt
  MERGANSER_METHOD Vec3 operator()(int i, int k, int, const Vec3& d, float gradient_factor) const {
    return d * (-scale * gradient_factor * (of(i) + of(image[k].source)));
  }

 private:
  MERGANSER_METHOD float of(int i) const { return part[i] > 0 ? pressure[i] : 0.0f; }
};

/// 2 mu V^2 F (v_ij + (G_i + G_j)^T x_ij/2) dt, see ExplicitViscosity.
struct ImageDrag {
  static constexpr const char* load_name = "dfsph image drag loads";
  static constexpr const char* total_name = "dfsph image drag total";
  static constexpr bool drags = true;
  VelocityField flow;
  float scale;  ///< [kg m^2] 2 mu V^2 dt
  MERGANSER_METHOD Vec3 operator()(int i, int, int j, const Vec3& d, float gradient_factor) const {
    return flow.difference(i, j, d) * (scale * gradient_factor);
  }
};

template <class Kernel, class Impulse>
struct ImageImpulses {
  RowPairs<Kernel> pairs;
  View<const WallImage> image;
  View<const int> first_image;  ///< of each row
  View<const float> mobility;   ///< [m^3/kg] V/m; 0 = immobile
  Impulse impulse;              ///< [N s] of the k-th image, at place j, on i

  /// Calls visit(image, impulse).
  template <class Visit>
  MERGANSER_METHOD void for_each(int i, const Visit& visit) const {
    if (!(mobility[i] > 0)) return;
    const int particles = mobility.count, end = pairs.rows.length[i];
    const Vec3 x = pairs.place(i);
    for (int entry = first_image[i]; entry < end; ++entry) {
      const int j = pairs.rows.neighbor(i, entry), k = j - particles;
      Vec3 d = x - pairs.place(j);
      pairs.image.apply(d);
      visit(image[k], impulse(i, k, j, d, pairs.kernel.gradient_factor(norm(d))));
    }
  }
};

template <class Kernel, class Impulse>
struct ImageLoad {
  static constexpr const char* name = Impulse::load_name;
  ImageImpulses<Kernel, Impulse> impulses;
  WallView walls;
  MeasuredWall measured;
  MERGANSER_METHOD WallLoad operator()(int i) const {
    WallLoad load;
    const Vec3 x = impulses.pairs.place(i);
    impulses.for_each(i, [&](const WallImage& image, const Vec3& all) {
      int sticks = WallImage::none;
      for (int p = WallImage::most_planes - 1; p >= 0; --p)
        if (Impulse::drags && image.wall[p] != WallImage::none && walls.data[image.wall[p]].no_slip)
          sticks = p;
      for (int p = 0; p < WallImage::most_planes && image.wall[p] != WallImage::none; ++p) {
        const Wall& wall = walls.data[image.wall[p]];
        if (wall.owner != measured.owner || (sticks != WallImage::none && p != sticks)) continue;
        const Vec3 part = sticks == p ? all : image.normal[p] * dot(all, image.normal[p]);
        const WallDistance at = wall.at(x);
        load += WallLoad::of(to_double(part), to_double(x - at.normal * at.distance), measured.centre,
                             to_double(wall.velocity_at(x, at)));
      }
    });
    return load;
  }
};

template <class Kernel, class Impulse>
struct ImageTotal {
  static constexpr const char* name = Impulse::total_name;
  ImageImpulses<Kernel, Impulse> impulses;
  MERGANSER_METHOD Vec3d operator()(int i) const {
    Vec3d sum{0, 0, 0};
    impulses.for_each(i, [&](const WallImage&, const Vec3& impulse) { sum += to_double(impulse); });
    return sum;
  }
};

MERGANSER_END
