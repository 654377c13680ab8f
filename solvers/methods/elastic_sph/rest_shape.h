#pragma once
/// The rest shape of elastic bodies: neighbors, volumes, kernel correction ([ES] sec. 3.2).
#include <string>
#include <vector>

#include "device/particle_store.h"
#include "solvers/core/initial_state.h"

MERGANSER_BEGIN

/// Constants of one body in kernels.
struct ElasticBody {
  double smoothing_length;  ///< [m] h; the support is 2h
  double volume;            ///< [m^3] spacing^3, to which relative volumes refer
  double mu, lambda;        ///< [Pa] Lame parameters
  double alpha;             ///< of the implicit zero-energy control
  double youngs_modulus;    ///< [Pa]
  int rest_shape_of = -1;   ///< see ElasticMaterial
};

/// [1/m^2] and dimensionless pair weights at distance r; times relative volumes they give the sums of [ES]:
///   gradient  V_j grad W_ij = V^_j gradient X_ji,   value  V_j W_ij / |X_ij|^2 = V^_j value
struct PairWeights {
  double gradient;  ///< [1/m^2]
  double value;     ///< [1/m^2]
};
PairWeights pair_weights(const ElasticBody& body, double distance);

/// Symmetric 3 x 3 matrix of doubles: xx, xy, xz, yy, yz, zz.
using Symmetric6 = std::array<double, 6>;

/// On the host, in double; local indices of the system.
struct RestShape {
  /// Throws InputError where a material does not fit or two particles are at the same place. The state's
  /// rest positions are the rest shape, or without any the particles' positions; of bodies that have the rest
  /// shape of another one that one's, to the bit.
  RestShape(const SystemState& state, const ParticleStore& store, Range range);

  int count() const { return static_cast<int>(position.size()); }
  const ElasticBody& body(int i) const { return bodies[size_t(body_of[size_t(i)])]; }
  /// X_j - X_i.
  Vec3d offset(int i, int j) const { return position[size_t(j)] - position[size_t(i)]; }
  /// (V_j L_i grad W_ij), the factor of x_ji in [ES] eq. 9.
  Vec3d gradient(int i, int j) const;

  std::vector<ElasticBody> bodies;   ///< by body index of the scene; spacing 0 where of another system
  std::vector<int> body_of;          ///< per particle
  std::vector<char> free;            ///< per particle: 1 where nothing holds it once its body has started
  std::vector<Vec3d> position;       ///< [m] X; of a copy at the place of its original
  std::vector<int> first, neighbor;  ///< N_i^0 without i, ascending, symmetric
  std::vector<double> volume;        ///< V^_i = V_i / spacing^3, see ElasticVolumes
  /// L_i, [ES] eq. 8 for unit gradients; on the span of the neighbors' directions, zero across it.
  std::vector<Symmetric6> correction;
  std::vector<Symmetric6> span;  ///< projector onto that span: the identity but for degenerate neighborhoods
  int degenerate = 0;            ///< particles whose neighbors do not span space
  int first_degenerate = -1;     ///< the first of them, -1 = none
};

MERGANSER_END
