#pragma once
/// Sorting a few integers within one thread: the rows that kernels fill in arbitrary order.
#include <cstdint>

#include "device/backend.h"

MERGANSER_BEGIN

MERGANSER_FN void sift_down(int* heap, int root, int count) {
  const int value = heap[root];
  for (int child = 2 * root + 1; child < count; child = 2 * root + 1) {
    if (child + 1 < count && heap[child + 1] > heap[child]) ++child;
    if (heap[child] <= value) break;
    heap[root] = heap[child];
    root = child;
  }
  heap[root] = value;
}

MERGANSER_FN void heap_sort(int* values, int count) {
  for (int root = count / 2 - 1; root >= 0; --root) sift_down(values, root, count);
  for (int last = count - 1; last > 0; --last) {
    const int largest = values[0];
    values[0] = values[last];
    values[last] = largest;
    sift_down(values, 0, last);
  }
}

/// Ascending, in place. Insertion sort costs a comparison a value and a move an inversion, so next to nothing
/// where values come nearly in ascending order. A row of more than 48 that needs more than 4 moves a value is
/// left to heap sort, some 2 log2(count) comparisons a value in whatever order.
MERGANSER_FN void sort_ascending(int* values, int count) {
  constexpr int short_row = 48, most_moves = 4;
  int64_t moves = 0;
  for (int i = 1; i < count; ++i) {
    const int value = values[i];
    int j = i;
    for (; j > 0 && values[j - 1] > value; --j) values[j] = values[j - 1];
    values[j] = value;
    moves += i - j;
    if (count > short_row && moves > int64_t(most_moves) * count) return heap_sort(values, count);
  }
}

MERGANSER_END
