#pragma once
/// Bodies of a system of rigid bodies.
#include "solvers/core/body.h"
#include "solvers/methods/rigid/rigid_parameters.h"

namespace merganser {

struct RigidBody final : FilledBody {
  static const std::vector<BodyKind>& kinds();
  double density0 = 0;  ///< [kg/m^3] or
  double mass = 0;      ///< [kg] of the body
  RigidJoint joint = RigidJoint::free;
  Point3 axis{0, 0, 1}, point{0, 0, 0};
  bool kinematic = false;
  std::vector<RigidMotion> motions;
  Sampling sampling(const BodySite& site) const override { return {.spacing = site.spacing(), .seed = 0}; }
  double density(const SystemState&) const override { return density0; }
  /// Its particles share out the mass of the shape.
  double mass_of_shape(const SystemState&, const BodySite&, double) const override { return 0; }
  BodyEstimate estimate(const BodySite& site, const SystemState& system) const override;
  std::optional<SkinBinding> skin_binding(const SystemState&, const BodySite&) const override {
    return SkinBinding{.motion = SkinMotion::rigid};
  }
  void add_to(SystemState& system, const BodySite& site) const override;
};

}  // namespace merganser
