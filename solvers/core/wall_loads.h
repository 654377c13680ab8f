#pragma once
/// Sums of what particles give to the walls that have a name.
#include <vector>

#include "device/sum_of.h"
#include "solvers/core/wall_load.h"
#include "solvers/geometry/walls/rigid_pose.h"
#include "solvers/geometry/walls/wall.h"

MERGANSER_BEGIN

/// One of those walls, as formulas of loads see it.
struct MeasuredWall {
  int owner;     ///< Wall::owner
  Vec3d centre;  ///< [m] of its motion, now
  bool finite;   ///< with all of its edges: no plane and no endless cylinder
};

class WallLoads {
 public:
  WallLoads() = default;
  explicit WallLoads(const std::vector<WallParameters>& walls) {
    for (size_t k = 0; k < walls.size(); ++k)
      if (!walls[k].name.empty())
        walls_.push_back({static_cast<int>(k), walls[k].motion, is_finite(walls[k])});
    sums_.resize(walls_.size());
  }
  bool empty() const { return walls_.empty(); }
  /// Launches the sum of a formula over [0, count) for each wall: make(MeasuredWall) returns it; it has a
  /// name and turns an index into a WallLoad. `time` [s]: of the walls' places.
  template <class Make>
  void sum(int count, double time, const Make& make) {
    for (size_t k = 0; k < walls_.size(); ++k) {
      const RigidPose pose = walls_[k].motion.at(time);
      const Point3 centre = pose(pose.centre);
      sums_[k].run(
          count,
          sum_of(make(MeasuredWall{walls_[k].owner, {centre[0], centre[1], centre[2]}, walls_[k].finite})));
    }
  }
  /// Of the k-th wall with a name, as of the last fetch_results(); none where nothing was summed.
  WallLoad fetched(int k) const { return size_t(k) < sums_.size() ? sums_[size_t(k)].fetched() : WallLoad{}; }

 private:
  struct Named {
    int owner;
    WallMotion motion;
    bool finite;
  };
  static bool is_finite(const WallParameters& wall) {
    return wall.shape != WallShape::plane && !(wall.shape == WallShape::cylinder && !(wall.length > 0));
  }
  std::vector<Named> walls_;
  std::vector<Reduction<WallLoad>> sums_;
};

MERGANSER_END
