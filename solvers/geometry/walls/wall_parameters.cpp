#include "solvers/geometry/walls/wall_parameters.h"

#include "solvers/base/parameter_rows.h"
#include "solvers/geometry/sampling/survey_range.h"

namespace merganser {

namespace {

using P = WallParameters;
constexpr const char* which_side = "True: particles stay inside (tank); false: outside (obstacle)";

/// Keys of all walls.
ParameterTable with_surface(ParameterRows<P> rows) {
  return rows.name("name", &P::name, "Unique name; forces on walls with a name are statistics columns")
      .optional()
      .point("velocity", &P::velocity, "m/s",
             "Velocity of the surface in a wall that stays (sliding lid), for friction and noSlip")
      .number("friction", &P::friction, at_least(0).up_to(10), "", "Coulomb friction coefficient")
      .number("restitution", &P::restitution, at_least(0).up_to(1), "", "Restitution of the normal velocity")
      .boolean("noSlip", &P::no_slip,
               "Viscous no-slip instead of free slip, for SPH and DFSPH with a viscosity")
      .choice("boundary", &P::boundary,
              {{"volumeMap", BoundaryMethod::volume_map}, {"samples", BoundaryMethod::samples}},
              "How SPH and DFSPH see the wall. volumeMap: as a solid. samples: as a layer of samples on its "
              "surface (Akinci et al. 2012)")
      .object("motion", &P::motion, "How the wall moves as a rigid body; without it, it stays")
      .optional();
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
      with_surface(
          ParameterRows<P>("wall.box")
              .point("low", &P::low, "m", "Lower corner")
              .required()
              .point("high", &P::high, "m", "Upper corner")
              .required()
              .boolean("inside", &P::inside, which_side)
              .edge("rotationAxis", &P::rotation_axis, "", "Axis of the rotation about the middle")
              .number("rotationAngle", &P::rotation_angle, any_number(), "rad", "Angle of the rotation")
              .ordered_corners("low", &P::low, "high", &P::high)),
      with_surface(ParameterRows<P>("wall.sphere")
                       .point("centre", &P::point, "m", "Centre")
                       .required()
                       .number("radius", &P::radius, above(0), "m", "Radius")
                       .required()
                       .boolean("inside", &P::inside, which_side)),
      with_surface(
          ParameterRows<P>("wall.cylinder")
              .point("point", &P::point, "m", "A point on the axis, the middle where it has a length")
              .required()
              .direction("axis", &P::direction, "", "Axis of the cylinder")
              .number("radius", &P::radius, above(0), "m", "Radius")
              .required()
              .number("length", &P::length, at_least(0), "m", "Length; 0 = infinite")
              .boolean("inside", &P::inside, which_side)),
      with_surface(ParameterRows<P>("wall.capsule")
                       .point("centre", &P::point, "m", "Centre")
                       .required()
                       .direction("axis", &P::direction, "", "Axis of the cylinder between the ends")
                       .number("radius", &P::radius, above(0), "m", "Radius")
                       .required()
                       .number("length", &P::length, above(0), "m", "Distance of the centres of its ends")
                       .required()
                       .boolean("inside", &P::inside, which_side)),
      with_surface(
          ParameterRows<P>("wall.mesh")
              .file("geometryFile", &P::file,
                    "Triangle mesh: OBJ, PLY, STL, OFF or glTF; closed, or with a thickness")
              .required()
              .boolean("inside", &P::inside, which_side)
              .number("thickness", &P::thickness, at_least(0), "m",
                      "Thickness of the surface, for meshes that are open; 0 = the mesh is closed")
              .number("fitSize", &P::fit_size, at_least(0), "m",
                      "Longest side; the mesh is centred at the origin and scaled to it; 0 = off")
              .scale("scale", &P::scale, "Scale factor of the mesh, one or one per axis")
              .edge("rotationAxis", &P::rotation_axis, "", "Rotation axis of the mesh")
              .number("rotationAngle", &P::rotation_angle, any_number(), "rad",
                      "Rotation angle of the mesh, applied after scaling")
              .point("translation", &P::translation, "m", "Translation of the mesh, applied after rotation",
                     survey_range)
              .number("cellSize", &P::cell_size, at_least(0), "m",
                      "Cell of the grid that holds the mesh's distance; 0 = half the particle spacing"))};
  return made;
}

}  // namespace merganser
