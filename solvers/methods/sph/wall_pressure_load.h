#pragma once
/// Load of a fluid's pressure and viscosity on one wall in a step.
#include "solvers/core/wall_loads.h"
#include "solvers/methods/fluid/full_vessel.h"
#include "solvers/methods/sph/acceleration.h"

MERGANSER_BEGIN

/// Pairs of particles give one another what they take, before walls divide their sums. So all that walls
/// change of a particle's acceleration is theirs (acceleration.h): each has the pressure of the fluid behind
/// it, as all walls divide it, its drag, and what its division changes of the pairs' sum. Of what two
/// divisions change only together, each has the component along its normal: a side wall leaves the weight of
/// the fluid in the corner to the floor. (By summation no wall divides anything.) Launch over all particles,
/// once their accelerations are known.
template <class Term>
struct WallPressureLoad {
  static constexpr const char* name = "sph wall loads";
  Term term;
  SphParticles particles;
  MeasuredWall measured;
  double impulse_of_acceleration;  ///< [kg s] m dt
  HeadOfRest head;                 ///< of a full vessel, for all walls together
  View<const WallHead> wall_head;  ///< empty: the vessel is not full

  MERGANSER_METHOD WallLoad operator()(int index) const {
    const SphParticle<float> i = particles.load<Term>(index);
    float open = 1;
    for_each_near_wall(term.walls, term.fill, index, i.position,
                       [&](const Wall&, const WallShare& share) { open *= term.of_walls.of(share).open; });
    WallLoad load;
    const auto give = [&](const WallShare& share, const Vec3& change) {
      load += WallLoad::of(impulse_of_acceleration * to_double(change), to_double(i.position),
                           measured.centre, to_double(share.velocity));
    };
    if (!wall_head.empty()) {
      const float p = wall_head[0].at_walls(head.at(index), head.weight, particles.position.count);
      for_each_near_wall(
          term.walls, term.fill, index, i.position, [&](const Wall& wall, const WallShare& share) {
            if (wall.owner == measured.owner)
              give(share, share.normal * (-2 * p / term.density0 * open * share.slope / share.open));
          });
    }
    const float push = term.wall_push(index, i.pressure_term) * open;
    if (term.of_walls.conservative()) {
      for_each_near_wall(term.walls, term.fill, index, i.position,
                         [&](const Wall& wall, const WallShare& share) {
                           if (wall.owner != measured.owner) return;
                           const WallShare pushing = term.of_walls.of(share);
                           give(share, share.normal * (-push * pushing.slope / pushing.open));
                           if (wall.no_slip) give(share, term.wall_drag(i.velocity - share.velocity, share));
                         });
      return load;
    }
    const Vec3 pairs = term.of_pairs[index];
    Vec3 a = pairs;
    int before = 0;
    for_each_near_wall(
        term.walls, term.fill, index, i.position, [&](const Wall& wall, const WallShare& share) {
          const Vec3 divided = Term::divided(a, share), alone = Term::divided(pairs, share) - pairs;
          Vec3 together = divided - a - alone;
          int other = 0;
          for_each_near_wall(term.walls, term.fill, index, i.position,
                             [&](const Wall& earlier, const WallShare& its) {
                               if (other++ >= before) return;
                               const Vec3 part = its.normal * dot(together, its.normal);
                               together -= part;
                               if (earlier.owner == measured.owner) give(its, part);
                             });
          if (wall.owner == measured.owner) {
            const Vec3 pushed = share.normal * (-push * share.slope / share.open);
            give(share, alone + together + divided_by_all(pushed, index, i.position));
            if (wall.no_slip) give(share, term.wall_drag(i.velocity - share.velocity, share));
          }
          a = divided;
          ++before;
        });
    return load;
  }

 private:
  MERGANSER_METHOD Vec3 divided_by_all(Vec3 a, int index, const Vec3& x) const {
    for_each_near_wall(term.walls, term.fill, index, x,
                       [&](const Wall&, const WallShare& share) { a = Term::divided(a, share); });
    return a;
  }
};

MERGANSER_END
