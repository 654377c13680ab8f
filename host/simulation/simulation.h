#pragma once
/// A running simulation behind a backend-neutral interface. host/simulation/ implements it once per backend.
#include <array>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/device_traffic.h"
#include "solvers/base/state_archive.h"
#include "solvers/core/initial_state.h"
#include "solvers/core/statistics_row.h"

namespace merganser {

/// Topological neighborhoods of one system's particles in a frame ([TN]): linked pairs, both directions, in
/// compressed rows over all particles of the frame (empty where a particle is of another system), ascending.
struct FrameLinks {
  std::string system;
  std::vector<std::int32_t> first, neighbor;  ///< indices into the frame's particles
  std::vector<float> age;
};

/// Particles of one frame, ordered by id. Optional fields have one value per particle (0 where a system lacks
/// it).
struct FrameData {
  double time = 0;
  std::vector<Float3> position, velocity;
  std::vector<std::int32_t> id, body, system;
  std::vector<std::pair<std::string, std::vector<float>>> fields;             ///< e.g. density
  std::vector<std::pair<std::string, std::vector<std::int32_t>>> int_fields;  ///< e.g. group
  std::vector<FrameLinks> links;  ///< of the systems that keep topological neighborhoods
  /// Such as radius: nearly all values are those of a neighbor, so that they are written compressed.
  std::vector<std::pair<std::string, std::vector<float>>> steady_fields;
  std::vector<Triangle> triangles;                    ///< of cloth, indices of the frame's particles
  std::vector<std::string> body_names, system_names;  ///< of the numbers in `body` and `system`
  /// Of each wall: rows of the matrix from where the scene puts it to where it is.
  std::vector<std::array<double, 16>> wall_matrices;
};

/// What a step tells, by the columns that observables declare (solvers/observables/). Without a row in
/// statistics.csv only few of them have values: step, time, dt, contacts, second_stage and max_speed.
struct StepStatistics : StatisticsRow {
  using StatisticsRow::StatisticsRow;
  bool has_row = true;
  long long step = 0;
  double time = 0, dt = 0;      ///< [s]
  bool tolerance_met = true;    ///< of all linear solves
  double cfl_time_step = 1e30;  ///< [s] that [MS] sec. 5.1 allowed for the step, also where it is fixed
  std::vector<std::pair<std::string, double>>
      stage_milliseconds;  ///< same names every step, in the order of the step
};

class Simulation {
 public:
  virtual ~Simulation() = default;
  virtual long long step_count() const = 0;
  virtual double time() const = 0;
  virtual int particle_count() const = 0;
  virtual std::vector<int> particles_per_system() const = 0;
  /// Advances one step that ends no later than stop_time (exactly there when it is within reach). Throws
  /// DivergenceError with particle id, body and step, or with the system whose energies are worth nothing;
  /// the state is then undefined. Without `row` there is a row of statistics only where the step ends at
  /// stop_time, and nothing is measured for one otherwise; what the particles do is the same to the bit.
  virtual StepStatistics advance(double stop_time, bool row) = 0;
  /// Of the rows of statistics, those that only checks see included.
  virtual Columns columns() const = 0;
  /// A step with a row.
  StepStatistics step(double stop_time) { return advance(stop_time, true); }
  /// Step size the next step would take [s], without the limit of stop_time.
  virtual double next_time_step() = 0;
  /// What its systems have to say once they are made, and what is amiss with them then.
  virtual std::vector<std::string> notes() const { return {}; }
  virtual std::vector<std::string> setup_warnings() const { return {}; }
  /// What is amiss with where it has come to and no check tells.
  virtual std::vector<std::string> warnings_now() const { return {}; }
  /// Looks at once for the faults that are looked for now and then. `diverged`: after a DivergenceError.
  virtual void look(bool /*diverged*/) {}
  /// What has been seen to be wrong with the run so far: a text for each kind of fault, with first step,
  /// time, place and count; "" while there is none of it. Checkpoints hold them.
  virtual std::vector<std::string> warnings_so_far() const { return {}; }
  /// What setting the systems up cost, by name with unit.
  virtual std::vector<std::pair<std::string, double>> setup_metrics() const { return {}; }
  /// The particles as they are now. What it returns makes the frame of them, at any time while the simulation
  /// lives and on any thread; to hold it keeps copies on the host.
  virtual std::function<FrameData()> frame_now() const = 0;
  FrameData frame() const { return frame_now()(); }
  virtual StateArchive save() const = 0;
  virtual void load(const StateArchive& archive) = 0;
  virtual size_t device_bytes() const = 0;
  /// Wall time per kernel name [ms] and launches so far.
  virtual std::map<std::string, std::pair<long long, double>> kernel_times() const = 0;
  /// What was sent to the device so far.
  virtual DeviceTraffic traffic() const { return {}; }
};

namespace cpu {
/// Throws InputError.
std::unique_ptr<Simulation> make_simulation(const InitialState& initial);
void set_threads(int count);  ///< 0 = all
}  // namespace cpu
namespace gpu {
/// Also throws DeviceError where this build has no CUDA half or the machine no such device.
std::unique_ptr<Simulation> make_simulation(const InitialState& initial);
}  // namespace gpu

}  // namespace merganser
