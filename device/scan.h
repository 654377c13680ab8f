#pragma once
/// Exclusive prefix sum of integers.
#include "device/array.h"

MERGANSER_BEGIN

/// Scratch memory that scans and sorts reuse from call to call.
struct Scratch {
  Array<unsigned char> bytes;
};

/// out[i] = in[0] + ... + in[i-1]; out may have one element more than in, which then holds the total. in and out may be the
/// same memory.
void exclusive_scan(View<const int> in, View<int> out, Scratch& scratch);

MERGANSER_END
