#pragma once
/// Particles on the x axis, for the tests of the ledger.
#include <cmath>

#include "device/backend.h"
#include "host/simulation/simulation.h"
#include "solvers/methods/mass_spring/mass_spring_parameters.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"
#include "tests/support/sheet_and_drop.h"

MERGANSER_BEGIN
namespace ledger_test {

struct Particle {
  double x, v;
  float mass = 1;
  bool held = false;
};

/// Particles on the x axis; radius 0.05 m, no gravity, fixed step.
struct AxisScene : InitialState {
  explicit AxisScene(double step) {
    gravity = {0, 0, 0};
    time_step = step;
  }
  int add_system(const char* name, const std::string& method, const std::vector<Particle>& particles) {
    SystemState state = new_system(method);
    state.name = name;
    if (method == "massSpring") state.parameters.of<MassSpringParameters>().tolerance = 1e-7;
    if (method == "peridynamics") state.parameters.of<PeridynamicsParameters>().tolerance = 1e-7;
    for (const Particle& p : particles) {
      state.position.push_back({float(p.x), 0, 0});
      state.velocity.push_back({float(p.v), 0, 0});
      state.mass.push_back(p.mass);
      state.radius.push_back(0.05f);
      state.immobile.push_back(p.held);
      state.body.push_back(int(bodies.size()));
    }
    bodies.push_back({name, int(systems.size())});
    systems.push_back(state);
    return int(systems.size()) - 1;
  }
  void add_spring(int system, double rest, double stiffness) {
    systems[size_t(system)].springs.push_back({0, 1, float(rest), float(stiffness), SpringKind::structural});
  }
};

inline StepStatistics run(Simulation& simulation, int steps) {
  StepStatistics row;
  for (int k = 0; k < steps; ++k) row = simulation.step(1e9);
  return row;
}

}  // namespace ledger_test
MERGANSER_END
