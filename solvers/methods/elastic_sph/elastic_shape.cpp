#include "solvers/methods/elastic_sph/elastic_shape.h"

MERGANSER_BEGIN

ElasticShape::ElasticShape(const RestShape& shape, ZeroEnergyControl control)
    : neighbors_(shape), count_(shape.count()) {
  std::vector<std::vector<float>> field(rest::components, std::vector<float>(size_t(count_)));
  for (int i = 0; i < count_; ++i) {
    const size_t at = size_t(i);
    const ElasticBody& body = shape.body(i);
    const double volume = shape.volume[at] * body.volume;
    Symmetric6 moment{};
    Vec3d gradient_sum{0, 0, 0}, value_sum{0, 0, 0};
    const Vec3d stored = to_double(to_float(shape.position[at]));
    for (int e = shape.first[at]; e < shape.first[at + 1]; ++e) {
      const int j = shape.neighbor[size_t(e)];
      const Vec3d d = shape.offset(i, j);
      const PairWeights weights = pair_weights(body, norm(d));
      const double x[3] = {d.x, d.y, d.z}, other = shape.volume[size_t(j)];
      for (int a = 0, k = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b, ++k) moment[size_t(k)] += other * weights.value * x[a] * x[b];
      gradient_sum += (other * weights.gradient) * d;
      value_sum += (double(float(other)) * double(float(weights.value))) *
                   (to_double(to_float(shape.position[size_t(j)])) - stored);
    }
    auto set = [&](int component, double value) { field[size_t(component)][at] = static_cast<float>(value); };
    auto set_vector = [&](int component, const Vec3d& v) {
      set(component, v.x), set(component + 1, v.y), set(component + 2, v.z);
    };
    set_vector(rest::position, shape.position[at]);
    set(rest::volume, shape.volume[at]);
    for (int k = 0; k < 6; ++k) {
      set(rest::correction + k, shape.correction[at][size_t(k)]);
      set(rest::moment + k, moment[size_t(k)]);
      set(rest::span + k, shape.span[at][size_t(k)]);
    }
    set(rest::stretching, 2 * body.mu * volume);
    set(rest::dilation, body.lambda * volume);
    if (control == ZeroEnergyControl::implicit_energy) {
      set(rest::control, body.alpha * body.mu * volume);
      controlled_ = controlled_ || body.alpha > 0;
    } else {
      set(rest::penalty, body.alpha * body.youngs_modulus * volume);
      penalised_ = penalised_ || body.alpha > 0;
    }
    set_vector(rest::gradient_sum, gradient_sum);
    set_vector(rest::value_sum, value_sum);
    set_vector(rest::value_rest, value_sum - to_double(to_float(value_sum)));
  }
  rest_.resize(count_, rest::components);
  for (int k = 0; k < rest::components; ++k) rest_.assign(k, field[size_t(k)]);
}

MERGANSER_END
