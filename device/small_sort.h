#pragma once
/// Sorting a few integers within one thread: the rows that kernels fill in arbitrary order.
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

/// Ascending, in place: insertion sort, heap sort for long rows.
MERGANSER_FN void sort_ascending(int* values, int count) {
  if (count <= 48) {
    for (int i = 1; i < count; ++i) {
      const int value = values[i];
      int j = i;
      for (; j > 0 && values[j - 1] > value; --j) values[j] = values[j - 1];
      values[j] = value;
    }
    return;
  }
  for (int root = count / 2 - 1; root >= 0; --root) sift_down(values, root, count);
  for (int last = count - 1; last > 0; --last) {
    const int largest = values[0];
    values[0] = values[last];
    values[last] = largest;
    sift_down(values, 0, last);
  }
}

MERGANSER_END
