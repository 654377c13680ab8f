#include "solvers/geometry/sampling/shape_parameters.h"

#include <cmath>

#include "solvers/base/parameter_rows.h"
#include "solvers/geometry/sampling/survey_range.h"

namespace merganser {

namespace {

using P = ShapeParameters;

ParameterRows<P> turned(ParameterRows<P> rows) {
  return rows.edge("rotationAxis", &P::rotation_axis, "", "Rotation axis of the mesh")
      .number("rotationAngle", &P::rotation_angle, any_number(), "rad",
              "Rotation angle of the mesh, applied after scaling");
}
ParameterTable placed(ParameterRows<P> rows, Range range = {}) {
  return rows.point("translation", &P::translation, "m", "Translation of the whole body", range);
}

}  // namespace

const std::vector<ParameterTable>& ShapeParameters::tables() {
  static const std::vector<ParameterTable> made = {
      placed(ParameterRows<P>("box")
                 .point("start", &P::start, "m", "Lower corner")
                 .required()
                 .point("end", &P::end, "m", "Upper corner")
                 .required()
                 .ordered_corners("start", &P::start, "end", &P::end)),
      placed(turned(
          ParameterRows<P>("sphere")
              .point("centre", &P::centre, "m", "Centre")
              .required()
              .number("radius", &P::radius, above(0), "m", "Radius")
              .required()
              .file("geometryFile", &P::file,
                    "Closed mesh that replaces the sphere: same centre, longest side equal to the diameter")
              .optional())),
      placed(ParameterRows<P>("cylinder")
                 .point("start", &P::start, "m", "First end of the axis")
                 .required()
                 .point("end", &P::end, "m", "Second end of the axis")
                 .required()
                 .number("radius", &P::radius, above(0), "m", "Radius")
                 .required()
                 .rule(
                     "end", [](const P& p) { return p.start != p.end; },
                     ", the same as start; must be another point")),
      placed(ParameterRows<P>("torus")
                 .point("centre", &P::centre, "m", "Centre")
                 .required()
                 .edge("axis", &P::axis, "", "Axis of symmetry")
                 .number("majorRadius", &P::major_radius, above(0), "m",
                         "Distance from the centre to the middle of the tube")
                 .required()
                 .number("minorRadius", &P::minor_radius, above(0), "m", "Radius of the tube")
                 .required()
                 .rule(
                     "minorRadius", [](const P& p) { return p.minor_radius <= p.major_radius; },
                     ", must be at most majorRadius, {majorRadius}")),
      placed(
          ParameterRows<P>("bowl")
              .point("centre", &P::centre, "m", "Centre of the spherical shell, open upwards (z)")
              .required()
              .number("outerRadius", &P::outer_radius, above(0), "m", "Outer radius of the shell")
              .required()
              .number("thickness", &P::thickness, above(0), "m", "Thickness of the shell")
              .required()
              .number("rimHeight", &P::rim_height, above(0), "m", "Height of the rim above the lowest point")
              .multiple("1*outerRadius")
              .rule(
                  "thickness", [](const P& p) { return p.thickness <= p.outer_radius; },
                  ", must be at most outerRadius, {outerRadius}")),
      placed(turned(ParameterRows<P>("mesh")
                        .file("geometryFile", &P::file, "Closed triangle mesh: OBJ, PLY, STL, OFF or glTF")
                        .required()
                        .number("fitSize", &P::fit_size, at_least(0), "m",
                                "Longest side; the mesh is centred at the origin and scaled to it; 0 = off")
                        .scale("scale", &P::scale, "Scale factor of the mesh, one or one per axis")),
             survey_range)};
  return made;
}

const ParameterTable& ShapeParameters::sampling_table() {
  static const ParameterTable made =
      ParameterRows<P>("sampling")
          .choice(
              "sampling", &P::sampling,
              {{"lattice", SamplingMethod::lattice}, {"relaxed", SamplingMethod::relaxed}},
              "lattice: the points of a lattice that lie inside; relaxed: particles spread evenly up to the "
              "surface. Rigid spheres, cylinders and tori in coupledTo are relaxed where the scene does not "
              "say");
  return made;
}

Point3 sum_of(const Point3& a, const Point3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }

MeshTransform ShapeParameters::mesh_transform() const {
  const bool in_sphere = word == "sphere";
  return {.scale = scale,
          .rotation_axis = rotation_axis,
          .rotation_angle = rotation_angle,
          .translation = in_sphere ? sum_of(centre, translation) : translation,
          .fit_size = in_sphere ? 2 * radius : fit_size};
}

void ShapeParameters::measure_mesh() {
  size = size_of(mesh);
  mesh = {};
}

Shape ShapeParameters::shape() const {
  const auto moved = [&](const Point3& x) { return sum_of(x, translation); };
  if (word == "box") return box_shape(moved(start), moved(end));
  if (word == "sphere") return sphere_shape(moved(centre), radius);
  if (word == "cylinder") return cylinder_shape(moved(start), moved(end), radius);
  if (word == "torus") return torus_shape(moved(centre), axis, major_radius, minor_radius);
  return bowl_shape(moved(centre), outer_radius, thickness, rim_height);
}

RigidPlacement ShapeParameters::placement() const {
  if (is_mesh())
    return {rotation_about(rotation_axis, rotation_angle),
            word == "sphere" ? sum_of(centre, translation) : translation};
  if (word == "cylinder")
    return {smallest_rotation({1, 0, 0}, {end[0] - start[0], end[1] - start[1], end[2] - start[2]}),
            sum_of(start, translation)};
  if (word == "torus") return {smallest_rotation({0, 0, 1}, axis), sum_of(centre, translation)};
  return {no_rotation, sum_of(word == "box" ? start : centre, translation)};
}

bool ShapeParameters::is_congruent(const ShapeParameters& other) const {
  const auto sides = [](const ShapeParameters& p) {
    Point3 side{p.end[0] - p.start[0], p.end[1] - p.start[1], p.end[2] - p.start[2]};
    if (p.word == "cylinder") side = {std::hypot(side[0], side[1], side[2]), 0, 0};
    return side;
  };
  const auto without_place = [](ShapeParameters p) {
    p.start = p.end = p.centre = p.translation = {0, 0, 0};
    p.axis = p.rotation_axis = {0, 0, 1};
    p.rotation_angle = 0;
    p.size = {};
    p.mesh = {};  // the file's is the same
    return p;
  };
  const Point3 a = sides(*this), b = sides(other);
  constexpr double rounding = 1e-9;  // of differences of coordinates
  for (size_t k = 0; k < 3; ++k)
    if (std::abs(a[k] - b[k]) > rounding * std::abs(a[k])) return false;
  return without_place(*this) == without_place(other);
}

}  // namespace merganser
