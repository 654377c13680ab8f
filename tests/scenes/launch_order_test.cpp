/// Every scene gives the same bits in whatever order launches visit their indices.
#include "device/launch_order.h"

#include <gtest/gtest.h>

#include <cstring>

#include "host/simulation/simulation.h"
#include "tests/support/shipped_scenes.h"

#if !MERGANSER_COMPILED_BY_NVCC
MERGANSER_BEGIN
namespace launch_order_test {

template <class T>
void expect_same_bits(const std::vector<T>& a, const std::vector<T>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  EXPECT_TRUE(a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0) << what;
}
template <class T>
void expect_same_fields(const std::vector<std::pair<std::string, std::vector<T>>>& a,
                        const std::vector<std::pair<std::string, std::vector<T>>>& b,
                        const std::string& where) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t k = 0; k < a.size(); ++k) expect_same_bits(a[k].second, b[k].second, where + a[k].first);
}

class EveryLaunchOrder : public testing::TestWithParam<std::string> {
 protected:
  ~EveryLaunchOrder() override { set_launch_order("ascending"); }
};

/// Twenty steps from the first contact on (or from step 100).
TEST_P(EveryLaunchOrder, GivesTheSameBits) {
  const auto simulation = make_simulation(test::small_initial_state(GetParam()));
  while (simulation->step_count() < 100 && simulation->step(1e9)["contacts"] == 0) {
  }
  const StateArchive start = simulation->save();
  FrameData first;
  for (const std::string order : {"ascending", "reversed", "shuffled:1"}) {
    set_launch_order(order);
    simulation->load(start);
    for (int step = 0; step < 20; ++step) simulation->step(1e9);
    const FrameData frame = simulation->frame();
    if (order == "ascending") first = frame;
    expect_same_bits(frame.position, first.position, order + ": position");
    expect_same_bits(frame.velocity, first.velocity, order + ": velocity");
    expect_same_fields(frame.fields, first.fields, order + ": ");
    expect_same_fields(frame.int_fields, first.int_fields, order + ": ");
    for (size_t k = 0; k < first.links.size(); ++k) {
      expect_same_bits(frame.links[k].neighbor, first.links[k].neighbor, order + ": links");
      expect_same_bits(frame.links[k].age, first.links[k].age, order + ": ages of links");
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Scenes, EveryLaunchOrder, testing::ValuesIn(test::scene_files()), test::scene_name);

}  // namespace launch_order_test
MERGANSER_END
#endif
