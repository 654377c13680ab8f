#pragma once
/// Units of length for what absolute tolerances, or the range of floats, would spoil in metres.
#include <cmath>

namespace merganser {

/// [m] The greatest power of two that is not above `length` > 0. In this unit the length is from 1 up to 2,
/// and to change units changes no bits of coordinates.
inline double unit_of(double length) { return std::ldexp(1.0, std::ilogb(length)); }

}  // namespace merganser
