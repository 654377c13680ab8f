#pragma once
/// A fluid with probes, and what they say.
#include <cmath>
#include <vector>

#include "host/simulation/simulation.h"
#include "solvers/core/body.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/sph/sph_parameters.h"

namespace merganser::test {

/// A block of nx x ny x nz particles of water on a lattice of `spacing` [m] in the box that starts at the
/// origin, without gravity.
inline InitialState block_of_water(double spacing, int nx, int ny, int nz,
                                   const Point3& velocity = {0, 0, 0}) {
  InitialState state;
  state.gravity = {0, 0, 0};
  state.particle_radius = spacing / 2;
  state.systems = {new_system("sph")};
  state.bodies = {{"block", 0}};
  SystemState& water = state.systems[0];
  water.name = "water";
  water.fluid.particle_radius = spacing / 2;
  const double mass = water.fluid.density0 * std::pow(spacing, 3);
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i)
        add_particle(water,
                     {float((i + 0.5) * spacing), float((j + 0.5) * spacing), float((k + 0.5) * spacing)},
                     velocity, mass, spacing / 2, false, 0);
  return state;
}

/// A row of probes.csv.
struct ProbeRow {
  double time;
  std::vector<double> values;
};

/// What the columns say, in steps that know the first of them.
inline std::vector<ProbeRow> probe_rows(Simulation& simulation, const std::vector<std::string>& columns,
                                        double end, double frame = 1e30) {
  std::vector<ProbeRow> rows;
  while (simulation.time() < end) {
    const StepStatistics row = simulation.advance(std::min(end, simulation.time() + frame), false);
    if (!row.has(columns[0])) continue;
    rows.push_back({row.time, {}});
    for (const std::string& column : columns) rows.back().values.push_back(row[column]);
  }
  return rows;
}

}  // namespace merganser::test
