#pragma once
/// Positions to more than float, for forces. A step moves a particle by little against its distance from the
/// origin; rounded there, the error is fresh noise in every step's strain, about 1e-7 |x| over the spacing,
/// and can outweigh the forces that matter in a stiff body. So what rounding takes off is kept: x +
/// rounding_error is the position, in double or a pair of floats wherever differences of positions are taken.
#include <string>

#include "device/particle_store.h"
#include "solvers/base/state_archive.h"
#include "solvers/methods/elastic_sph/lane_fields.h"

MERGANSER_BEGIN

/// Positions of a system's particles at which forces and energies are asked for, and what rounding took off
/// those of the store.
class ExactPositions {
 public:
  /// For particles of the store that have not moved yet.
  ExactPositions(int system_index, int count);
  /// Those of the store after a time dt [s] with these velocities [m/s], local indices.
  /// With a change: velocities are velocity + change, exactly, for their sum in float is too coarse near
  /// rest.
  void set(const ParticleStore& particles, View<const Vec3> velocity = {}, double dt = 0,
           View<const Vec3> change = {});
  /// Any positions [m].
  void set(View<const Vec3> x);
  /// Those at the last begin_step() after a time dt [s] with these velocities.
  void set_from_begin(View<const Vec3> velocity, double dt);
  LaneView<const PreciseNumber> view() const { return position_.view(); }

  /// The positions of the store are those at the beginning of a step.
  void begin_step(const ParticleStore& particles);
  /// The positions of the store have advanced by dt v: rounds them to nearest and keeps the rest.
  void end_step(ParticleStore& particles, View<const Vec3> velocity, double dt);

  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);

 private:
  int system_index_;
  PreciseFields position_;               ///< [m]
  Array<Vec3> rounding_error_, before_;  ///< [m] see KeepRoundingError; at the beginning of the step
};

/// The vectors of an array of a checkpoint.
std::vector<Vec3> archived_vectors(const StateArchive& archive, const std::string& name);
void archive_vectors(StateArchive& archive, const std::string& name, const Array<Vec3>& vectors);

/// Components 0 to 2: x + rounding_error + dt v + dt u.
struct PrecisePositions {
  static constexpr const char* name = "elastic positions";
  View<const Vec3> position, rounding_error, velocity;  ///< [m], [m] or empty, [m/s] or empty
  View<const Vec3> change;                              ///< [m/s] u, or empty
  PreciseNumber dt;                                     ///< [s]
  LaneView<PreciseNumber> to;
  MERGANSER_METHOD void operator()(int i) const {
    using Number = PreciseNumber;
    Vector3<Number> x = vector_cast<Number>(position[i]);
    if (!rounding_error.empty()) x += vector_cast<Number>(rounding_error[i]);
    if (!velocity.empty()) x += dt * vector_cast<Number>(velocity[i]);
    if (!change.empty()) x += dt * vector_cast<Number>(change[i]);
    to.store_vector(0, i, x);
  }
};

/// After positions have advanced by dt v: what rounding took off, and positions rounded to nearest. Where
/// something else has moved a particle (a wall), its position is what it is.
struct KeepRoundingError {
  static constexpr const char* name = "elastic keep rest";
  View<const Vec3> before, velocity;    ///< [m] at the beginning of the step, [m/s] with which it advanced
  float dt;                             ///< [s]
  View<Vec3> position, rounding_error;  ///< [m], updated
  MERGANSER_METHOD void operator()(int i) const {
    using Number = PreciseNumber;
    using Size = std::conditional_t<MERGANSER_GPU_HALF, float, double>;
    const Vec3 x = position[i];
    const Vector3<Number> step =
        vector_cast<Number>(rounding_error[i]) + Number(dt) * vector_cast<Number>(velocity[i]);
    const Vector3<Number> moved = vector_cast<Number>(before[i]) + step;
    const auto off = vector_cast<Size>(moved - vector_cast<Number>(x));
    constexpr Size two_roundings = 2.5e-7;
    const Size size = fabs(Size(x.x)) + fabs(Size(x.y)) + fabs(Size(x.z));
    if (norm(off) <= two_roundings * size) {
      const Vec3 nearest = vector_cast<float>(moved);
      position[i] = nearest;
      // The difference in float is exact. (g++ 12 takes double(float(moved)) for moved when it makes
      // vectors.)
      rounding_error[i] = vector_cast<float>(vector_cast<Number>(before[i] - nearest) + step);
    } else {
      rounding_error[i] = {0, 0, 0};
    }
  }
};

/// u_j - u_i.
template <class Real, class Stored>
struct Difference {
  LaneView<const Stored> vector;
  Vector3<Real> own;
  MERGANSER_METHOD Difference(const LaneView<const Stored>& from, int i)
      : vector(from), own(from.template load_vector<Real>(0, i)) {}
  MERGANSER_METHOD Vector3<Real> operator()(int j) const {
    return vector.template load_vector<Real>(0, j) - own;
  }
};
/// Of positions as PrecisePositions left them.
using PositionDifference = Difference<PreciseLanes, PreciseNumber>;
/// Of any other vector.
using VectorDifference = Difference<Lanes, float>;

MERGANSER_END
