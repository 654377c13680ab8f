#pragma once
/// Data by which a body's surface follows its particles: plain data, kept in the folder of a run.
#include <limits>

#include "solvers/geometry/sampling/mesh.h"

namespace merganser {

enum class SkinMotion : int {
  deforming,  ///< soft solids
  breaking,   ///< brittle solids: each piece of the surface follows one fragment
  rigid,
  sheet,  ///< cloth: the particles are the vertices
};

/// Binding of a body's surface to its particles.
struct SkinBinding {
  SkinMotion motion = SkinMotion::deforming;
  /// Relative elongation beyond which no two of its particles hold together any more.
  float most_stretch = std::numeric_limits<float>::infinity();
  float thickness = 0;  ///< [m] that a sheet is drawn with; 0: a single layer. skins.h5 does not hold it
};

/// A body as it was made.
struct SkinBody {
  int body = 0, system = 0;  ///< indices, as in frames
  SkinBinding binding;
  int first_id = 0;          ///< of its particles; the others follow
  std::vector<Float3> rest;  ///< [m] rest positions of its particles
  TriangleMesh surface;      ///< at its place at rest
};

struct SkinRecord {
  double spacing = 0;            ///< [m] rest distance of particles
  std::vector<SkinBody> bodies;  ///< those that have a skin
};

/// A body's particles in a frame, in the order of SkinBody::rest.
struct SkinParticles {
  std::vector<Float3> position, velocity;  ///< [m], [m/s]
  std::vector<int> fragment;               ///< numbers, not negative; empty: all are one
};

}  // namespace merganser
