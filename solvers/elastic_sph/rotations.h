#pragma once
/// Rotations of the particles from their deformation gradients ([ES] alg. 1, lines 4 and 8).
#include "device/polar_decomposition.h"
#include "solvers/elastic_sph/lane_fields.h"

MERGANSER_BEGIN

struct ExtractRotations {
  static constexpr const char* name = "elastic rotations";
  LaneView<const float> gradient;  ///< F
  View<const Quaternion> start;    ///< where the search starts
  View<Quaternion> found;          ///< written; may be start
  LaneView<float> rotation;        ///< R, written
  MERGANSER_METHOD void operator()(int i) const {
    const Quaternion q = polar_rotation(gradient.load_matrix<float>(0, i), start[i]);
    found[i] = q;
    rotation.store_matrix(0, i, rotation_matrix(q));
  }
};

MERGANSER_END
