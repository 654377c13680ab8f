#pragma once
/// A simulation without solvers: particles in free fall with a step size that depends on the state. It is
/// reproducible to the bit and can be saved, so that everything about files and the command line is tested
/// without physics.
#include "host/services.h"

namespace merganser::fake {

/// Keys of a fake scene, a flat JSON object. All have defaults; others are errors.
struct FakeScene {
  std::string title = "free fall";
  std::string note;                   ///< on the scene's start, "note"
  std::string setup_warning;          ///< of a system once it is made, "setupWarning"
  std::string resource_warning;       ///< before particles are made, "resourceWarning"
  double end_time = 0.2;              ///< [s] "endTime"
  double frame_rate = 50;             ///< [1/s] "frameRate"
  int particles = 8;                  ///< "particles"
  std::uint32_t seed = 1;             ///< "seed"
  double time_step = 1.0e-3;          ///< [s] "timeStepSize", varied by up to a half
  double pause = 0;                   ///< [ms] of wall time a step takes, "pause"
  double frame_pause = 0;             ///< [ms] of wall time that it takes to make a frame, "framePause"
  double setup = 0;                   ///< [ms] of wall time before the first step of a session, "setup"
  long long diverge_at = -1;          ///< step that throws DivergenceError, "divergeAt"
  long long memory_at = -1;           ///< step that throws DeviceError, "outOfMemoryAt"
  long long crossing_at = -1;         ///< step with the first crossing, "crossingAt"
  long long fault_at = -1;            ///< step from which rows show a fault, "faultAt"
  long long hidden_fault_at = -1;     ///< step from which look() alone finds another, "hiddenFaultAt"
  double cfl_step = 1e30;             ///< [s] that [MS] sec. 5.1 allows, "cflTimeStep"
  double resolution = 1;              ///< "resolution"
  long long statistics_interval = 1;  ///< "statisticsInterval"
  long long probe_every = 0;  ///< steps from one row of probes.csv to the next, 0 = none; "probeEvery"
};

/// The services of the command line with fake scenes and this simulation in the place of the real ones.
Services services();
/// The simulation of a fake scene.
std::unique_ptr<Simulation> make_simulation(const FakeScene& scene);

}  // namespace merganser::fake
