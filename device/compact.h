#pragma once
/// Stream compaction that keeps the order.
#include "device/array.h"
#include "device/scan.h"

MERGANSER_BEGIN

/// Writes the indices i with flags[i] != 0 to selected, ascending, and their number to count[0] (on the
/// device). flags may hold only 0 and 1; selected must have room for flags.count indices; offsets is scratch
/// of flags.count + 1.
void compact_indices(View<const int> flags, View<int> selected, View<int> count, Array<int>& offsets,
                     Scratch& scratch);

MERGANSER_END
