#include "solvers/observables/shape_error.h"

#include <algorithm>

#include "device/sum_of.h"
#include "solvers/core/observable.h"

MERGANSER_BEGIN

struct SumMoments {
  static constexpr const char* name = "shape moments";
  using Value = ShapeError::Moments;
  ParticleConstView particles;
  View<const Vec3> rest;  ///< [m] by local index
  int first, body;
  Vec3d origin;  ///< [m] near the body, so that rounding of far coordinates does not matter
  MERGANSER_METHOD Value operator()(int k) const {
    const int i = first + k;
    if (particles.body[i] != body) return identity();
    const double m = particles.mass[i];
    const Vec3d x = to_double(particles.position[i]) - origin, r = to_double(rest[k]) - origin;
    return {m, m * x, m * r, {m * r.x * x, m * r.y * x, m * r.z * x}};
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {a.mass + b.mass,
            a.place + b.place,
            a.rest + b.rest,
            {a.column[0] + b.column[0], a.column[1] + b.column[1], a.column[2] + b.column[2]}};
  }
};

/// From the moments to the fit; a launch of one.
struct FitShape {
  static constexpr const char* name = "shape fit";
  View<const ShapeError::Moments> moments;
  Vec3d origin;
  View<ShapeError::Fit> fit;
  MERGANSER_METHOD void operator()(int) const {
    const ShapeError::Moments& sum = moments[0];
    fit[0] = {sum.mass, {0, 0, 0}, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (!(sum.mass > 0)) return;
    const Vec3d place = sum.place / sum.mass, rest = sum.rest / sum.mass;
    // sum m (x - x_mean) (X - X_mean)^T
    const auto column = [&](int k, double r) { return sum.column[k] - (sum.mass * r) * place; };
    const Matrix3<double> covariance{column(0, rest.x), column(1, rest.y), column(2, rest.z)};
    const UnitQuaternion turn = polar_rotation_by_eigenvector(covariance, {0, 0, 0, 1});
    fit[0] = {sum.mass, origin + place, origin + rest, rotation_matrix(turn)};
  }
};

struct SumDistances {
  static constexpr const char* name = "shape distances";
  ParticleConstView particles;
  View<const Vec3> rest;
  int first, body;
  View<const ShapeError::Fit> fit;
  MERGANSER_METHOD double operator()(int k) const {
    const int i = first + k;
    if (particles.body[i] != body) return 0;
    const Vec3d off = to_double(particles.position[i]) - fit[0].place -
                      fit[0].rotation * (to_double(rest[k]) - fit[0].rest_centre);
    return double(particles.mass[i]) * norm(off);
  }
};

ShapeError::ShapeError(int system, int body, const std::vector<Float3>& rest) : system_(system), body_(body) {
  std::vector<Vec3> points;
  for (const Float3& x : rest) points.push_back({x[0], x[1], x[2]});
  rest_.assign(points);
  if (!points.empty()) origin_ = to_double(points[0]);
}

void ShapeError::measure(const ParticleStore& particles) {
  const Range range = particles.range(system_);
  if (size_ == 0) {
    const auto bodies = to_host(particles.body.const_view().subview(range.first, range.count));
    const auto points = rest_.to_host();
    Vec3 low{3e38f, 3e38f, 3e38f}, high{-3e38f, -3e38f, -3e38f};
    for (size_t k = 0; k < points.size(); ++k) {
      if (bodies[k] != body_) continue;
      const Vec3& x = points[k];
      low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
      high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
    }
    size_ = double(std::max({high.x - low.x, high.y - low.y, high.z - low.z}));
  }
  const ParticleConstView view = particles.const_view();
  moments_.run(range.count, SumMoments{view, rest_.const_view(), range.first, body_, origin_});
  launch(1, FitShape{moments_.result(), origin_, fit_.view()});
  fit_.written();
  distance_.run(range.count,
                sum_of(SumDistances{view, rest_.const_view(), range.first, body_, fit_.const_view()}));
}

double ShapeError::measured() const {
  const double mass = fit_.fetched().mass;
  return mass > 0 && size_ > 0 ? distance_.fetched() / (mass * size_) : 0;
}

namespace {
class ShapeErrors final : public Observable {
 public:
  explicit ShapeErrors(const InitialState& initial) : asked_(initial.requests("shape_error")) {
    for (const MeasureRequest& of : asked_)
      bodies_.emplace_back(of.system, of.body, initial.systems[size_t(of.system)].rest_position);
  }
  Columns columns() const override { return columns_for(asked_); }
  void after_step(const ObservedParts& parts, const StepContext&) override {
    for (ShapeError& body : bodies_) body.measure(parts.particles);
  }
  void write(const ObservedParts&, const StepOutcome&, StatisticsRow& row) const override {
    for (size_t k = 0; k < asked_.size(); ++k) row.set(asked_[k].column, bodies_[k].measured());
  }

 private:
  std::vector<MeasureRequest> asked_;
  std::vector<ShapeError> bodies_;
};
}  // namespace

std::unique_ptr<Observable> make_shape_error(const InitialState& initial) {
  return std::make_unique<ShapeErrors>(initial);
}

MERGANSER_END
