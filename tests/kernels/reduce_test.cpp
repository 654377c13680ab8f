/// Reductions against exact sums in long double.
#include "device/reduce.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace reduce_test {

struct SumDoubles {
  static constexpr const char* name = "test sum";
  using Value = double;
  View<const double> values;
  MERGANSER_METHOD double operator()(int i) const { return values[i]; }
  MERGANSER_METHOD static double identity() { return 0; }
  MERGANSER_METHOD static double combine(double a, double b) { return a + b; }
};
/// Not commutative in its bits: shows an index that is left out or taken twice.
struct CountAndLeast {
  int count;
  long long index_sum;
  float least;
};
struct Census {
  static constexpr const char* name = "test census";
  using Value = CountAndLeast;
  View<const float> values;
  MERGANSER_METHOD CountAndLeast operator()(int i) const { return {1, i, values[i]}; }
  MERGANSER_METHOD static CountAndLeast identity() { return {0, 0, 3e38f}; }
  MERGANSER_METHOD static CountAndLeast combine(const CountAndLeast& a, const CountAndLeast& b) {
    return {a.count + b.count, a.index_sum + b.index_sum, a.least < b.least ? a.least : b.least};
  }
};

double sum(const std::vector<double>& values) {
  Array<double> array(values);
  Reduction<double> reduction;
  reduction.run(array.size(), SumDoubles{array.const_view()});
  return reduction.read();
}

TEST(Reduction, SumsOfRandomNumbersToRounding) {
  for (int count : {0, 1, 2, 1023, 1024, 1025, 131072, 1300001}) {
    std::vector<double> values;
    long double exact = 0, magnitude = 0;
    for (int i = 0; i < count; ++i) {
      values.push_back(
          std::ldexp(uniform_float(test_bits(i).word[0]) - 0.4, int(test_bits(i).word[1] % 40) - 20));
      exact += values.back();
      magnitude += std::abs(values.back());
    }
    // Every value passes at most 1,024 + count/1024 additions of the tree, each with half a unit of rounding.
    const long double bound = magnitude * (1024 + count / 1024 + 1) * 1.1e-16L;
    EXPECT_NEAR(sum(values), double(exact), double(bound)) << count << " values";
  }
}
TEST(Reduction, HugeValuesThatCancelLeaveTheSmallOnes) {
  // 2^52 and -2^52 lie in one chunk; integers below 2^53 add up exactly in any order.
  std::vector<double> values(200000, 1.0);
  for (size_t i = 0; i + 2048 < values.size(); i += 4096) {
    values[i] = 4503599627370496.0;
    values[i + 7] = -4503599627370496.0;
  }
  long double exact = 0;
  for (double value : values) exact += value;
  EXPECT_EQ(sum(values), double(exact));
}
TEST(Reduction, TakesEveryIndexOnce) {
  for (int count : {0, 1, 127, 128, 129, 1024, 1025, 5000, 1000003}) {
    std::vector<float> values;
    for (int i = 0; i < count; ++i) values.push_back(uniform_float(test_bits(i).word[2]));
    Array<float> array(values);
    Reduction<CountAndLeast> reduction;
    reduction.run(count, Census{array.const_view()});
    const CountAndLeast census = reduction.read();
    EXPECT_EQ(census.count, count);
    EXPECT_EQ(census.index_sum, static_cast<long long>(count) * (count - 1) / 2);
    EXPECT_EQ(census.least, count ? *std::min_element(values.begin(), values.end()) : 3e38f);
  }
}
/// A sum that leaves its half behind.
struct SumAndHalf : SumDoubles {
  View<double> half;
  MERGANSER_METHOD void finish(double sum) const { half[0] += sum / 2; }
};
TEST(Reduction, FinishesOnceWithTheWholeSum) {
  Array<double> array(std::vector<double>(5000, 0.5)), half(1);
  Reduction<double> reduction;
  double expected = 0;
  for (int count : {5000, 1, 0}) {
    reduction.run(count, SumAndHalf{{array.const_view()}, half.view()});
    expected += 0.25 * count;
    EXPECT_EQ(read_back(half.const_view(), 0), expected);
    EXPECT_EQ(reduction.read(), 0.5 * count);
  }
}
TEST(Reduction, IsReusedWithOtherSizes) {
  Array<double> array(std::vector<double>(10000, 0.5));
  Reduction<double> reduction;
  for (int count : {10000, 3, 0, 2049}) {
    reduction.run(count, SumDoubles{array.const_view()});
    EXPECT_EQ(reduction.read(), 0.5 * count);
  }
}

}  // namespace reduce_test
MERGANSER_END
