#include "solvers/core/probe_parameters.h"

#include <map>

#include "solvers/base/parameter_rows.h"
#include "solvers/core/probe_quantities.h"

namespace merganser {

namespace {

using P = ProbeParameters;
using Rows = ParameterRows<P>;

Rows keys(const char* type) {
  return Rows(std::string("probe.") + type)
      .name("name", &P::name, "Name, unique among the probes; its columns in probes.csv begin with it")
      .number("rate", &P::rate, at_least(0).up_to(1e9), "1/s",
              "Rows a second: measured at the end of the first step that reaches k/rate; 0 = every step");
}

/// Of a point in a fluid.
Rows point_keys(const char* type) {
  return keys(type)
      .point("point", &P::point, "m", "Where it is measured")
      .required()
      .name("system", &P::system, "Name of a fluid; all fluids where it is missing")
      .optional();
}

}  // namespace

const std::vector<ParameterTable>& ProbeParameters::tables() {
  static const std::vector<ParameterTable> made = {
      point_keys("pressure"),
      point_keys("density"),
      point_keys("velocity"),
      keys("waterLevel")
          .point("start", &P::start, "m", "Where the line begins, below the surface")
          .required()
          .point("end", &P::end, "m", "Where it ends, above the surface")
          .required()
          .name("system", &P::system, "Name of a fluid; all fluids where it is missing")
          .optional()
          .rule(
              "end", [](const P& p) { return p.start != p.end; },
              ", the same as start; must be another point"),
      keys("flow")
          .point("corner", &P::corner, "m", "Corner of the parallelogram")
          .required()
          .edge("edgeU", &P::edge_u, "m", "First edge; flow along edgeU x edgeV is positive")
          .required()
          .edge("edgeV", &P::edge_v, "m", "Second edge")
          .required()
          .name("system", &P::system, "Name of a fluid; all fluids where it is missing")
          .optional()
          .spanning_edges(&P::edge_u, &P::edge_v),
      keys("force")
          .name("body", &P::body,
                "Name of a body: the force on its pinned or prescribed particles. Where it has none: on the "
                "whole body, less its weight")
          .optional()
          .name("wall", &P::wall, "Or name of a wall")
          .optional()
          .point("point", &P::point, "m", "Point that the torque is about")
          .corners("box", &P::box, "m",
                   "Opposite corners of a box; of the body's held particles only those centred inside at the "
                   "start count. If there are none, those that reach inside count; without a box, all")
          .optional()
          .rule(
              "box", [](const P& p) { return p.box == P::everywhere || !p.body.empty(); },
              ", is for held particles of a body; give \"body\", or leave it out"),
      keys("position")
          .name("body", &P::body, "Name of a body")
          .point("point", &P::point, "m", "The particle of the body that is nearest to it at the start")
          .required()};
  return made;
}

std::vector<std::string> probe_columns(const ProbeParameters& probe) {
  static const std::map<std::string, std::vector<std::string>> quantities = {
      {"pressure", {"pressure"}},
      {"density", {"density"}},
      {"velocity", {"velocity_x", "velocity_y", "velocity_z"}},
      {"waterLevel", {"level"}},
      {"flow", {"flow"}},
      {"force", {"force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z"}},
      {"position", {"position_x", "position_y", "position_z"}}};
  std::vector<std::string> columns = quantities.at(probe.type);
  for (std::string& column : columns) column = probe.name + "_" + column;
  return columns;
}

}  // namespace merganser
