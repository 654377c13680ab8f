#pragma once
/// Exclusive prefix sum of integers.
#include "device/array.h"

MERGANSER_BEGIN

/// Scratch memory that scans and sorts reuse from call to call; may exceed 2 GiB, holds nothing between
/// calls.
struct Scratch {
  Array<unsigned char> bytes;
  void* reserve(size_t count) {
    bytes.reserve(count);
    return bytes.data();
  }
};

/// out[i] = in[0] + ... + in[i-1]; out may have one element more than in, which then holds the total. in and
/// out may be the same memory.
void exclusive_scan(View<const int> in, View<int> out, Scratch& scratch);

MERGANSER_END
