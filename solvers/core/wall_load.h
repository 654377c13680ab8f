#pragma once
/// Load of particles on a named wall in a step.
#include "device/vector_math.h"

MERGANSER_BEGIN

struct WallLoad {
  Vec3d impulse{0, 0, 0};  ///< [N s] divided by the step's length: the force on the wall
  Vec3d angular{0, 0, 0};  ///< [N m s] about the centre of the wall's motion, where that is
  double work = 0;         ///< [J] that the wall did on the particles by moving

  MERGANSER_METHOD WallLoad& operator+=(const WallLoad& other) {
    impulse += other.impulse;
    angular += other.angular;
    work += other.work;
    return *this;
  }
  MERGANSER_METHOD friend WallLoad operator+(WallLoad a, const WallLoad& b) { return a += b; }
  /// A particle at x gets an impulse p [N s] from the wall, whose surface moves with v; `centre` [m]: of its
  /// motion.
  MERGANSER_METHOD static WallLoad of(const Vec3d& p, const Vec3d& x, const Vec3d& centre, const Vec3d& v) {
    return {-p, -cross(x - centre, p), dot(p, v)};
  }
};

MERGANSER_END
