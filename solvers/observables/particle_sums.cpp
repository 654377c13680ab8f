#include "solvers/observables/particle_sums.h"

#include "solvers/core/observable.h"

MERGANSER_BEGIN

namespace {
struct SumParticles {
  static constexpr const char* name = "particle sums";
  using Value = ParticleSums;
  ParticleConstView particles;
  Vec3d gravity;
  int first;

  MERGANSER_METHOD ParticleSums operator()(int k) const {
    const int i = first + k;
    ParticleSums s{};
    s.not_finite = 0x7fffffff;
    if (!is_finite(particles.position[i]) || !is_finite(particles.velocity[i])) {
      s.not_finite = i;
      return s;
    }
    if (!(particles.inverse_mass[i] > 0)) return s;
    const double m = particles.mass[i];
    const Vec3d x = to_double(particles.position[i]), v = to_double(particles.velocity[i]);
    s.mass = m;
    s.momentum = m * v;
    s.angular_momentum = m * cross(x, v);
    s.kinetic_energy = 0.5 * m * norm_squared(v);
    s.potential_energy = -m * dot(gravity, x);
    s.max_speed = sqrt(norm_squared(v));
    return s;
  }
  MERGANSER_METHOD static ParticleSums identity() { return {}; }
  MERGANSER_METHOD static ParticleSums combine(const ParticleSums& a, const ParticleSums& b) {
    ParticleSums s;
    s.mass = a.mass + b.mass;
    s.momentum = a.momentum + b.momentum;
    s.angular_momentum = a.angular_momentum + b.angular_momentum;
    s.kinetic_energy = a.kinetic_energy + b.kinetic_energy;
    s.potential_energy = a.potential_energy + b.potential_energy;
    s.max_speed = fmax(a.max_speed, b.max_speed);
    s.not_finite = a.not_finite < b.not_finite ? a.not_finite : b.not_finite;
    return s;
  }
};

/// ParticleSums::max_speed alone.
struct LargestParticleSpeed {
  static constexpr const char* name = "largest particle speed";
  using Value = double;
  ParticleConstView particles;
  int first;
  MERGANSER_METHOD double operator()(int k) const {
    const int i = first + k;
    if (!is_finite(particles.position[i]) || !is_finite(particles.velocity[i]) ||
        !(particles.inverse_mass[i] > 0))
      return 0;
    return sqrt(norm_squared(to_double(particles.velocity[i])));
  }
  MERGANSER_METHOD static double identity() { return 0; }
  MERGANSER_METHOD static double combine(double a, double b) { return fmax(a, b); }
};
}  // namespace

void ParticleSummation::measure(const ParticleConstView& particles, Range range, Vec3 gravity) {
  sums_.run(range.count, SumParticles{particles, to_double(gravity), range.first});
  speed_alone_ = false;
}

void ParticleSummation::measure_speed(const ParticleConstView& particles, Range range) {
  max_speed_.run(range.count, LargestParticleSpeed{particles, range.first});
  speed_alone_ = true;
}

namespace {
class ParticleSumColumns final : public Observable {
 public:
  Columns columns() const override {
    Columns all = vector_columns("momentum");
    for (const Column& column : vector_columns("angular_momentum")) all.push_back(column);
    for (const char* name : {"kinetic_energy", "potential_energy", "max_speed"}) all.push_back({name});
    return all;
  }
  void write_known(const ObservedParts& parts, const StepOutcome&, StatisticsRow& row) const override {
    row.set("max_speed", parts.sums.max_speed());
  }
  void write(const ObservedParts& parts, const StepOutcome&, StatisticsRow& row) const override {
    const ParticleSums sums = parts.sums.sums();
    row.set("momentum", to_point(sums.momentum));
    row.set("angular_momentum", to_point(sums.angular_momentum));
    row.set("kinetic_energy", sums.kinetic_energy);
    row.set("potential_energy", sums.potential_energy);
  }
};
}  // namespace

std::unique_ptr<Observable> make_particle_sums(const InitialState&) {
  return std::make_unique<ParticleSumColumns>();
}

MERGANSER_END
