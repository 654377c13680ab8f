#pragma once
/// Cloths and ropes of a mass-spring system.
#include <map>

#include "solvers/core/held_parts.h"

namespace merganser {

/// Particles and springs of a body before it joins its system: indices are its own.
struct SpringNetwork {
  std::vector<Float3> position;  ///< [m]
  std::vector<double> mass;      ///< [kg]
  double radius = 0;             ///< [m]
  std::vector<Spring> springs;
  std::vector<Triangle> triangles;
  std::map<std::string, std::vector<char>> named;  ///< what the words of "pinned" mean
};

/// What all of them have.
struct NetworkBody : BodyParameters {
  static const std::vector<BodyKind>& kinds();
  double stretch_stiffness = 1000;  ///< [N/m]
  double bending_stiffness = 0;     ///< [N m]
  Regions pinned;
  std::vector<PrescribedPart> prescribed;
  Point3 translation{0, 0, 0};  ///< [m]
  virtual SpringNetwork network(const BodySite& site) const = 0;
  void add_to(SystemState& system, const BodySite& site) const override;
};

struct SheetBody final : NetworkBody {
  Point3 origin{0, 0, 0}, edge_u{1, 0, 0}, edge_v{0, 1, 0};  ///< [m]
  double spacing = 0;                                        ///< [m] at resolution 1
  double areal_density = 1;                                  ///< [kg/m^2]
  double shear_stiffness = 0;                                ///< [N/m]
  std::optional<SkinBinding> skin_binding(const SystemState&, const BodySite&) const override {
    return SkinBinding{SkinMotion::sheet};
  }
  /// Particles along both edges.
  std::array<double, 2> particles_along(double resolution) const;
  double expected_particles(const BodySite& site) const override;
  BodyEstimate estimate(const BodySite& site, const SystemState&) const override;
  SpringNetwork network(const BodySite& site) const override;
};

struct ClothMeshBody final : NetworkBody {
  ShapeParameters shape;     ///< the mesh
  double areal_density = 1;  ///< [kg/m^2]
  ShapeParameters* meshed_shape() override { return &shape; }
  std::optional<SkinBinding> skin_binding(const SystemState&, const BodySite&) const override {
    return SkinBinding{SkinMotion::sheet};
  }
  double expected_particles(const BodySite&) const override { return 0; }
  BodyEstimate estimate(const BodySite&, const SystemState&) const override;
  SpringNetwork network(const BodySite& site) const override;
};

struct RopeBody final : NetworkBody {
  Point3 start{0, 0, 0}, end{1, 0, 0};  ///< [m]
  double spacing = 0;                   ///< [m] at resolution 1
  double line_density = 1;              ///< [kg/m]
  double expected_particles(const BodySite& site) const override;
  BodyEstimate estimate(const BodySite& site, const SystemState&) const override;
  SpringNetwork network(const BodySite& site) const override;
};

}  // namespace merganser
