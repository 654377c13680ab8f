#include "solvers/core/coordinate_range.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "device/errors.h"
#include "solvers/base/parameter_table.h"
#include "solvers/geometry/sampling/mesh_size.h"

namespace merganser {

static double largest(const auto& x) {
  return std::max({std::abs(double(x[0])), std::abs(double(x[1])), std::abs(double(x[2]))});
}

FarthestPlace farthest_place(const SystemState& system, const InitialState& initial) {
  FarthestPlace found;
  const auto look_at = [&](double coordinate, double radius, const char* kind, int body) {
    if (coordinate / radius <= found.in_radii()) return;
    found = {coordinate, radius,
             "systems." + system.name + "." + kind + "." + initial.bodies[size_t(body)].name};
  };
  for (size_t i = 0; i < system.position.size(); ++i)
    look_at(largest(system.position[i]), system.radius[i], "bodies", system.body[i]);
  for (const EmitterParameters& emitter : system.emitters)
    look_at(largest(emitter.position), system.fluid.particle_radius, "emitters", emitter.body);
  return found;
}

FarthestPlace farthest_place(const TriangleMesh& mesh, double spacing, const std::string& path) {
  FarthestPlace found{0, 0.5 * spacing, path};
  for (const Float3& v : mesh.vertices) found.coordinate = std::max(found.coordinate, largest(v));
  return found;
}

FarthestPlace nearest_place(const TriangleMesh& mesh, double spacing, const std::string& path) {
  const MeshSize box = size_of(mesh);
  FarthestPlace found{0, 0.5 * spacing, path};
  for (size_t k = 0; k < 3; ++k) found.coordinate = std::max({found.coordinate, box.low[k], -box.high[k]});
  return found;
}

void expect_in_range(const FarthestPlace& far, const RangeRemedy& remedy) {
  if (!(far.in_radii() > double(farthest_in_radii))) return;
  throw InputError(far.path + ": reaches " + number_text(far.coordinate) + " m from the origin, at most " +
                   number_text(double(farthest_in_radii) * far.radius) +
                   " m, a million particle radii, are allowed: further off coordinates (float) no longer "
                   "tell particles apart; bring the " +
                   remedy.bring + " to the origin, or raise " + remedy.raise);
}

std::string note_on_far_place(const FarthestPlace& far, const RangeRemedy& remedy) {
  const double spacing = 2 * far.radius, limit = resolved_in_spacings * spacing;
  if (far.coordinate <= limit) return "";
  const float x = static_cast<float>(far.coordinate);
  const double apart = double(std::nextafter(x, 2 * x)) - double(x);
  std::ostringstream text;
  text << std::setprecision(3) << far.path << " reaches " << far.coordinate
       << " m from the origin, where coordinates (float) are " << apart << " m apart, 1/"
       << std::round(spacing / apart) << " of its particle spacing: what moves less than half of that a step "
       << "stands still, and fluids lose volume; bring the " << remedy.bring << " to the origin, within "
       << limit << " m";
  return text.str();
}

}  // namespace merganser
