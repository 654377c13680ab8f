#pragma once
/// The sequence of a step of the blue-noise sampling (blue_noise.h), with the velocities that it remembers.
#include "device/array.h"
#include "solvers/geometry/relaxation/blue_noise.h"
#include "solvers/geometry/relaxation/relaxed_sampling.h"

MERGANSER_BEGIN

class BlueNoiseSteps {
 public:
  BlueNoiseSteps(const BlueNoiseParameters& parameters, double spacing);
  /// [m] a: rest spacing.
  float spacing() const { return spacing_; }
  /// `pairs` of the rest spacing, `order` of its grid; positions [m] and squares of ways [m^2] are written.
  void step(const RelaxationPairs& pairs, View<const int> order, View<Vec3> position, View<float> moved);

 private:
  BlueNoiseParameters parameters_;
  float spacing_;
  Array<float> density_, no_bound_;
  Array<Vec3> velocity_, next_;
};

MERGANSER_END
