#pragma once
/// Types shared by host code and both backends: plain data without arithmetic (vector maths lives in the
/// backends).
#include <array>
#include <cstdint>
#include <vector>

namespace merganser {

using Point3 = std::array<double, 3>;  ///< a point, direction or velocity as the user gave it
using Float2 = std::array<float, 2>;
using Float3 = std::array<float, 3>;  ///< the same layout as a backend's Vec3
using Triangle = std::array<int, 3>;  ///< vertex indices, counter-clockwise seen from outside

}  // namespace merganser
