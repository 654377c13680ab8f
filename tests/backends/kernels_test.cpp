/// Every family of kernels gives the same on the CPU and the GPU half: integers exactly, numbers to rounding.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/backends/samples/kernel_samples.h"

namespace merganser {
namespace kernels_test {

struct BothHalves {
  std::string name;
  KernelSample (*on_cpu)();
  KernelSample (*on_gpu)();
};
void PrintTo(const BothHalves& both, std::ostream* out) { *out << both.name; }

std::vector<BothHalves> every_sample() {
  std::vector<BothHalves> all;
  const auto join = [&](const SampleList& of_cpu, const SampleList& of_gpu) {
    for (size_t k = 0; k < of_cpu.size(); ++k)
      all.push_back({of_cpu[k].first, of_cpu[k].second, of_gpu.at(k).second});
  };
  join(cpu::fluid_samples(), gpu::fluid_samples());
  join(cpu::solid_samples(), gpu::solid_samples());
  join(cpu::contact_samples(), gpu::contact_samples());
  return all;
}

class BackendsKernels : public testing::TestWithParam<BothHalves> {};
TEST_P(BackendsKernels, Agree) {
  const KernelSample a = GetParam().on_cpu(), b = GetParam().on_gpu();
  ASSERT_EQ(a.integers.size(), b.integers.size());
  for (size_t k = 0; k < a.integers.size(); ++k) {
    EXPECT_FALSE(a.integers[k].second.empty()) << a.integers[k].first;
    EXPECT_EQ(a.integers[k].second, b.integers[k].second) << a.integers[k].first;
  }
  ASSERT_EQ(a.numbers.size(), b.numbers.size());
  for (size_t k = 0; k < a.numbers.size(); ++k) {
    const auto& [name, on_cpu] = a.numbers[k];
    const std::vector<double>& on_gpu = b.numbers[k].second;
    ASSERT_EQ(on_cpu.size(), on_gpu.size()) << name;
    double greatest = 0, difference = 0;
    for (size_t i = 0; i < on_cpu.size(); ++i) {
      ASSERT_TRUE(std::isfinite(on_cpu[i]) && std::isfinite(on_gpu[i])) << name << ", number " << i;
      greatest = std::max(greatest, std::abs(on_cpu[i]));
      difference = std::max(difference, std::abs(on_cpu[i] - on_gpu[i]));
    }
    EXPECT_GT(greatest, 0) << name << " is empty or nothing but zeros";
    EXPECT_LE(difference, a.tolerance * greatest) << name;
  }
}
INSTANTIATE_TEST_SUITE_P(Families, BackendsKernels, testing::ValuesIn(every_sample()),
                         [](const auto& info) { return info.param.name; });

}  // namespace kernels_test
}  // namespace merganser
