#pragma once
/// The tables behind WallFillView (wall_fill.h): made for a kernel and walls, with the walls near each
/// particle.
#include <vector>

#include "solvers/coupling/boundary/for_each_near_wall.h"

MERGANSER_BEGIN

/// Owns the table for a smoothing length; `kernel` is a kernel of double with h = 1, `offset` [m] that of
/// WallFillView.
class WallVolumeMap {
 public:
  WallVolumeMap() = default;
  template <class Kernel>
  WallVolumeMap(const Kernel& kernel, float h, float offset = 0) : inverse_h_(1 / h), offset_(offset) {
    table_.assign(tabulate([&](double q) { return kernel.value(q); }));
  }
  /// With tables for those walls, of all that views will be used with, that are not planes, and samples of
  /// those that are to have them; `spacing` [m] of the particles is for these. Throws InputError where a
  /// kernel reaches beyond a mesh's fine grid or has more room than one layer of samples fills.
  template <class Kernel>
  WallVolumeMap(const Kernel& kernel, float h, const Walls& walls, float offset = 0, float spacing = 0)
      : WallVolumeMap(kernel, h, offset) {
    tabulate_shapes(
        [](double q) {
          static const Kernel unit(1);
          return unit.value(q);
        },
        walls);
    std::vector<SolidShareView> views;
    for (int k = 0; k < walls.count(); ++k) {
      if (!walls.field(k) || walls.is_sampled(k)) continue;
      expect_reach(*walls.field(k), 2 * h);
      solids_.push_back(shared_solid_share(walls.field(k), kernel, h));
      fields_.push_back(walls.field(k));
      views.push_back(solids_.back()->view());
    }
    solid_.assign(views);
    sample_walls({kernel, h}, walls, h, spacing);
  }
  /// Finds the walls near particles at these places [m], for the view()s until this is called again, unless
  /// all walls are planes, which are asked every time. Waits for the device: the list has room for all.
  void find_near(const WallView& walls, View<const Vec3> position);
  WallFillView view() const {
    return {table_.const_view(),
            inverse_h_,
            {blocks_.const_view(), box_part_nodes},
            round_.const_view(),
            first_round_.const_view(),
            solid_.const_view(),
            offset_,
            sampled_views_.const_view(),
            {first_near_.const_view(), near_.const_view()}};
  }

 private:
  /// Simpson's rule from the rim of the support inwards.
  template <class Value>
  static std::vector<WallFillSample> tabulate(const Value& value) {
    constexpr int cells = 256, parts = 16;
    constexpr double pi = 3.14159265358979323846, width = 2.0 / (cells * parts);
    std::vector<WallFillSample> samples(cells + 1);
    double plane = 0, fraction = 0;  // 2 pi int_s^2 W r dr and its integral
    for (int k = cells * parts; k > 0; --k) {
      const double s = k * width, middle = s - width / 2, next = s - width;
      const double upper_half =
          pi * width / 6 *
          (value(s) * s + 4 * value(s - width / 4) * (s - width / 4) + value(middle) * middle);
      const double whole = pi * width / 3 * (value(s) * s + 4 * value(middle) * middle + value(next) * next);
      fraction += width / 6 * (plane + 4 * (plane + upper_half) + (plane + whole));
      plane += whole;
      if ((k - 1) % parts == 0)
        samples[static_cast<size_t>((k - 1) / parts)] = {static_cast<float>(fraction),
                                                         static_cast<float>(-plane)};
    }
    return samples;
  }

  /// Throws InputError where a kernel of this support [m] reaches beyond a mesh's fine grid.
  static void expect_reach(const DistanceField& field, float support);
  void tabulate_shapes(UnitKernel kernel, const Walls& walls);
  void sample_walls(const EitherKernel& kernel, const Walls& walls, float h, float spacing);

  Array<WallFillSample> table_;
  float inverse_h_ = 1, offset_ = 0;
  Array<BlockSample> blocks_;
  Array<RoundSample> round_;
  Array<int> first_round_;
  std::vector<std::shared_ptr<const DistanceField>>
      fields_;                                             ///< the same for all walls while one looks at it
  std::vector<std::shared_ptr<const SolidShare>> solids_;  ///< the same for all fluids of one kernel
  Array<SolidShareView> solid_;
  std::vector<SampledWall> sampled_;
  Array<SampledWallView> sampled_views_;
  Array<int> first_near_;
  Array<unsigned> seen_;
  Array<NearWall> near_;
  Scratch scratch_;
};

MERGANSER_END
