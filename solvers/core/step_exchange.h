#pragma once
/// Energy and momentum that a step exchanges with the particles beyond kinetic, elastic and potential energy.
#include "device/particle_store.h"
#include "device/sum_of.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

struct StepExchange {
  double damping = 0;           ///< [J] lost to springs' and bonds' damping and to air
  double integration = 0;       ///< [J] lost to the time integration
  double work = 0;              ///< [J] done on the particles by held particles and loads
  Vec3d impulse{0, 0, 0};       ///< [N s] given to the particles by held particles, loads and air
  double walls = 0;             ///< [J] taken by walls within an implicit solve
  Vec3d wall_impulse{0, 0, 0};  ///< [N s] given by them

  MERGANSER_METHOD StepExchange& operator+=(const StepExchange& other) {
    damping += other.damping;
    integration += other.integration;
    work += other.work;
    impulse += other.impulse;
    walls += other.walls;
    wall_impulse += other.wall_impulse;
    return *this;
  }
  MERGANSER_METHOD friend StepExchange operator+(StepExchange a, const StepExchange& b) { return a += b; }
  /// An outer agent gives the impulse p to something that moves with velocity v.
  MERGANSER_METHOD void give(const Vec3d& p, const Vec3d& v) {
    impulse += p;
    work += dot(p, v);
  }
};

MERGANSER_END
