#pragma once
/// Part of a kernel behind a wall that is not a plane: integrals over the volume B behind the wall, with
/// n the normal of its surface towards the fluid and x the particle.
#include "device/array.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

/// With lengths in units of h:
///   fraction  lambda = int_B W dV
///   gradient  of lambda, -int W n dS over B's surface; for a plane lambda' n
///   moment    -int W (x - y).n dS over surface points y: what the share of a linear field's gradient lacks
///             beyond lambda (the trace of it; for a plane d lambda', along n)
/// All three are linear in B: solids that are put together or cut out of one another add and subtract theirs.
struct WallPart {
  float fraction;
  Vec3 gradient;
  float moment;
  MERGANSER_METHOD WallPart& operator+=(const WallPart& other) {
    fraction += other.fraction;
    gradient += other.gradient;
    moment += other.moment;
    return *this;
  }
  MERGANSER_METHOD WallPart& operator-=(const WallPart& other) {
    fraction -= other.fraction;
    gradient -= other.gradient;
    moment -= other.moment;
    return *this;
  }
};

/// A kernel of h = 1 and support 2, in double.
using UnitKernel = double (*)(double q);
inline constexpr double fill_support = 2;

MERGANSER_END
