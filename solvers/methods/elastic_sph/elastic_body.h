#pragma once
/// Soft solids of an elastic SPH system.
#include "solvers/core/held_parts.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"

namespace merganser {

struct SoftSolidBody final : FilledBody {
  static const std::vector<BodyKind>& kinds();
  double density0 = 1000;  ///< [kg/m^3]
  ElasticMaterial material;
  Packing packing = Packing::cubic;
  double jitter = 0;        ///< share of the spacing
  double displacement = 0;  ///< [m] of the start off the rest shape, at most
  Regions pinned;
  std::vector<PrescribedPart> prescribed;
  Sampling sampling(const BodySite& site) const override;
  double density(const SystemState&) const override { return density0; }
  std::optional<SkinBinding> skin_binding(const SystemState&, const BodySite&) const override {
    return SkinBinding{.motion = SkinMotion::deforming};
  }
  /// Non-zeros of the factor of its matrix.
  double factor_nonzeros(const BodyEstimate& of_it) const;
  /// True where both have the same matrix: they differ in where they are and how they move, at most.
  bool has_matrix_of(const SoftSolidBody& other) const;
  bool operator==(const SoftSolidBody&) const = default;
  void add_to(SystemState& system, const BodySite& site) const override;
};

}  // namespace merganser
