#include "solvers/methods/flip/reseed.h"

#include <algorithm>
#include <cmath>

#include "device/reduce.h"
#include "device/sum_of.h"
#include "solvers/methods/flip/surplus_exchange.h"

MERGANSER_BEGIN

namespace {

/// Moves the particles; counts them.
struct MoveSurplus {
  static constexpr const char* name = "flip move surplus";
  View<const int> taker;
  View<const Vec3> place, exchanged;
  View<Vec3> position, velocity;
  FaceViews<Vec3> affine;  ///< [1/s]; empty: FLIP
  MERGANSER_METHOD int operator()(int i) const {
    velocity[i] = exchanged[i];
    const int to = taker[i];
    if (to < 0) return 0;
    position[i] = place[to];
    if (!affine.axis[0].empty())
      for (const View<Vec3>& row : affine.axis) row[i] = row[to];
    return 1;
  }
};

}  // namespace

FlipReseeding::FlipReseeding(double expected, float particle_radius, std::uint32_t seed)
    : least_(std::max(1, static_cast<int>(0.375 * expected))),
      most_(static_cast<int>(std::ceil(1.5 * expected))),
      particle_radius_(particle_radius),
      seed_(seed) {}

int FlipReseeding::apply(ParticleStore& store, Range own, const UniformGridView& sorted,
                         const UniformGridView& foreign, WallView walls, FaceViews<Vec3> affine,
                         long long step) {
  for (Array<int>* a : {&first_, &count_, &surplus_, &giver_, &taker_}) a->resize(own.count);
  place_.resize(own.count);
  velocity_.resize(own.count);
  launch(own.count, FindOccupancy{sorted, most_, first_.view(), count_.view(), surplus_.view()});
  const CellOccupancy cells{first_.const_view(), count_.const_view(), surplus_.const_view()};
  const ExchangeKey key{seed_, step, store.id.const_view().subview(own.first, own.count)};
  std::visit(
      [&]<class Shapes>(const Shapes& known) {
        launch(own.count, ChooseGiver<Shapes>{.particles = sorted,
                                              .foreign = foreign,
                                              .walls = known,
                                              .cells = cells,
                                              .key = key,
                                              .least = least_,
                                              .cell_size = 1 / sorted.shape.inverse_cell.x,
                                              .particle_radius = particle_radius_,
                                              .giver = giver_.view(),
                                              .place = place_.view()});
      },
      by_shape(walls));
  launch(own.count, ChooseTaker{sorted, foreign, cells, key, giver_.const_view(), taker_.view()});
  launch(own.count,
         ExchangedVelocity{cells, sorted, giver_.const_view(), taker_.const_view(),
                           store.velocity.const_view().subview(own.first, own.count), velocity_.view()});
  moved_.run(own.count, sum_of(MoveSurplus{taker_.const_view(), place_.const_view(), velocity_.const_view(),
                                           store.position.view().subview(own.first, own.count),
                                           store.velocity.view().subview(own.first, own.count), affine}));
  return moved_.read();
}

MERGANSER_END
