#pragma once
/// Accelerations that act on some particles within a time window.
#include "device/particle_store.h"
#include "device/reduce.h"
#include "solvers/core/initial_state.h"
#include "solvers/core/step_exchange.h"

MERGANSER_BEGIN

struct LoadImpulse;

class PeridynamicLoads {
 public:
  /// Throws InputError where a load names a particle that does not exist or ends before it starts.
  explicit PeridynamicLoads(const SystemState& state);
  /// impulse[i] += m_i * sum over loads of acceleration * (time of [time, time + dt] within the load's); mass
  /// [kg] and impulse [N s] of the system's particles.
  void add(View<const float> mass, double time, double dt, View<Vec3> impulse) const;

  /// The impulse that loads give in [time, time + dt] and the work they do where particles move with
  /// end_velocity [m/s].
  void record_exchange(View<const float> mass, View<const Vec3> end_velocity, double time, double dt,
                       Reduction<StepExchange>& sum) const;

 private:
  struct Load {
    Vec3 acceleration;  ///< [m/s^2]
    double start_time, end_time;
  };
  friend struct LoadImpulse;
  LoadImpulse of_loads(View<const float> mass, double time, double dt) const;
  Array<int> particle_;  ///< local indices, each once
  Array<int> first_;     ///< start of a particle's entries in load_, one more at the end
  Array<int> load_;      ///< indices into loads_
  Array<Load> loads_;
};

MERGANSER_END
