/// Random numbers: known answers, uniformity, no draw shared between purposes, steps, particles or seeds.
#include "device/random.h"

#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <set>
#include <tuple>
#include <vector>

#include "device/launch.h"

MERGANSER_BEGIN
namespace random_test {

struct KnownAnswer {
  RandomBits counter;
  std::uint32_t key0, key1;
  RandomBits expected;
};

struct DrawBits {
  static constexpr const char* name = "test draw bits";
  View<const KnownAnswer> cases;
  View<RandomBits> drawn;
  MERGANSER_METHOD void operator()(int i) const {
    drawn[i] = random_bits(cases[i].key0, cases[i].key1, cases[i].counter);
  }
};

TEST(Random, PhiloxKnownAnswers) {
  // Rows "philox4x32 10" of tests/kat_vectors in Random123 1.14 (D. E. Shaw Research).
  const std::vector<KnownAnswer> cases = {
      {{{0, 0, 0, 0}}, 0, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
      {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
       0xffffffff,
       0xffffffff,
       {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
      {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
       0xa4093822,
       0x299f31d0,
       {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}}};
  Array<KnownAnswer> on_device(cases);
  Array<RandomBits> drawn(on_device.size());
  launch(on_device.size(), DrawBits{on_device.const_view(), drawn.view()});
  const auto results = drawn.to_host();
  for (size_t c = 0; c < cases.size(); ++c)
    for (int w = 0; w < 4; ++w)
      EXPECT_EQ(results[c].word[w], cases[c].expected.word[w]) << "case " << c << ", word " << w;
}
TEST(Random, FloatsAreUniform) {
  constexpr int count = 400000, bins = 100;
  std::vector<int> histogram(bins);
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    const float u = uniform_float(random_draw(1, RandomPurpose::test, unsigned(i), 5).word[i % 4]);
    ASSERT_GE(u, 0.0f);
    ASSERT_LT(u, 1.0f);
    sum += u;
    ++histogram[size_t(u * bins)];
  }
  // Mean: standard deviation 1/sqrt(12 n) = 4.6e-4; five of them. Chi square with 99 degrees: below 160 but
  // in 1 of 10,000.
  EXPECT_NEAR(sum / count, 0.5, 2.3e-3);
  double chi_square = 0;
  for (int n : histogram) chi_square += std::pow(n - double(count) / bins, 2) / (double(count) / bins);
  EXPECT_LT(chi_square, 160);
  EXPECT_LT(uniform_float(0xffffffffu), 1.0f);
  EXPECT_EQ(uniform_float(0), 0.0f);
}
TEST(Random, IntegersCoverBothEnds) {
  std::vector<int> histogram(5);
  for (int i = 0; i < 50000; ++i) {
    const int value = uniform_int(random_draw(1, RandomPurpose::test, unsigned(i), 0).word[0], -2, 2);
    ASSERT_GE(value, -2);
    ASSERT_LE(value, 2);
    ++histogram[size_t(value + 2)];
  }
  for (int n : histogram) EXPECT_NEAR(n, 10000, 450);  // five standard deviations of 89
  EXPECT_EQ(uniform_int(0xffffffffu, 8, 64), 64);
  EXPECT_EQ(uniform_int(0, 8, 64), 8);
  EXPECT_EQ(uniform_int(12345, 3, 3), 3);
  // The whole range of int: the sum must not overflow.
  EXPECT_EQ(uniform_int(0, INT_MIN, INT_MAX), INT_MIN);
  EXPECT_EQ(uniform_int(0xffffffffu, INT_MIN, INT_MAX), INT_MAX);
}
TEST(Random, NoDrawRepeatsOverPurposesStepsParticlesAndSeeds) {
  // 128 bits each: among 120,000 distinct draws a chance repeat has probability 2e-29.
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> seen;
  size_t drawn = 0;
  for (auto purpose :
       {RandomPurpose::group_limit, RandomPurpose::pair_priority, RandomPurpose::jitter, RandomPurpose::test})
    for (std::uint32_t seed : {0u, 1u, 0x9E3779B9u})
      for (std::uint64_t step : {0ull, 1ull, 0x100000000ull, 77ull, 0x7700000000ull})
        for (std::uint32_t extra : {0u, 1u})
          for (std::uint32_t particle = 0; particle < 1000; ++particle, ++drawn) {
            const RandomBits b = random_draw(seed, purpose, particle, step, extra);
            seen.insert({b.word[0], b.word[1], b.word[2], b.word[3]});
          }
  EXPECT_EQ(seen.size(), drawn);
}

}  // namespace random_test
MERGANSER_END
