#pragma once
/// Initial fluid of any fluid method.
#include "solvers/core/body.h"

namespace merganser {

struct FluidBody final : FilledBody {
  static const std::vector<BodyKind>& kinds();
  Packing packing = Packing::cubic;
  double jitter = 0;  ///< share of the spacing
  Sampling sampling(const BodySite& site) const override;
  double density(const SystemState& system) const override { return system.fluid.density0; }
  void add_to(SystemState& system, const BodySite& site) const override;
};

}  // namespace merganser
