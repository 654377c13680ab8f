#include "solvers/core/probe_parameters.h"

#include "solvers/base/parameter_rows.h"

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
      keys("position")
          .name("body", &P::body, "Name of a body")
          .point("point", &P::point, "m", "The particle of the body that is nearest to it at the start")
          .required()};
  return made;
}

}  // namespace merganser
