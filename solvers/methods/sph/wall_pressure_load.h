#pragma once
/// What a fluid's pressure and viscosity give to one wall in a step.
#include "solvers/coupling/boundary/wall_loads.h"
#include "solvers/methods/sph/acceleration.h"

MERGANSER_BEGIN

/// Pairs of particles give one another what they take, before walls divide their sums. So all that walls
/// change of a particle's acceleration is theirs (acceleration.h), term by term and wall by wall: the
/// pressure of the fluid behind them, the divisions in their order, the drag. Launch over all particles, once
/// their accelerations are known.
template <class Term>
struct WallPressureLoad {
  static constexpr const char* name = "sph wall loads";
  Term term;
  SphParticles particles;
  MeasuredWall measured;
  double impulse_of_acceleration;  ///< [kg s] m dt

  MERGANSER_METHOD WallLoad operator()(int index) const {
    const SphParticle<float> i = particles.load<Term>(index);
    float open = 1;
    for_each_near_wall(term.walls, term.fill, i.position,
                       [&](const Wall&, const WallShare& share) { open *= share.open; });
    WallLoad load;
    const float pressure = 2 * i.pressure_term * term.density0 * (1 + term.compression[index]) * open;
    Vec3 a = term.of_pairs[index];
    const auto give = [&](const Wall& wall, const WallShare& share, const Vec3& change) {
      if (wall.owner != measured.owner) return;
      load += WallLoad::of(impulse_of_acceleration * to_double(change),
                           to_double(i.position - share.normal * share.distance), measured.centre,
                           to_double(share.velocity));
    };
    for_each_near_wall(term.walls, term.fill, i.position, [&](const Wall& wall, const WallShare& share) {
      const Vec3 pushed = share.normal * (-pressure * share.slope / share.open);
      a += pushed;
      give(wall, share, pushed);
      if (wall.no_slip) give(wall, share, term.wall_drag(i.velocity - share.velocity, share));
    });
    if (!(open < 1)) return load;
    for_each_near_wall(term.walls, term.fill, i.position, [&](const Wall& wall, const WallShare& share) {
      const Vec3 after = Term::divided(a, share);
      give(wall, share, after - a);
      a = after;
    });
    return load;
  }
};

MERGANSER_END
