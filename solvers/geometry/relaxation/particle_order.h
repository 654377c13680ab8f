#pragma once
/// Orders of points in a frame where no coordinate is negative. Equal keys keep their order.
#include "device/scan.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

/// Indices of points along a Morton curve over cells of the width [m].
Array<int> morton_order(View<const Vec3> point, float width, Scratch& scratch);

/// Indices of points along lines in x: columns of the square cross-section width^2 [m^2] one after the other,
/// within a column by x. Of evenly spread points one spacing apart, points that follow each other then have
/// neighbors at much the same distances in the numbering, as on a lattice.
Array<int> line_order(View<const Vec3> point, float width, Scratch& scratch);

MERGANSER_END
