#pragma once
/// Particles of a frame below a sheet that is a height field: an account of what went through it
/// that knows nothing of paths.
#include <algorithm>
#include <vector>

#include "host/simulation/simulation.h"
#include "solvers/core/initial_state.h"

namespace merganser::test {

/// Particles of system `fluid` that are vertically below a triangle of system `sheet`. The sheet must be a
/// height field over x and y and the system's only body.
inline long long particles_below_sheet(const FrameData& frame, const InitialState& initial, int fluid,
                                       int sheet) {
  std::vector<Float3> vertices;
  for (size_t i = 0; i < frame.position.size(); ++i)
    if (frame.system[i] == sheet) vertices.push_back(frame.position[i]);
  long long below = 0;
  for (size_t i = 0; i < frame.position.size(); ++i) {
    if (frame.system[i] != fluid) continue;
    const Float3 x = frame.position[i];
    for (const Triangle& t : initial.systems[size_t(sheet)].triangles) {
      const Float3 &a = vertices[size_t(t[0])], &b = vertices[size_t(t[1])], &c = vertices[size_t(t[2])];
      const auto area = [&](const Float3& p, const Float3& q) {
        return (double(p[0]) - x[0]) * (double(q[1]) - x[1]) - (double(p[1]) - x[1]) * (double(q[0]) - x[0]);
      };
      const double u = area(b, c), v = area(c, a), w = area(a, b), whole = u + v + w;
      if (whole == 0 || u / whole < 0 || v / whole < 0 || w / whole < 0) continue;
      below += x[2] < (u * a[2] + v * b[2] + w * c[2]) / whole;
      break;
    }
  }
  return below;
}

}  // namespace merganser::test
