#pragma once
/// Bodies with a start time, which appear one after another.
///
/// Their particles are in the store from the beginning, so that ids, bonds, factors and the order of bodies
/// are those of the whole scene. While a body waits they are marked by system -1, immobile and at rest:
/// contacts, pressure, the grids of fluids, frames and sums leave them out. Waiting bodies may lie in one
/// another.
#include <memory>
#include <vector>

#include "device/reduce.h"
#include "device/uniform_grid.h"
#include "solvers/core/observable.h"

MERGANSER_BEGIN

class LateBodies {
 public:
  using Systems = std::vector<std::unique_ptr<System>>;
  explicit LateBodies(const InitialState& initial);

  /// Before the first step: all of them wait.
  void hold_all(ParticleStore& particles, const Systems& systems);
  /// Starts those whose time has come by `time` [s] and whose place is free, in the order of their start
  /// times and then of the scene; appends what each brings along. Free: no particle that is there, of no
  /// system, is nearer than touching, which a thousandth of the radii does not change.
  void start(double time, ParticleStore& particles, const Systems& systems, std::vector<Emission>& started);
  /// Particles of those that wait, ascending ranges of the store.
  std::vector<Range> waiting(const ParticleStore& particles) const;
  /// Those whose time has come by `time` [s] but whose place is not free.
  std::vector<LateBody> blocked(double time) const;
  /// [m/s] that one of those that wait may bring along.
  double greatest_speed() const;

  void save(StateArchive& archive, const std::string& prefix) const;
  /// The store has been loaded, the systems not yet.
  void load(const StateArchive& archive, const std::string& prefix, const Systems& systems);

 private:
  struct Late {
    int system;
    LateBody body;
    std::vector<Vec3> velocity;       ///< [m/s] at the start
    std::vector<float> inverse_mass;  ///< [1/kg] from then on
    Emission brings;
    double speed = 0;  ///< [m/s] greatest
    bool waits = true;
    Range range(const ParticleStore& particles) const {
      return {particles.range(system).first + body.first, body.count};
    }
  };
  bool has_room(const Late& late, const ParticleStore& particles);

  std::vector<Late> bodies_;   ///< in the order of the store
  std::vector<size_t> order_;  ///< in which they start
  float greatest_radius_ = 0;  ///< [m] of all that there may be
  UniformGrid grid_;           ///< of a body that wants to start
  Reduction<int> in_the_way_;
};

MERGANSER_END
