#pragma once
/// A fluid's particles as the surface field reads them: in cell order, a component an array, with the volumes
/// m/rho of [TN] eq. 1.
#include "device/launch.h"
#include "device/uniform_grid.h"
#include "solvers/geometry/surface/surface_kernel.h"
#include "solvers/geometry/surface/surface_parameters.h"
#include "solvers/geometry/topology/neighbor_graph.h"

MERGANSER_BEGIN

/// Index k runs over particles in cell order; grid.order[k] is the particle's index for the caller.
struct FieldParticlesView {
  UniformGridView grid;
  View<const float> x, y, z;     ///< [m]; eight elements longer than there are particles
  View<const float> volume;      ///< m/rho, 0 in the eight elements behind
  View<const float> vx, vy, vz;  ///< [m/s]; as long
  View<const int>
      adjusted_before;  ///< how many of the particles before k are adjusted; one more; may be empty
  View<const float> inverse_links;  ///< 1/(|G_i| + 1), links counted by their weight; may be empty
  NeighborGraphView graph;          ///< in the caller's indices; may be empty
  float h;                          ///< [m]

  MERGANSER_METHOD Vec3 position(int k) const { return {x.data[k], y.data[k], z.data[k]}; }
  MERGANSER_METHOD Vec3 velocity(int k) const { return {vx.data[k], vy.data[k], vz.data[k]}; }
  MERGANSER_METHOD bool adjusted(int k) const {
    return adjusted_before.data[k + 1] != adjusted_before.data[k];
  }
};

/// Sorts particles and computes reconstruction densities, [TN] eq. 2 and 7.
class FieldParticles {
 public:
  /// `graph` in the indices of `position`; without rows for the standard sum.
  void build(View<const Vec3> position, View<const Vec3> velocity, View<const float> mass,
             const NeighborGraphView& graph, const SurfaceParameters& parameters);
  FieldParticlesView view() const;
  int count() const { return count_; }
  /// Caller's index -> cell order; where there is a graph.
  View<const int> rank() const { return rank_.view(); }
  /// Places where the surface is searched: per particle a ball (centre, radius [m]; radius 0 = deep inside).
  View<const Vec3> seed_centre() const { return seed_centre_.view(); }
  View<const float> seed_radius() const { return seed_radius_.view(); }

 private:
  int count_ = 0;
  float h_ = 1;
  UniformGrid grid_;
  NeighborGraphView graph_;
  Array<float> x_, y_, z_, vx_, vy_, vz_, mass_, volume_, inverse_links_, seed_radius_;
  Array<Vec3> seed_centre_;
  Array<int> rank_, near_, adjusted_, adjusted_before_;
  Scratch scratch_;
};

MERGANSER_END
