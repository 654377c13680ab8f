#include "solvers/geometry/relaxation/relaxed_sampling.h"

#include <cmath>
#include <optional>
#include <sstream>

#include "device/errors.h"
#include "device/launch_in_parts.h"
#include "device/sum_of.h"
#include "solvers/geometry/relaxation/blue_noise_steps.h"
#include "solvers/geometry/relaxation/particle_order.h"
#include "solvers/geometry/relaxation/relaxation.h"
#include "solvers/geometry/relaxation/start_particles.h"
#include "solvers/geometry/sampling/unit_of_length.h"

MERGANSER_BEGIN

namespace {

/// The CPU looks at eight particles of a row of cells at a time, which should be as many.
constexpr int cells_of_support = MERGANSER_GPU_HALF ? 2 : 1;

struct SquareOf {
  static constexpr const char* name = "relaxation moved";
  View<const float> value;
  MERGANSER_METHOD double operator()(int i) const { return value[i]; }
};

/// [m] in the middle of the solid beside the particles.
struct Depths {
  static constexpr const char* name = "relaxation depths";
  FilledSolidView solid;
  View<const Vec3> position;
  MERGANSER_METHOD float operator()(int i) const {
    return fmaxf(solid.depth(solid.middle(position[i])).distance, 0.0f);
  }
};

/// Sums over particles whose kernel does not reach the surface.
struct DensitySums {
  double count = 0, excess = 0, square = 0;  ///< of rho - 1
  MERGANSER_METHOD friend DensitySums operator+(const DensitySums& a, const DensitySums& b) {
    return {a.count + b.count, a.excess + b.excess, a.square + b.square};
  }
};
struct DeepDensity {
  static constexpr const char* name = "relaxation density spread";
  RelaxationPairs pairs;
  View<const float> density;
  MERGANSER_METHOD DensitySums operator()(int i) const {
    if (!(pairs.solid.depth(pairs.grid.position[i]).distance > pairs.support())) return {};
    const double e = double(density[i]) - 1;
    return {1, e, e * e};
  }
};

/// Greatest of -r, for distances that are none are 0.
struct Nearness {
  static constexpr const char* name = "relaxation nearest pair";
  RelaxationPairs pairs;
  MERGANSER_METHOD float operator()(int i) const {
    float nearest = pairs.support();
    pairs.for_each_other(i, [&](int, const Vec3&, float r) { nearest = fminf(nearest, r); });
    return pairs.support() - nearest;
  }
};

struct InOrder {
  static constexpr const char* name = "relaxation in order";
  View<const int> order;
  View<const Vec3> from;
  View<Vec3> to;  ///< written
  MERGANSER_METHOD void operator()(int i) const { to[i] = from[order[i]]; }
};

/// Works in the frame of the solid.
class Relaxation {
 public:
  Relaxation(const FilledSolid& solid, const RelaxationParameters& parameters)
      : solid_(solid),
        parameters_(parameters),
        spacing_(parameters.spacing / solid.unit()),
        position_(start_particles(solid)),
        blue_noise_(parameters.blue_noise, spacing_) {
    expect_thick();
    const int count = position_.size();
    for (Array<float>* array : {&density_, &stiffness_, &moved_}) array->resize(count);
    for (Array<Vec3>* array : {&outside_, &displacement_}) array->resize(count);
  }

  void step() {
    const bool blue_noise = parameters_.forces == RelaxationForces::blueNoise;
    const float spacing = blue_noise ? blue_noise_.spacing() : solid_.spacing();
    find_pairs(spacing);
    const RelaxationPairs with = pairs(spacing);
    if (blue_noise) {
      blue_noise_.step(with, grid_.order(), position_.view(), moved_.view());
      return;
    }
    const int count = position_.size();
    launch_in_parts(count, RelaxationDensity{with, density_.view(), stiffness_.view(), outside_.view()});
    launch_in_parts(count, RelaxationDisplacement{.pairs = with,
                                                  .cohesion = float(parameters_.cohesion),
                                                  .adhesion = float(parameters_.adhesion),
                                                  .density = density_.const_view(),
                                                  .stiffness = stiffness_.const_view(),
                                                  .outside = outside_.const_view(),
                                                  .displacement = displacement_.view()});
    longest_.run(count, maximum_of(DisplacementLength{displacement_.const_view()}));
    launch_in_parts(count, RelaxationMove{.solid = with.solid,
                                          .damping = float(parameters_.damping),
                                          .longest = float(parameters_.step * 0.4) * with.spacing,
                                          .greatest = longest_.result(),
                                          .displacement = displacement_.const_view(),
                                          .from = with.grid.position,
                                          .position = position_.view(),
                                          .moved = moved_.view()});
  }
  /// In spacings, root mean square of the last step. Waits.
  double moved() {
    sum_.run(position_.size(), sum_of(SquareOf{moved_.const_view()}));
    return std::sqrt(sum_.read() / position_.size()) / spacing_;
  }
  int count() const { return position_.size(); }

