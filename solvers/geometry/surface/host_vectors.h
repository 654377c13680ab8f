#pragma once
/// Points of plain host data as the device has them, and back.
#include <algorithm>
#include <vector>

#include "device/array.h"
#include "device/vector_math.h"
#include "solvers/base/host_types.h"

MERGANSER_BEGIN

inline std::vector<Vec3> device_vectors(const std::vector<Float3>& values) {
  std::vector<Vec3> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(), [](const Float3& v) {
    return Vec3{v[0], v[1], v[2]};
  });
  return result;
}
/// Blocking.
inline std::vector<Float3> host_vectors(const Array<Vec3>& values) {
  const std::vector<Vec3> host = values.to_host();
  std::vector<Float3> result(host.size());
  std::transform(host.begin(), host.end(), result.begin(), [](const Vec3& v) {
    return Float3{v.x, v.y, v.z};
  });
  return result;
}

MERGANSER_END
