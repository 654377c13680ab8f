#pragma once
/// Sorting a few integers within one thread: the rows that kernels fill in arbitrary order.
#include "device/backend.h"

MERGANSER_BEGIN

/// Ascending, in place: insertion sort over the gaps of Ciura 2001, so rows that are nearly in order cost next
/// to nothing and others about count^1.3.
MERGANSER_FN void sort_ascending(int* values, int count) {
  constexpr int gap_count = 8;
  constexpr int gaps[gap_count] = {701, 301, 132, 57, 23, 10, 4, 1};
  for (int g = 0; g < gap_count; ++g) {
    const int gap = gaps[g];
    for (int i = gap; i < count; ++i) {
      const int value = values[i];
      int j = i;
      for (; j >= gap && values[j - gap] > value; j -= gap) values[j] = values[j - gap];
      values[j] = value;
    }
  }
}

MERGANSER_END
