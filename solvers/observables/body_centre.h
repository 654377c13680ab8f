#pragma once
/// Centre of mass of one body, for checks of where it went.
#include "device/particle_store.h"
#include "device/reduce.h"

MERGANSER_BEGIN

class BodyCentre {
 public:
  BodyCentre(int system, int body) : system_(system), body_(body) {}
  /// Launches the sum.
  void measure(const ParticleStore& particles);
  /// sum m x / sum m [m] over the body's particles, of the last fetch_results(); the origin where it has
  /// none.
  Vec3d measured() const;

 private:
  struct Sum {
    double mass;
    Vec3d moment;
  };
  friend struct SumMoment;
  int system_, body_;
  Reduction<Sum> sum_;
};

MERGANSER_END
