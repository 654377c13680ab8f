#include "host/scene/check_state.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "device/errors.h"
#include "host/scene/json_reader.h"
#include "solvers/core/method.h"
#include "solvers/methods/sph/sph_parameters.h"

namespace merganser {

namespace {

/// The grid's rule (UniformGrid): three of its cells in a period, rounding allowed for.
void expect_three_cells(const InitialState& initial, float cell, const std::string& why) {
  std::ostringstream least;  // six digits
  least << 3 * double(cell);
  for (const double period : initial.periodic_length)
    if (period > 0 && std::floor(double(float(period)) / cell * 1.000001) < 3)
      throw InputError("simulation.periodic.length: is " + shown(Json(initial.periodic_length)) +
                       ", a period must be 0 (open) or at least " + least.str() + " m, three times " + why +
                       "; make it longer, raise the resolution or lower simulation.particleRadius");
}

}  // namespace

void expect_long_periods(const InitialState& initial) {
  float greatest = 0;
  bool contacts = initial.systems.size() > 1;
  for (const SystemState& system : initial.systems) {
    contacts = contacts || system.self_contact;
    for (const float radius : system.radius) greatest = std::max(greatest, radius);
    if (is_fluid(system)) greatest = std::max(greatest, float(system.fluid.particle_radius));
    const auto* sph = system.parameters.find<SphParameters>();
    if (!sph) continue;
    const float h = static_cast<float>(2 * system.fluid.particle_radius * sph->smoothing_length_factor);
    expect_three_cells(initial, 2 * h, "the kernel's support of system '" + system.name + "'");
  }
  if (contacts) expect_three_cells(initial, 2 * greatest * 1.00001f, "the largest particle's diameter");
}

}  // namespace merganser
