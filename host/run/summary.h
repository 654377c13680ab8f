#pragma once
/// summary.json: what a run was, how far it came, how long it took and what its checks say.
#include <filesystem>
#include <string>
#include <vector>

#include "host/checks/run_checks.h"
#include "host/scene/scene.h"
#include "host/simulation/simulation.h"

namespace merganser {

/// Sums over the whole run, across resumes.
struct RunTotals {
  double wall_seconds = 0;    ///< of earlier sessions; the present one is added by the caller
  double step_seconds = 0;    ///< wall time inside Simulation::step
  double particle_steps = 0;  ///< sum over the steps of the particles then there
  long long max_crossings = 0;
  long long rows = 0;  ///< of statistics; what no step without a row knows is counted over them
  long long max_contacts = 0;
  long long largest_group = 0;
  long long ignored_contacts = 0;
  long long second_stages = 0;               ///< steps that needed the second stage
  long long unmet_tolerances = 0;            ///< steps in which a linear solver stopped at its iteration cap
  long long beyond_cfl = 0;                  ///< steps longer than [MS] sec. 5.1 allows, see StepStatistics
  long long beyond_step = 0;                 ///< the first of them
  double beyond_time = 0;                    ///< [s] at its end
  double beyond_dt = 0, beyond_allowed = 0;  ///< [s] its length, and what is allowed
  double max_speed = 0;                      ///< [m/s]
  double max_density_error = 0;
  double deepest_overlap = 0;     ///< see StepStatistics
  double max_kinetic_energy = 0;  ///< [J]
  StepStatistics first, last;     ///< rows; step 0 where there is none yet
  std::vector<std::pair<std::string, double>> stage_milliseconds;

  /// After every step.
  void observe(const StepStatistics& row, int particles, double seconds);
  /// Of steps that were too long; "" where none was.
  std::string warning() const;
  void save(StateArchive& archive) const;
  void load(const StateArchive& archive);

 private:
  void observe_row(const StepStatistics& row);
};

/// Everything the summary says besides the totals.
struct Summary {
  std::string scene;                 ///< title
  std::filesystem::path scene_file;  ///< as given
  double resolution = 1;
  std::uint32_t seed = 0;
  std::string device;  ///< as the user sees it
  int threads = 0;
  double end_time = 0;  ///< [s] the goal
  long long step = 0;
  double time = 0;  ///< [s] simulated
  int frames = 0;
  std::string
      exit_reason;     ///< running | finished | stopped: <why> | diverged | file error | device error | error
  int exit_code = -1;  ///< -1 while the run goes on
  std::string message;      ///< the error, where there is one
  std::string checkpoint;   ///< the last good one, relative to the run's folder; empty where there is none
  double wall_seconds = 0;  ///< all sessions
  double session_wall_seconds = 0;
  int particles = 0;
  std::vector<std::pair<std::string, int>> particles_per_system;
  size_t device_bytes = 0;
  std::vector<std::pair<std::string, double>> setup;            ///< see Simulation::setup_metrics()
  std::map<std::string, std::pair<long long, double>> kernels;  ///< this session: launches, [ms]
  std::vector<CheckResult> checks;
  std::vector<std::string> warnings;
};

/// The text of summary.json.
std::string summary_json(const Summary& summary, const RunTotals& totals);

}  // namespace merganser
