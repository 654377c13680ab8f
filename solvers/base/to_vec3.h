#pragma once
/// A point of the user's in the backend's vector type, rounded to float.
#include "device/vector_math.h"
#include "solvers/base/host_types.h"

MERGANSER_BEGIN

inline Vec3 to_vec3(const Point3& p) {
  return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
}

MERGANSER_END
