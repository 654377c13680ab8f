#pragma once
/// Sums and maxima as functors of a Reduction (reduce.h): made of a formula, index -> value, with a name.
#include <utility>

#include "device/reduce.h"

MERGANSER_BEGIN

/// The sum of the formula's values; 0 for none.
template <class Formula>
struct SumOf {
  static constexpr const char* name = Formula::name;
  using Value = decltype(std::declval<const Formula&>()(0));
  Formula formula;
  MERGANSER_METHOD Value operator()(int i) const { return formula(i); }
  MERGANSER_METHOD static Value identity() { return Value{}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) { return a + b; }
};
template <class Formula>
SumOf<Formula> sum_of(const Formula& formula) {
  return {formula};
}

/// The greatest of the formula's values, none of which is negative; 0 for none.
template <class Formula>
struct MaximumOf {
  static constexpr const char* name = Formula::name;
  using Value = decltype(std::declval<const Formula&>()(0));
  Formula formula;
  MERGANSER_METHOD Value operator()(int i) const { return formula(i); }
  MERGANSER_METHOD static Value identity() { return Value{}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) { return a > b ? a : b; }
};
template <class Formula>
MaximumOf<Formula> maximum_of(const Formula& formula) {
  return {formula};
}

MERGANSER_END
