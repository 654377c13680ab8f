#pragma once
/// Images of particles behind plane walls, which take part in all pair sums of a fluid as neighbors.
///
/// A plane with unit normal n shows a particle at distance d its image at x' = x - 2 d n, with the particle's
/// pressure and its velocity mirrored, v' = v - 2 n n.(v - v_wall). Where planes meet at right angles the
/// images have images. For the pair of i and the image of j |x_i - x_j'|^2 = |x_i - x_j|^2 + 4 d_i d_j: it is
/// as far as that of j and the image of i, so densities, rates and forces remain adjoint and the force is the
/// gradient of the density, along walls too; the parts of both forces along the wall cancel.
#include "device/lanes.h"
#include "device/scan.h"
#include "device/uniform_grid.h"
#include "solvers/core/initial_state.h"
#include "solvers/geometry/walls/wall.h"
#include "solvers/methods/dfsph/apart.h"
#include "solvers/methods/dfsph/neighbor_rows.h"

MERGANSER_BEGIN

/// An image through one, two or three planes that stand on one another at right angles.
struct WallImage {
  static constexpr int most_planes = 3, none = -1;
  int source;                ///< whose image
  int wall[most_planes];     ///< indices of the walls; none behind the last
  Vec3 normal[most_planes];  ///< of these; 0 behind the last

  MERGANSER_METHOD static WallImage nobody() {
    return {0, {none, none, none}, {Vec3{0, 0, 0}, Vec3{0, 0, 0}, Vec3{0, 0, 0}}};
  }
  MERGANSER_METHOD static Vec3 mirrored(const Vec3& a, const Vec3& normal) {
    return a - normal * (2 * dot(a, normal));
  }
  MERGANSER_METHOD Vec3 mirrored(const Vec3& a) const {
    return mirrored(mirrored(mirrored(a, normal[0]), normal[1]), normal[2]);
  }
};

/// What velocities of images continue: the motion of the fluid for its compression, or for its viscosity,
/// where walls without slip turn the whole velocity.
enum class ImageMotion { mirrored, viscous };

/// The images of all particles whose kernels reach a wall. Their packed values stand behind those of the
/// particles: that of the k-th image at particles + k.
class WallImages {
 public:
  /// `support` [m] of the kernel.
  WallImages(const InitialState& initial, float support);
  /// For walls and particles where they are now. Waits for the device: how many there are.
  void find(const WallView& walls, View<const Vec3> position, const ApartView& apart = {});
  /// On the GPU with an eighth in reserve, so that launch graphs hold from step to step: images of particle 0
  /// by no wall, which are nobody's neighbors.
  int count() const { return images_.size(); }
  View<const WallImage> view() const { return images_.const_view(); }
  /// For NeighborRows::build. An image is no nearer than the wall that it stands behind, so particles that
  /// have none see none.
  FurtherNeighbors neighbors() const { return {grid_.view(), count(), seen()}; }
  ImagesSeen seen() const { return {first_.const_view()}; }
  /// Packs places, and w of the sources.
  void place(View<Quad> packed) const;
  /// w of the sources.
  void follow(View<Quad> packed) const;
  /// x, y, z of the sources mirrored.
  void mirror(View<Quad> packed) const;
  /// Velocities [m/s] of the sources, as walls continue them; `position`: as place() packed it.
  void move(ImageMotion motion, const WallView& walls, View<const Quad> position, View<Quad> packed) const;

 private:
  float support_;
  int particles_ = 0;
  UniformGrid grid_;
  Array<int> first_;
  Array<Vec3> found_position_;
  Array<WallImage> found_, images_;
  Scratch scratch_;
};

MERGANSER_END
