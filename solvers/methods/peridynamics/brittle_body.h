#pragma once
/// Brittle or unbreakable solids of a peridynamics system.
#include "solvers/core/held_parts.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"

namespace merganser {

struct BrittleBody final : FilledBody {
  /// A parallelogram; bonds across it are broken from the beginning.
  struct Crack {
    static const ParameterTable& table();
    Point3 corner{0, 0, 0}, edge_u{1, 0, 0}, edge_v{0, 1, 0};  ///< [m], moved with the body
  };
  /// A force on the particles in a box.
  struct Load {
    static const ParameterTable& table();
    std::array<Point3, 2> box{};             ///< [m]
    Point3 acceleration{0, 0, 0};            ///< [m/s^2]
    double start_time = 0, end_time = 1e30;  ///< [s]
  };
  static const std::vector<BodyKind>& kinds();
  double density0 = 1000;       ///< [kg/m^3]
  double youngs_modulus = 1e6;  ///< [Pa]
  double fracture_energy = 0;   ///< [J/m^2] G0
  double critical_stretch = 0;  ///< one follows from the other; with neither the body is unbreakable
  double stretch_scatter = 0;
  Regions pinned;
  std::vector<PrescribedPart> prescribed;
  std::vector<Crack> pre_cracks;
  std::vector<Load> loads;
  Sampling sampling(const BodySite& site) const override { return {.spacing = site.spacing(), .seed = 0}; }
  double density(const SystemState&) const override { return density0; }
  std::optional<SkinBinding> skin_binding(const SystemState& system, const BodySite& site) const override;
  void add_to(SystemState& system, const BodySite& site) const override;
  PeridynamicMaterial material(const BodySite& site) const;
};

}  // namespace merganser
