/// Pairs of floats against long doubles of 64 bits, with the error bounds that float_pair.h states.
#include "device/float_pair.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "device/array.h"
#include "device/launch.h"

MERGANSER_BEGIN
namespace float_pair_test {

constexpr long double u = 0x1p-24L;

long double exact(const FloatPair& a) { return static_cast<long double>(a.high) + a.low; }

struct Results {
  FloatPair sum, difference, product, quotient, accumulated, root;
};
struct Calculate {
  static constexpr const char* name = "test float pairs";
  View<const FloatPair> a, b, c;
  View<Results> result;
  MERGANSER_METHOD void operator()(int i) const {
    FloatPair sum = c[i];
    add_product(sum, a[i], b[i]);
    const FloatPair size = a[i].high < 0 ? -a[i] : a[i];
    result[i] = {a[i] + b[i], a[i] - b[i], a[i] * b[i], a[i] / b[i], sum, inverse_root(size)};
  }
};

/// Pairs of all sizes from 2^-20 to 2^20; every third nearly cancels against the last one.
std::vector<FloatPair> pairs(int count, unsigned seed, const std::vector<FloatPair>& last = {}) {
  std::mt19937_64 engine(seed);
  std::vector<FloatPair> result;
  for (int i = 0; i < count; ++i) {
    const double mantissa = 1 + double(engine() >> 11) * 0x1p-53;
    const double x = (engine() % 2 ? 1 : -1) * std::ldexp(mantissa, int(engine() % 41) - 20);
    FloatPair pair(x);
    if (!last.empty() && i % 3 == 0)
      pair = FloatPair(-double(last[size_t(i)]) * (1 + std::ldexp(mantissa, -10 - int(engine() % 40))));
    result.push_back(pair);
  }
  return result;
}

TEST(FloatPair, KeepsItsErrorBounds) {
  constexpr int count = 200'000;
  const auto a = pairs(count, 1), b = pairs(count, 2, a);
  std::vector<FloatPair> products;
  for (int i = 0; i < count; ++i) products.push_back(FloatPair(double(a[size_t(i)]) * double(b[size_t(i)])));
  const auto c = pairs(count, 3, products);
  const Array<FloatPair> device_a(a), device_b(b), device_c(c);
  Array<Results> results(count);
  launch(count, Calculate{device_a.view(), device_b.view(), device_c.view(), results.view()});
  const auto found = results.to_host();
  for (size_t i = 0; i < found.size(); ++i) {
    const long double x = exact(a[i]), y = exact(b[i]), z = exact(c[i]);
    const Results& r = found[i];
    const auto expect = [&](const char* what, const FloatPair& value, long double wanted, long double bound) {
      ASSERT_LE(std::fabs(exact(value) - wanted), bound * u * u) << what << " " << i;
      // a pair: what is low is below half a unit of what is high
      ASSERT_EQ(value.high, value.high + value.low) << what << " " << i;
    };
    expect("sum", r.sum, x + y, 4 * (std::fabs(x) + std::fabs(y)));
    expect("difference", r.difference, x - y, 4 * (std::fabs(x) + std::fabs(y)));
    expect("product", r.product, x * y, 6 * std::fabs(x * y));
    expect("quotient", r.quotient, x / y, 20 * std::fabs(x / y));
    expect("accumulated", r.accumulated, z + x * y, 6 * (std::fabs(z) + std::fabs(x * y)));
    expect("root", r.root, 1 / std::sqrt(std::fabs(x)), 20 / std::sqrt(std::fabs(x)));
  }
}

TEST(FloatPair, ConvertsFromAndToDoubles) {
  std::mt19937_64 engine(5);
  for (int i = 0; i < 100'000; ++i) {
    const double x = std::ldexp(double(engine() >> 11) * 0x1p-53 - 0.5, int(engine() % 61) - 30);
    ASSERT_LE(std::fabs(double(FloatPair(x)) - x), 0x1p-48 * std::fabs(x)) << x;
    const FloatPair pair(x);
    const FloatPair again{double(pair)};
    ASSERT_EQ(again.high, pair.high);
    ASSERT_EQ(again.low, pair.low);
  }
  EXPECT_EQ(double(FloatPair{}), 0);
  EXPECT_EQ(double(FloatPair(1.5f)), 1.5);
}

}  // namespace float_pair_test
MERGANSER_END
