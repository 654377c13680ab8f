#pragma once
/// Stable sort of (key, value) pairs.
#include "device/array.h"
#include "device/atomics.h"
#include "device/scan.h"

MERGANSER_BEGIN

/// Sorts by key, ascending; pairs of equal keys keep their order. Radix sort by CUB on the GPU, merge sort by
/// Thrust on the CPU. Only the lowest key_bits bits of the keys may be set.
void stable_sort_by_key(View<Word64> keys, View<int> values, Scratch& scratch, int key_bits = 64);
void stable_sort_by_key(View<unsigned> keys, View<int> values, Scratch& scratch, int key_bits = 32);

MERGANSER_END
