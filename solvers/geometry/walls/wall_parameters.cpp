#include "solvers/geometry/walls/wall_parameters.h"

#include "solvers/base/parameter_rows.h"

namespace merganser {

namespace {

using P = WallParameters;
constexpr const char* which_side = "True: particles stay inside (tank); false: outside (obstacle)";

/// What all walls have.
ParameterTable with_surface(ParameterRows<P> rows) {
  return rows
      .point("velocity", &P::velocity, "m/s",
             "Surface velocity of the fixed wall (sliding lid), for friction and noSlip")
      .number("friction", &P::friction, at_least(0).up_to(10), "", "Coulomb friction coefficient")
      .number("restitution", &P::restitution, at_least(0).up_to(1), "", "Restitution of the normal velocity")
      .boolean("noSlip", &P::no_slip, "Viscous no-slip instead of free slip (SPH)");
}

}  // namespace

const std::vector<ParameterTable>& WallParameters::tables() {
  static const std::vector<ParameterTable> made = {
      with_surface(
          ParameterRows<P>("wall.plane")
              .point("point", &P::point, "m", "A point on the plane")
              .required()
              .direction("normal", &P::direction, "", "Normal, pointing to the side of the particles")
              .required()),
      with_surface(ParameterRows<P>("wall.box")
                       .point("low", &P::low, "m", "Lower corner")
                       .required()
                       .point("high", &P::high, "m", "Upper corner")
                       .required()
                       .boolean("inside", &P::inside, which_side)
                       .ordered_corners("low", &P::low, "high", &P::high)),
      with_surface(ParameterRows<P>("wall.sphere")
                       .point("centre", &P::point, "m", "Centre")
                       .required()
                       .number("radius", &P::radius, above(0), "m", "Radius")
                       .required()
                       .boolean("inside", &P::inside, which_side)),
      with_surface(ParameterRows<P>("wall.cylinder")
                       .point("point", &P::point, "m", "A point on the axis")
                       .required()
                       .direction("axis", &P::direction, "", "Axis of the infinite cylinder")
                       .number("radius", &P::radius, above(0), "m", "Radius")
                       .required()
                       .boolean("inside", &P::inside, which_side))};
  return made;
}

}  // namespace merganser
