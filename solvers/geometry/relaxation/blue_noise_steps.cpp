#include "solvers/geometry/relaxation/blue_noise_steps.h"

#include <cmath>
#include <utility>

#include "device/launch_in_parts.h"

MERGANSER_BEGIN

BlueNoiseSteps::BlueNoiseSteps(const BlueNoiseParameters& parameters, double spacing)
    : parameters_(parameters), spacing_(float(spacing * std::cbrt(parameters.crowding))) {}

void BlueNoiseSteps::step(const RelaxationPairs& pairs, View<const int> order, View<Vec3> position,
                          View<float> moved) {
  const int count = position.count;
  if (velocity_.size() != count) {
    velocity_.assign(std::vector<Vec3>(size_t(count), Vec3{0, 0, 0}));
    next_.resize(count);
    density_.resize(count);
    no_bound_.assign(std::vector<float>{0});
  }
  const BlueNoiseForces<float> forces(spacing_, float(parameters_.stiffness), float(parameters_.cohesion));
  launch_in_parts(count, BlueNoiseDensity{pairs, forces, density_.view()});
  launch_in_parts(count, BlueNoiseVelocity{.pairs = pairs,
                                           .forces = forces,
                                           .damping = float(parameters_.damping),
                                           .density = density_.const_view(),
                                           .from = order,
                                           .velocity = velocity_.const_view(),
                                           .faster = next_.view()});
  launch_in_parts(count, RelaxationMove{.solid = pairs.solid,  // ways as long as they are
                                        .damping = 1,
                                        .longest = 0,
                                        .greatest = no_bound_.const_view(),
                                        .displacement = next_.const_view(),
                                        .from = pairs.grid.position,
                                        .position = position,
                                        .moved = moved});
  std::swap(velocity_, next_);
}

MERGANSER_END
