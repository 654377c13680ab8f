#pragma once
/// Rows of statistics without a simulation.
#include "host/simulation/simulation.h"

namespace merganser::test {

/// All columns that the program looks at by name, 0.
inline StepStatistics zero_row() {
  static const auto columns = [] {
    Columns all = {{"step", Column::count},
                   {"time"},
                   {"dt"},
                   {"contacts", Column::count},
                   {"largest_group", Column::count},
                   {"ignored_contacts", Column::count},
                   {"second_stage", Column::count},
                   {"crossings", Column::count},
                   {"broken_bonds", Column::count}};
    for (const char* name : {"crossed_particles", "followed_particles", "bonds", "emitted_energy",
                             "initial_energy", "initial_kinetic_energy"})
      all.push_back({.name = name, .file = Column::none});
    for (const char* name :
         {"kinetic_energy", "potential_energy", "elastic_energy", "max_speed", "density_error",
          "deepest_overlap", "dissipated_energy", "dissipated_damping", "dissipated_integration",
          "dissipated_fracture", "dissipated_walls", "external_work", "energy_residual", "unobserved_energy"})
      all.push_back({name});
    for (const char* name : {"momentum", "angular_momentum", "momentum_residual", "initial_momentum"})
      place_columns(all, vector_columns(name));
    return std::make_shared<const Columns>(all);
  }();
  StepStatistics row(columns);
  for (const Column& column : *columns) row.set(column.name, 0);
  return row;
}

}  // namespace merganser::test
