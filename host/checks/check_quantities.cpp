#include "host/checks/check_quantities.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "device/errors.h"

namespace merganser {
namespace {

double total_energy(const StepStatistics& row) {
  return row["kinetic_energy"] + row["potential_energy"] + row["elastic_energy"];
}

}  // namespace

double share(double part, double whole) {
  if (part <= 0) return 0;
  return whole > 0 ? part / whole : std::numeric_limits<double>::infinity();
}

double energy_rise(const StepStatistics& row, const CheckHistory& history) {
  const double rise = total_energy(row) - history.previous_total - row["emitted_energy"];
  const double held = std::abs(row["potential_energy"]) + row["elastic_energy"];
  if (rise <= 0.5 * double(std::numeric_limits<float>::epsilon()) * held) return 0;
  return share(rise, std::max(row["kinetic_energy"], history.previous_kinetic));
}

double momentum_drift(const StepStatistics& row, const CheckHistory& history) {
  const Point3 momentum = row.vector("momentum");
  double drift = 0;
  for (size_t axis = 0; axis < 3; ++axis)
    drift = std::hypot(drift, momentum[axis] - history.first_momentum[axis]);
  return drift;
}

double largest_momentum(const StepStatistics& row, const CheckHistory& history) {
  return std::sqrt(2 * history.mass * row["kinetic_energy"]);
}

double unexplained_energy(const StepStatistics& row, const CheckHistory&) {
  return std::abs(row["energy_residual"]);
}

double kinetic_and_elastic_energy(const StepStatistics& row, const CheckHistory&) {
  return row["kinetic_energy"] + row["elastic_energy"];
}

double is_not_finite(const StepStatistics& row, const CheckHistory&) {
  double sum = row.time + row.dt + total_energy(row) + row["dissipated_energy"] + row["max_speed"] +
               row["density_error"] + row["energy_residual"];
  for (const char* name : {"momentum", "angular_momentum", "momentum_residual"})
    for (double component : row.vector(name)) sum += std::abs(component);
  return std::isfinite(sum) ? 0 : 1;
}

double regained_potential(const StepStatistics& row, const CheckHistory& history) {
  return row["potential_energy"] - history.lowest_potential;
}

double broken_share(const StepStatistics& row, const CheckHistory&) {
  return share(row["broken_bonds"], row["bonds"]);
}

double overlap_before_break(const StepStatistics& row, const CheckHistory&) {
  return row["broken_bonds"] == 0 ? row["deepest_overlap"] : 0;
}

void CheckHistory::begin_row(const StepStatistics& row) {
  const double potential = row["potential_energy"];
  if (rows == 0) {
    first_momentum = row.vector("initial_momentum");
    previous_kinetic = row["initial_kinetic_energy"];
    previous_total = row["initial_energy"];
    lowest_potential = potential;
  }
  lowest_potential = std::min(lowest_potential, potential);
}

void CheckHistory::end_row(const StepStatistics& row) {
  previous_kinetic = row["kinetic_energy"];
  previous_total = total_energy(row);
  ++rows;
}

void CheckHistory::save(StateArchive& archive) const {
  archive.put("checks/rows", std::vector<std::int64_t>{rows});
  archive.put("checks/history", std::vector<double>{first_momentum[0], first_momentum[1], first_momentum[2],
                                                    lowest_potential, previous_kinetic, previous_total});
}

void CheckHistory::load(const StateArchive& archive) {
  const auto of_rows = archive.get<std::int64_t>("checks/rows");
  const auto values = archive.get<double>("checks/history");
  if (of_rows.size() != 1 || values.size() != 6)
    throw FileError("checkpoint: the checks' history is that of another version");
  rows = of_rows[0];
  first_momentum = {values[0], values[1], values[2]};
  lowest_potential = values[3];
  previous_kinetic = values[4];
  previous_total = values[5];
}

}  // namespace merganser