  /// The particles as they are, and what they are like.
  RelaxedSample result() {
    find_pairs(solid_.spacing());
    const RelaxationPairs with = pairs(solid_.spacing());
    launch_in_parts(count(), RelaxationDensity{with, density_.view(), stiffness_.view(), outside_.view()});
    Reduction<DensitySums> sums;
    sums.run(count(), sum_of(DeepDensity{with, density_.const_view()}));
    longest_.run(count(), maximum_of(Nearness{with}));
    RelaxedSample made;
    const DensitySums deep = sums.read();
    made.deep = int(deep.count);
    if (deep.count > 0) {
      const double mean = deep.excess / deep.count;
      made.density_spread = std::sqrt(std::max(0.0, deep.square / deep.count - mean * mean));
    }
    made.nearest = (double(with.support()) - double(longest_.read())) * solid_.unit();
    made.position = points();
    return made;
  }
  /// Positions where the mesh is, metres, along lines.
  std::vector<Float3> points() {
    const Array<int> order = line_order(position_.const_view(), solid_.spacing(), scratch_);
    Array<Vec3> sorted(count());
    launch(count(), InOrder{order.const_view(), position_.const_view(), sorted.view()});
    std::vector<Float3> made;
    made.reserve(size_t(count()));
    for (const Vec3& x : sorted.to_host()) made.push_back(solid_.in_metres(x));
    return made;
  }

 private:
  void find_pairs(float spacing) {
    const float pad = spacing;
    grid_.build(position_.const_view(), {{-pad, -pad, -pad}, solid_.extent() + Vec3{pad, pad, pad}},
                2 * spacing, cells_of_support);
  }
  RelaxationPairs pairs(float spacing) const {
    return {grid_.view(), solid_.view(), CubicSpline<float>(spacing), spacing};
  }
  /// Throws InputError where no particle is as deep as its radius.
  void expect_thick() {
    longest_.run(count(), maximum_of(Depths{solid_.view(), position_.const_view()}));
    const double deepest = longest_.read(), thickness = 2 * deepest;
    if (deepest > 0.45 * spacing_) return;  // the grid tells it to a part of a cell
    std::ostringstream message;
    message << "the mesh is nowhere thicker than about " << thickness * solid_.unit()
            << " m, less than the particle spacing of " << parameters_.spacing
            << " m, so that no particle of the relaxed sampling fits; thicken it or make the spacing smaller "
               "(particleRadius, --resolution, --spacing)";
    throw InputError(message.str());
  }

  const FilledSolid& solid_;
  RelaxationParameters parameters_;
  double spacing_;  ///< [m]
  Array<Vec3> position_, outside_, displacement_;
  Array<float> density_, stiffness_, moved_;
  UniformGrid grid_;
  BlueNoiseSteps blue_noise_;
  Reduction<float> longest_;
  Reduction<double> sum_;
  Scratch scratch_;
};

FilledSolid solid_of(const TriangleMesh& mesh, const RelaxationParameters& parameters) {
  return {mesh, parameters.spacing, unit_of(parameters.spacing)};
}

/// Throws DivergenceError where the last steps have not led to places.
void expect_finite(const RelaxationProgress& now) {
  if (std::isfinite(now.moved)) return;
  throw DivergenceError("after " + std::to_string(now.iterations) +
                        " steps of the relaxed sampling positions are not finite; take the lattice "
                        "(\"sampling\": \"lattice\", --method lattice) or another spacing");
}

}  // namespace

std::vector<Float3> start_points(const TriangleMesh& mesh, const RelaxationParameters& parameters) {
  const FilledSolid solid = solid_of(mesh, parameters);
  return Relaxation(solid, parameters).points();
}

RelaxedSample relaxed_sample(const TriangleMesh& mesh, const RelaxationParameters& parameters,
                             const OnRelaxation& progress, const StopAsked& stop) {
  RelaxationProgress now{.particles = int(relaxed_count(std::abs(mesh_volume(mesh)), parameters.spacing)),
                         .most_iterations = parameters.most_iterations};
  const auto tell = [&] {
    if (progress) progress(now);
  };
  const auto expect_to_go_on = [&] {
    if (!stop || !stop()) return;
    now.ended = true;
    tell();
    throw RelaxationStopped();
  };
  std::optional<BetweenParts> between_parts;
  if (progress || stop)
    between_parts.emplace([&](const LaunchedPart& part) {
      expect_to_go_on();
      if (now.prepared) return;
      now.preparing = part.name;
      now.share = double(part.done) / part.count;
      tell();
    });
  now.preparing = "surface";
  tell();
  const FilledSolid solid = solid_of(mesh, parameters);
  expect_to_go_on();
  Relaxation relaxation(solid, parameters);
  expect_to_go_on();
  now.prepared = true;
  now.particles = relaxation.count();
  tell();
  constexpr int looked_at = 10;  // steps between two looks at the motion, each of which waits for the device
  while (!now.ended) {
    for (int k = 0; k < looked_at; ++k) relaxation.step();
    now.iterations += looked_at;
    now.moved = relaxation.moved();
    expect_finite(now);
    now.ended = now.moved < parameters.settled || now.iterations >= parameters.most_iterations;
    tell();
  }
  RelaxedSample made = relaxation.result();
  made.iterations = now.iterations;
  made.moved = now.moved;
  return made;
}

MERGANSER_END
