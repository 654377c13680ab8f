#pragma once
/// The kernels of WallImages.
#include "solvers/methods/dfsph/wall_images.h"

MERGANSER_BEGIN

/// The walls whose images of a particle the kernel may reach, of parallel ones that look the same way the
/// nearest: the others lie behind it.
struct ImagePlanes {
  static constexpr int most = 6;
  int held = 0;
  int wall[most];
  WallDistance at[most];

  template <class Shapes>
  MERGANSER_METHOD ImagePlanes(const Shapes& walls, const Vec3& x, float support) {
    for (int k = 0; k < walls.count; ++k) {
      const WallDistance found = walls.data[k].at(x);
      if (!(found.distance < support)) continue;
      int place = 0;
      while (place < held && !(dot(at[place].normal, found.normal) > parallel)) ++place;
      if (place == most || (place < held && !(found.distance < at[place].distance))) continue;
      wall[place] = k;
      at[place] = found;
      held += place == held;
    }
  }
  /// Calls visit(image, x') for every set of planes at right angles.
  template <class Visit>
  MERGANSER_METHOD void for_each_image(int source, const Vec3& x, const Visit& visit) const {
    for (unsigned set = 1; set < 1u << held; ++set) {
      WallImage image = WallImage::nobody();
      image.source = source;
      Vec3 place = x;
      int planes = 0;
      bool stand = true;  // on one another
      for (int k = 0; k < held && stand; ++k) {
        if (!(set >> k & 1u)) continue;
        for (int p = 0; p < planes; ++p)
          stand = stand && fabsf(dot(image.normal[p], at[k].normal)) < parallel;
        if (!stand || planes == WallImage::most_planes) {
          stand = false;
          break;
        }
        image.wall[planes] = wall[k];
        image.normal[planes++] = at[k].normal;
        place -= at[k].normal * (2 * at[k].distance);
      }
      if (stand) visit(image, place);
    }
  }

 private:
  static constexpr float parallel = 0.5f;  ///< cosine: normals are parallel or at right angles
};

template <class Shapes>
struct CountImages {
  static constexpr const char* name = "dfsph count images";
  Shapes walls;
  View<const Vec3> position;  ///< [m]
  ApartView apart;
  float support;    ///< [m]
  View<int> count;  ///< written
  MERGANSER_METHOD void operator()(int i) const {
    int found = 0;
    if (!apart.from_images(i))
      ImagePlanes(walls, position[i], support)
          .for_each_image(i, position[i], [&](const WallImage&, const Vec3&) { ++found; });
    count[i] = found;
  }
};

struct FindImages {
  static constexpr const char* name = "dfsph find images";
  WallView walls;
  View<const Vec3> position;  ///< [m]
  float support;              ///< [m]
  View<const int> first;
  View<WallImage> image;  ///< written
  View<Vec3> place;       ///< [m] written
  MERGANSER_METHOD void operator()(int i) const {
    int at = first[i];
    if (first[i + 1] == at) return;
    ImagePlanes(walls, position[i], support)
        .for_each_image(i, position[i], [&](const WallImage& found, const Vec3& x) {
          image[at] = found;
          place[at++] = x;
        });
  }
};

struct SortImages {
  static constexpr const char* name = "dfsph sort images";
  View<const int> order;
  View<const WallImage> found;
  View<WallImage> image;  ///< written
  MERGANSER_METHOD void operator()(int k) const {
    image[k] = k < order.count ? found[order[k]] : WallImage::nobody();
  }
};

struct PlaceImages {
  static constexpr const char* name = "dfsph place images";
  View<const WallImage> image;
  View<const Vec3> position;  ///< [m] of images
  int particles;
  View<Quad> packed;  ///< of images: written
  MERGANSER_METHOD void operator()(int k) const {
    const Vec3 x = k < position.count ? position[k] : Vec3{0, 0, 0};
    packed[particles + k] = {x.x, x.y, x.z, packed[image[k].source].w};
  }
};

struct FollowSources {
  static constexpr const char* name = "dfsph images follow";
  View<const WallImage> image;
  int particles;
  View<Quad> packed;  ///< w of images: written
  MERGANSER_METHOD void operator()(int k) const { packed[particles + k].w = packed[image[k].source].w; }
};

struct MirrorVectors {
  static constexpr const char* name = "dfsph images mirror";
  View<const WallImage> image;
  int particles;
  View<Quad> packed;  ///< of images: written
  MERGANSER_METHOD void operator()(int k) const {
    const Quad& from = packed[image[k].source];
    const Vec3 a = image[k].mirrored({from.x, from.y, from.z});
    packed[particles + k] = {a.x, a.y, a.z, from.w};
  }
};

/// v' = v - 2 n n.(v - v_wall); of viscous motion at walls without slip v' = 2 v_wall - v.
struct MoveImages {
  static constexpr const char* name = "dfsph images move";
  ImageMotion motion;
  View<const WallImage> image;
  WallView walls;
  View<const Quad> position;  ///< [m]
  int particles;
  View<Quad> packed;  ///< [m/s], of images: written
  MERGANSER_METHOD void operator()(int k) const {
    const Quad& from = packed[image[k].source];
    const Quad& at = position[image[k].source];
    const Vec3 x{at.x, at.y, at.z};
    Vec3 v{from.x, from.y, from.z};
    for (int p = 0; p < WallImage::most_planes && image[k].wall[p] != WallImage::none; ++p) {
      const Wall& wall = walls.data[image[k].wall[p]];
      const Vec3 of_wall = wall.velocity_at(x, wall.at(x));
      const bool sticks = motion == ImageMotion::viscous && wall.no_slip;
      v = sticks ? 2.0f * of_wall - v : of_wall + WallImage::mirrored(v - of_wall, image[k].normal[p]);
    }
    packed[particles + k] = {v.x, v.y, v.z, from.w};
  }
};

MERGANSER_END
