#pragma once
/// Results of each family's kernels for given input, as host data: compiled once per backend so that a
/// test can hold one against the other.
#include <string>
#include <utility>
#include <vector>

namespace merganser {

struct KernelSample {
  std::vector<std::pair<std::string, std::vector<double>>> numbers;
  std::vector<std::pair<std::string, std::vector<int>>> integers;  ///< must be equal
  double tolerance = 2e-6;  ///< of numbers, relative to the greatest of their field
};
using SampleList = std::vector<std::pair<std::string, KernelSample (*)()>>;

namespace cpu {
SampleList fluid_samples();
SampleList solid_samples();
SampleList contact_samples();
}  // namespace cpu
namespace gpu {
SampleList fluid_samples();
SampleList solid_samples();
SampleList contact_samples();
}  // namespace gpu

}  // namespace merganser
