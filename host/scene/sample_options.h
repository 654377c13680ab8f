#pragma once
#include <filesystem>
#include <functional>
#include <string>

#include "host/device_selection.h"
#include "solvers/geometry/relaxation/relaxed_sampling.h"
#include "solvers/geometry/sampling/shape_parameters.h"

namespace merganser {

/// merganser sample: a mesh filled with particles.
struct SampleOptions {
  std::filesystem::path mesh;  ///< OBJ, PLY, STL, OFF or glTF
  double spacing = 0;          ///< [m]
  SamplingMethod method = SamplingMethod::lattice;
  RelaxationForces forces = RelaxationForces::implicitPressure;  ///< that relax
  Device device = {};                                            ///< that relaxes
  std::function<void(const std::string& note)> warn = {};        ///< told what is allowed and seldom meant
  OnRelaxation progress = {};
  StopAsked stop = {};           ///< while particles are relaxed
  std::filesystem::path output;  ///< .vtkhdf or .csv
};

}  // namespace merganser
