/// Water level along a line: where the share of the fluid's kernel that is filled falls below one half for
/// the last time, as a distance from the line's start.
#include <algorithm>
#include <cmath>

#include "device/compact.h"
#include "device/row_sums.h"
#include "solvers/observables/probes/level_line.h"
#include "solvers/observables/probes/point_sums.h"
#include "solvers/observables/probes/probe.h"

MERGANSER_BEGIN

namespace {

/// 1 for a particle whose kernel reaches the line.
struct ReachesLine {
  static constexpr const char* name = "probe: near a line";
  LevelLine line;
  float support;  ///< [m]
  Vec3 period;    ///< [m], 0 = open
  View<const Vec3> position;
  View<int> flag;  ///< written
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 offset = nearest_image(position[i] - line.middle(), period);
    flag[i] = norm_squared(offset - line.along(offset)) < support * support ? 1 : 0;
  }
};

/// Share of the kernel that is filled at every point of the line.
template <class Kernel>
struct FillOfLine {
  static constexpr const char* name = "probe: fill along a line";
  using Value = float;
  LevelLine line;
  KernelShare<Kernel> share;
  View<const Vec3> position;
  View<const int> near;  ///< particles that reach the line, ascending
  View<const int> near_count;
  View<float> fill;  ///< per point, written; added to where there are fluids before this one
  bool first;
  MERGANSER_METHOD int begin(int) const { return 0; }
  MERGANSER_METHOD int end(int) const { return near_count[0]; }
  MERGANSER_METHOD float operator()(int row, int k) const {
    return share(line.point(row), position[near[k]]);
  }
  MERGANSER_METHOD static float identity() { return 0; }
  MERGANSER_METHOD static float combine(float a, float b) { return a + b; }
  MERGANSER_METHOD void finish(int row, float sum) const { fill[row] = (first ? 0.0f : fill[row]) + sum; }
};

class WaterLevelProbe final : public Probe {
 public:
  WaterLevelProbe(const ProbeParameters& parameters, const InitialState& initial)
      : period_(periodic_length(initial)), fluids_(probed_fluids(parameters, initial)) {
    double least = std::numeric_limits<double>::infinity();
    for (const int s : fluids_) {
      const double spacing = 2 * initial.systems[size_t(s)].fluid.particle_radius;
      volumes_.push_back(std::pow(spacing, 3));
      least = std::min(least, spacing);
    }
    line_ = LevelLine(vec3d(parameters.start), vec3d(parameters.end), least / 2);
    fill_.resize(line_.points);
  }
  void measure(const ProbedStep& step) override {
    for (size_t k = 0; k < fluids_.size(); ++k)
      std::visit([&](const auto& kernel) { add_fluid(step.parts, k, kernel, step.scratch); },
                 fluid_fields(step.parts, fluids_[k]).smoothing_kernel());
    last_.run(line_.points, LastFilled{fill_.const_view()});
  }
  std::vector<double> values() const override { return {line_.level(last_.fetched())}; }

 private:
  template <class Kernel>
  void add_fluid(const ObservedParts& parts, size_t k, const Kernel& kernel, ProbeScratch& scratch) {
    const Range own = parts.particles.range(fluids_[k]);
    const View<const Vec3> position = parts.particles.position.const_view().subview(own.first, own.count);
    const KernelShare<Kernel> share(kernel, volumes_[k], period_);
    scratch.flags.resize(own.count);
    scratch.selected.resize(own.count);
    scratch.count.resize(1);
    launch(own.count, ReachesLine{.line = line_,
                                  .support = share.support,
                                  .period = period_,
                                  .position = position,
                                  .flag = scratch.flags.view()});
    compact_indices(scratch.flags.const_view(), scratch.selected.view(), scratch.count.view(),
                    scratch.offsets, scratch.bytes);
    launch_row_sums(line_.points, FillOfLine<Kernel>{.line = line_,
                                                     .share = share,
                                                     .position = position,
                                                     .near = scratch.selected.const_view(),
                                                     .near_count = scratch.count.const_view(),
                                                     .fill = fill_.view(),
                                                     .first = k == 0});
  }
  Vec3 period_;  ///< [m]
  std::vector<int> fluids_;
  std::vector<double> volumes_;  ///< [m^3] of a particle, per fluid
  LevelLine line_;
  Array<float> fill_;
  Reduction<FilledPoint> last_;
};

}  // namespace

std::unique_ptr<Probe> make_water_level_probe(const ProbeParameters& probe, const InitialState& initial) {
  return std::make_unique<WaterLevelProbe>(probe, initial);
}

MERGANSER_END
