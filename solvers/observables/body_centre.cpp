#include "solvers/observables/body_centre.h"

MERGANSER_BEGIN

struct SumMoment {
  static constexpr const char* name = "body centre";
  using Value = BodyCentre::Sum;
  ParticleConstView particles;
  int first, body;
  MERGANSER_METHOD Value operator()(int k) const {
    const int i = first + k;
    if (particles.body[i] != body) return identity();
    const double mass = particles.mass[i];
    return {mass, mass * to_double(particles.position[i])};
  }
  MERGANSER_METHOD static Value identity() { return {0, {0, 0, 0}}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {a.mass + b.mass, a.moment + b.moment};
  }
};

void BodyCentre::measure(const ParticleStore& particles) {
  const Range range = particles.range(system_);
  sum_.run(range.count, SumMoment{particles.const_view(), range.first, body_});
}

Vec3d BodyCentre::measured() const {
  const Sum sum = sum_.fetched();
  return sum.mass > 0 ? sum.moment / sum.mass : Vec3d{0, 0, 0};
}

MERGANSER_END
