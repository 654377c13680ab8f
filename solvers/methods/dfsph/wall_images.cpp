#include "solvers/methods/dfsph/wall_images.h"

#include "device/launch.h"
#include "solvers/base/to_vec3.h"
#include "solvers/methods/dfsph/image_kernels.h"

MERGANSER_BEGIN

namespace {
/// `held`: how many there have been. What fits and is not half empty stays.
int with_reserve(int count, int held) {
  if (!MERGANSER_GPU_HALF) return count;
  return count <= held && held <= 2 * count ? held : count + count / 8;
}
}  // namespace

WallImages::WallImages(const InitialState& initial, float support) : support_(support) {
  grid_.set_periodic(to_vec3(initial.periodic_origin), to_vec3(initial.periodic_length));
}

void WallImages::find(const WallView& walls, View<const Vec3> position, const ApartView& apart) {
  particles_ = position.count;
  first_.resize(particles_ + 1);
  std::visit(
      [&]<class Shapes>(const Shapes& known) {
        launch(particles_, CountImages<Shapes>{known, position, apart, support_, first_.view()});
      },
      by_shape(walls));
  exclusive_scan(first_.const_view().subview(0, particles_), first_.view(), scratch_);
  const int count = particles_ > 0 ? read_back(first_.const_view(), particles_) : 0;
  images_.resize(with_reserve(count, images_.size()));
  found_.resize(count);
  found_position_.resize(count);
  if (count == 0) return;
  launch(particles_,
         FindImages{walls, position, support_, first_.const_view(), found_.view(), found_position_.view()});
  grid_.build(found_position_.const_view(), support_);
  launch(images_.size(), SortImages{grid_.view().order, found_.const_view(), images_.view()});
}

void WallImages::place(View<Quad> packed) const {
  if (count() > 0) launch(count(), PlaceImages{view(), grid_.view().position, particles_, packed});
}
void WallImages::follow(View<Quad> packed) const {
  if (count() > 0) launch(count(), FollowSources{view(), particles_, packed});
}
void WallImages::mirror(View<Quad> packed) const {
  if (count() > 0) launch(count(), MirrorVectors{view(), particles_, packed});
}
void WallImages::move(ImageMotion motion, const WallView& walls, View<const Quad> position,
                      View<Quad> packed) const {
  if (count() > 0) launch(count(), MoveImages{motion, view(), walls, position, particles_, packed});
}

MERGANSER_END
