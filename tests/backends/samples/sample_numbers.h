#pragma once
/// Fields of a sample from what the backends compute.
#include "device/vector_math.h"
#include "tests/backends/samples/kernel_samples.h"

MERGANSER_BEGIN

inline void add_numbers(KernelSample& sample, const std::string& name, const std::vector<Vec3>& values) {
  std::vector<double> numbers;
  for (const Vec3& v : values) numbers.insert(numbers.end(), {double(v.x), double(v.y), double(v.z)});
  sample.numbers.emplace_back(name, numbers);
}
template <class Number>
void add_numbers(KernelSample& sample, const std::string& name, const std::vector<Number>& values) {
  sample.numbers.emplace_back(name, std::vector<double>(values.begin(), values.end()));
}

MERGANSER_END
