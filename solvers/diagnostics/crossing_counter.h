#pragma once
/// Counts fluid particles that pass through a sheet, independently of the collision code.
///
/// Every fluid particle within `band` of the sheet's interior has a side: the sign of its offset from the
/// nearest point of the nearest triangles along the interpolated vertex normal. A particle that is seen on
/// one side and later on the other without having left the band in between has crossed. Near the sheet's
/// border, where a particle may go round, and beyond the band the side is forgotten. Sides are kept by
/// particle id from the first frame on.
#include <string>
#include <vector>

#include "device/particle_store.h"
#include "device/uniform_grid.h"
#include "solvers/plain_types.h"
#include "solvers/state_archive.h"

MERGANSER_BEGIN

class CrossingCounter {
 public:
  /// `triangles` of the sheet in local indices of system `sheet_system`; `vertex_spacing` [m] is the longest
  /// rest edge.
  CrossingCounter(int fluid_system, int sheet_system, const std::vector<Triangle>& triangles,
                  float vertex_spacing);
  /// Follows the particles one step further.
  void update(const ParticleStore& particles);
  /// Crossings so far (blocking read).
  long long crossings() const;
  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);

 private:
  int fluid_system_, sheet_system_;
  float band_;
  Array<int> vertex_;          ///< local indices of the sheet's vertices
  Array<int> triangle_first_;  ///< CSR: triangles around vertex k of vertex_
  Array<int> triangle_of_vertex_;
  Array<int> corner_;              ///< 3 per triangle, indices into vertex_
  Array<int> border_;              ///< 1 where vertex k lies within two edges of the sheet's border
  Array<Vec3> position_, normal_;  ///< of the vertices
  Array<signed char> side_;        ///< per particle id
  Array<int> count_;
  UniformGrid grid_;
};

MERGANSER_END
