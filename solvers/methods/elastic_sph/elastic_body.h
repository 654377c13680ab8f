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
  /// Both have the same rest shape, turned and shifted, of the same material.
  bool is_copy_of(const SoftSolidBody& other) const;
  /// And the same particles held: then both have the same matrix.
  bool has_matrix_of(const SoftSolidBody& other) const;
  bool operator==(const SoftSolidBody&) const = default;
  /// A copy of an earlier body gets that one's particles, turned and shifted, in the same order.
  void add_to(SystemState& system, const BodySite& site) const override;

 private:
  /// [m] of its rest shape at its place; says in `made` whose shape that is.
  std::vector<Float3> rest_points(const SystemState& system, const BodySite& site,
                                  ElasticMaterial& made) const;
};

}  // namespace merganser
