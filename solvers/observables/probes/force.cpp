/// Force and torque on the held particles of a body, on a whole body or on a wall, as means over the steps
/// since the last row.
#include "solvers/core/held_impulses.h"
#include "solvers/core/held_parts.h"
#include "solvers/coupling/boundary/wall_contact.h"
#include "solvers/coupling/merge_split/merge_split.h"
#include "solvers/geometry/walls/rigid_pose.h"
#include "solvers/observables/probes/held_force.h"
#include "solvers/observables/probes/probe.h"

MERGANSER_BEGIN

namespace {

/// Whatever the impulses of its steps are.
class ForceProbe : public Probe {
 public:
  bool every_step() const override { return true; }
  void fetched(const ProbedStep& step) override {
    if (anew_) total_ = {}, time_ = 0;
    total_ = total_ + impulse(step);
    time_ += step.step.dt;
    anew_ = step.due;
  }
  std::vector<double> values() const override {
    const Vec3d force = total_.linear / time_, torque = total_.angular / time_;
    return {force.x, force.y, force.z, torque.x, torque.y, torque.z};
  }
  void save(StateArchive& archive, const std::string& prefix) const override {
    const Vec3d &p = total_.linear, &l = total_.angular;
    archive.put(prefix + "/since",
                anew_ ? std::vector<double>(7) : std::vector<double>{time_, p.x, p.y, p.z, l.x, l.y, l.z});
  }
  void load(const StateArchive& archive, const std::string& prefix) override {
    const auto v = archive.get<double>(prefix + "/since");
    time_ = v.at(0);
    total_ = {{v.at(1), v.at(2), v.at(3)}, {v.at(4), v.at(5), v.at(6)}};
    anew_ = false;
  }

 protected:
  /// Of the step, as of the last fetch_results().
  virtual ForceImpulse impulse(const ProbedStep& step) const = 0;

 private:
  ForceImpulse total_;
  double time_ = 0;    ///< [s] of the steps in it
  bool anew_ = false;  ///< the last row was that of the step before
};

class HeldForce final : public ForceProbe {
 public:
  /// `held`: indices into the probe's system. Ids count the particles of all systems at the start.
  HeldForce(const ProbeParameters& probe, const InitialState& initial, const std::vector<int>& held)
      : point_(vec3d(probe.point)) {
    size_t first = 0, all = 0;
    for (size_t s = 0; s < initial.systems.size(); ++s) {
      if (int(s) == probe.system_index) first = all;
      all += initial.systems[s].position.size();
    }
    std::vector<char> asked(all, 0);
    for (const int i : held) asked[first + size_t(i)] = 1;
    asked_.assign(asked);
  }
  void before_advance(const ObservedParts& parts, const StepContext& step,
                      View<const Vec3> end_velocity) override {
    const MetaParticleView groups = parts.merge_split.groups();
    impulse_.resize(parts.particles.count());
    fill_zero(impulse_.data(), sizeof(Vec3) * size_t(impulse_.size()));
    for (size_t s = 0; s < parts.systems.size(); ++s)
      if (auto* system = dynamic_cast<HeldImpulses*>(parts.systems[s].get())) {
        const Range own = parts.particles.range(int(s));
        if (own.count > 0)
          system->write_held_impulses(step, groups, end_velocity,
                                      impulse_.view().subview(own.first, own.count));
      }
    for (const auto& one : parts.systems)
      if (auto* system = dynamic_cast<HeldImpulses*>(one.get()))
        system->add_held_impulses(step, groups, impulse_.view());
    holder_.resize(groups.group_count);
    launch(groups.group_count, FindHolders{.groups = groups,
                                           .inverse_mass = parts.particles.inverse_mass.const_view(),
                                           .holder = holder_.view()});
    before_.run(parts.particles.count(),
                sum(parts, groups, impulse_.const_view(), to_double(step.gravity), step.dt));
  }
  void after_split(const ObservedParts& parts) override {
    after_.run(parts.particles.count(), sum(parts, parts.merge_split.groups(), {}, {0, 0, 0}, 0));
  }

 private:
  SumHeldForce sum(const ObservedParts& parts, const MetaParticleView& groups, View<const Vec3> impulse,
                   const Vec3d& gravity, double dt) const {
    return {.held = {parts.particles.inverse_mass.const_view(), groups},
            .holder = holder_.const_view(),
            .asked = asked_.const_view(),
            .particles = parts.particles.const_view(),
            .impulse = impulse,
            .gravity = gravity,
            .point = point_,
            .dt = dt};
  }
  ForceImpulse impulse(const ProbedStep&) const override { return before_.fetched() + after_.fetched(); }

  Array<char> asked_;    ///< by id
  Vec3d point_;          ///< [m]
  Array<Vec3> impulse_;  ///< [N s] per particle
  Array<int> holder_;    ///< per group
  Reduction<ForceImpulse> before_, after_;
};

/// On all particles of a body that moves freely or about a joint, a rigid one above all. From before the
/// divergence-free solve of DFSPH, which is a part of `prepare_coupled`, to the end of the step.
class BodyForce final : public ForceProbe {
 public:
  explicit BodyForce(const ProbeParameters& parameters)
      : body_(parameters.body_index), point_(vec3d(parameters.point)) {}
  void begin(const ObservedParts& parts, const StepContext& step) override {
    before_.run(parts.particles.count(), sum(parts, step.dt * to_double(step.gravity)));
  }
  void measure(const ProbedStep& step) override {
    after_.run(step.parts.particles.count(), sum(step.parts, {0, 0, 0}));
  }

 private:
  SumBodyMomentum sum(const ObservedParts& parts, const Vec3d& change) const {
    return {.particles = parts.particles.const_view(), .body = body_, .point = point_, .change = change};
  }
  ForceImpulse impulse(const ProbedStep&) const override { return after_.fetched() - before_.fetched(); }

  int body_;
  Vec3d point_;  ///< [m]
  Reduction<ForceImpulse> before_, after_;
};

/// What walls with a name measure of themselves (WallLoad), for a torque about the probe's point.
class WallForce final : public ForceProbe {
 public:
  WallForce(const ProbeParameters& parameters, const std::vector<WallParameters>& walls)
      : point_(vec3d(parameters.point)) {
    for (const WallParameters& wall : walls) {
      if (wall.name == parameters.wall) {
        motion_ = wall.motion;
        break;
      }
      named_before_ += !wall.name.empty();
    }
  }

 private:
  ForceImpulse impulse(const ProbedStep& step) const override {
    WallLoad load = step.parts.walls.load(named_before_);
    for (const auto& system : step.parts.systems) load += system->wall_load(named_before_);
    const RigidPose pose = motion_.at(step.step.time);
    const Vec3d centre = vec3d(pose(pose.centre));
    return {load.impulse, load.angular + cross(centre - point_, load.impulse)};
  }
  Vec3d point_;  ///< [m]
  WallMotion motion_;
  int named_before_ = 0;  ///< walls with names before it
};

}  // namespace

std::unique_ptr<Probe> make_force_probe(const ProbeParameters& probe, const InitialState& initial) {
  if (!probe.wall.empty()) return std::make_unique<WallForce>(probe, initial.walls);
  const std::vector<int> held = held_for(probe, initial);
  if (!held.empty()) return std::make_unique<HeldForce>(probe, initial, held);
  return std::make_unique<BodyForce>(probe);
}

MERGANSER_END
