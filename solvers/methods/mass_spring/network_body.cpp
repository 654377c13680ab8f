#include "solvers/methods/mass_spring/network_body.h"
#include "solvers/base/parameter_rows.h"

#include <algorithm>
#include <cmath>

#include "device/errors.h"
#include "solvers/base/parameter_table.h"
#include "solvers/base/point_arithmetic.h"
#include "solvers/geometry/sampling/sheet.h"
#include "solvers/methods/mass_spring/spring_network.h"

namespace merganser {

using point_arithmetic::length;

namespace {

Point3 edge(const Float3& a, const Float3& b) {
  return {double(b[0]) - a[0], double(b[1]) - a[1], double(b[2]) - a[2]};
}
Point3 difference(const Point3& a, const Point3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

/// Particles along an edge, as make_sheet and ropes divide it: at least one cell.
double along(double edge, double spacing, double resolution) {
  return std::max(1.0, std::round(edge * resolution / spacing)) + 1;
}

constexpr const char *of_spacing = "Distance of neighboring particles at resolution 1",
                     *of_area = "Mass per area";

/// Keys of all networks; `words` of pinned.
template <class Body>
ParameterRows<Body> with_springs(ParameterRows<Body> rows, const char* words) {
  return rows
      .number("stretchStiffness", &Body::stretch_stiffness, above(0), "N/m",
              "Stiffness of the springs between neighbors")
      .required()
      .number("bendingStiffness", &Body::bending_stiffness, at_least(0), "N m",
              "Bending stiffness; the springs across two edges have bendingStiffness / spacing^2")
      .regions("pinned", &Body::pinned, words, "Particles that are held in place")
      .list("prescribed", &Body::prescribed, "Particles with prescribed motion")
      .point("velocity", &Body::velocity, "m/s", "Initial velocity")
      .point("spin", &Body::spin, "rad/s", spin_about_centre);
}
template <class Body>
BodyKind kind(const char* word, ParameterTable table) {
  return {"solidBody", word, std::move(table), [] { return std::make_unique<Body>(); }};
}

ParameterTable sheet_table() {
  using B = SheetBody;
  return with_springs(ParameterRows<B>("solidBody.sheet")
                          .point("origin", &B::origin, "m", "First corner")
                          .required()
                          .edge("edgeU", &B::edge_u, "m", "First edge, from the first corner")
                          .required()
                          .edge("edgeV", &B::edge_v, "m", "Second edge, from the same corner")
                          .required()
                          .number("spacing", &B::spacing, at_least(1e-9).up_to(1e6), "m", of_spacing)
                          .multiple("2*particleRadius")
                          .number("arealDensity", &B::areal_density, above(0), "kg/m^2", of_area)
                          .required()
                          .point("translation", &B::translation, "m", "Translation of the whole body"),
                      "none edges corners")
      .number("shearStiffness", &B::shear_stiffness, at_least(0), "N/m",
              "Stiffness of the springs along the diagonals of the cells")
      .multiple("0.5*stretchStiffness");
}

/// Keys of meshes that are filled; a cloth's need not be closed.
ParameterTable open_mesh_table() {
  ParameterTable made = ShapeParameters::tables().back();
  for (Parameter& row : made.rows)
    if (row.key == "geometryFile")
      row.meaning =
          "Triangle mesh: OBJ, PLY, STL, OFF or glTF. Its vertices are the particles at every resolution. "
          "The "
          "cloth holds fluid where no edge is longer than about four particle radii";
  return made;
}

ParameterTable cloth_table() {
  using B = ClothMeshBody;
  return with_springs(ParameterRows<B>("solidBody.clothMesh")
                          .include(open_mesh_table(), &B::shape)
                          .number("arealDensity", &B::areal_density, above(0), "kg/m^2", of_area)
                          .required(),
                      "none edges");
}

ParameterTable rope_table() {
  using B = RopeBody;
  return with_springs(ParameterRows<B>("solidBody.rope")
                          .point("start", &B::start, "m", "First end")
                          .required()
                          .point("end", &B::end, "m", "Second end")
                          .required()
                          .number("spacing", &B::spacing, at_least(1e-9).up_to(1e6), "m", of_spacing)
                          .multiple("2*particleRadius")
                          .number("lineDensity", &B::line_density, above(0), "kg/m", "Mass per length")
                          .required()
                          .point("translation", &B::translation, "m", "Translation of the whole body")
                          .rule(
                              "end", [](const B& rope) { return rope.start != rope.end; },
                              ", the same as start; must be another point"),
                      "none start ends");
}

std::vector<char> held_particles(const Regions& pinned, const SpringNetwork& network,
                                 const std::string& path) {
  if (!pinned.boxes.empty()) return held_by_boxes(pinned, network.position, network.radius, path);
  if (pinned.word == "none" || pinned.word.empty()) return std::vector<char>(network.position.size(), 0);
  const std::vector<char>& held = network.named.at(pinned.word);
  if (std::find(held.begin(), held.end(), 1) == held.end())
    throw InputError(path + ".pinned: is \"" + pinned.word +
                     "\", but the body has none; use a list of boxes");
  return held;
}

}  // namespace

const std::vector<BodyKind>& NetworkBody::kinds() {
  static const std::vector<BodyKind> made = {kind<SheetBody>("sheet", sheet_table()),
                                             kind<ClothMeshBody>("clothMesh", cloth_table()),
                                             kind<RopeBody>("rope", rope_table())};
  return made;
}

void NetworkBody::add_to(SystemState& system, const BodySite& site) const {
  const SpringNetwork made = network(site);
  std::vector<char> held = held_particles(pinned, made, site.path);
  const int offset = static_cast<int>(system.position.size());
  add_prescribed(prescribed, made.position, made.radius, site.path, system, held);
  for (size_t i = 0; i < made.position.size(); ++i)
    add_particle(system, made.position[i], velocity, made.mass[i], made.radius, held[i], site.body);
  add_spin(system, size_t(offset), spin, centre_of_mass(system, size_t(offset)));
  for (Spring spring : made.springs) {
    spring.a += offset;
    spring.b += offset;
    system.springs.push_back(spring);
  }
  for (const Triangle& t : made.triangles)
    system.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
}

std::array<double, 2> SheetBody::particles_along(double resolution) const {
  return {along(length(edge_u), spacing, resolution), along(length(edge_v), spacing, resolution)};
}
double SheetBody::expected_particles(const BodySite& site) const {
  const auto [u, v] = particles_along(site.resolution);
  return u * v;
}

SpringNetwork SheetBody::network(const BodySite& site) const {
  Sheet sheet = make_sheet(sum_of(origin, translation), edge_u, edge_v, spacing / site.resolution);
  SpringNetwork made;
  for (double area : sheet.area) made.mass.push_back(areal_density * area);
  made.radius = 0.5 * std::max(sheet.spacing_u, sheet.spacing_v);
  made.springs = grid_springs(sheet.nu, sheet.nv, float(sheet.spacing_u), float(sheet.spacing_v),
                              stretch_stiffness, shear_stiffness, bending_stiffness);
  std::vector<char> corners(sheet.vertices.size(), 0);
  const size_t nu = size_t(sheet.nu), n = corners.size();
  corners[0] = corners[nu - 1] = corners[n - nu] = corners[n - 1] = 1;
  made.named = {{"edges", std::move(sheet.border)}, {"corners", std::move(corners)}};
  made.position = std::move(sheet.vertices);
  made.triangles = std::move(sheet.triangles);
  return made;
}

SpringNetwork ClothMeshBody::network(const BodySite& site) const {
  const std::string where = site.path + ".geometryFile: ";
  TriangleMesh mesh = shape.mesh;
  if (mesh.triangles.empty()) throw InputError(where + shape.file + " has no triangles with an area");
  SpringNetwork made;
  made.mass.assign(mesh.vertices.size(), 0);
  std::map<std::pair<int, int>, int> faces_of_edge;
  for (const Triangle& t : mesh.triangles) {
    const Point3 a = edge(mesh.vertices[size_t(t[0])], mesh.vertices[size_t(t[1])]);
    const Point3 b = edge(mesh.vertices[size_t(t[0])], mesh.vertices[size_t(t[2])]);
    const double area =
        0.5 * length({a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]});
    for (size_t c = 0; c < 3; ++c) {
      made.mass[size_t(t[c])] += areal_density * area / 3;
      ++faces_of_edge[std::minmax(t[c], t[(c + 1) % 3])];
    }
  }
  std::vector<char> border(mesh.vertices.size(), 0);
  double edges = 0;
  for (const auto& [ends, faces] : faces_of_edge) {
    edges += length(edge(mesh.vertices[size_t(ends.first)], mesh.vertices[size_t(ends.second)]));
    if (faces == 1) border[size_t(ends.first)] = border[size_t(ends.second)] = 1;
  }
  made.radius = 0.5 * edges / double(faces_of_edge.size());
  for (size_t i = 0; i < made.mass.size(); ++i)
    if (!(made.mass[i] > 0))
      throw InputError(where + "the vertex of " + shape.file + " that comes to (" +
                       number_text(mesh.vertices[i][0]) + ", " + number_text(mesh.vertices[i][1]) + ", " +
                       number_text(mesh.vertices[i][2]) +
                       ") m belongs to no triangle with an area; clean the mesh");
  made.springs = mesh_springs(mesh.vertices, mesh.triangles, stretch_stiffness, bending_stiffness);
  made.named = {{"edges", std::move(border)}};
  made.position = std::move(mesh.vertices);
  made.triangles = std::move(mesh.triangles);
  return made;
}

double RopeBody::expected_particles(const BodySite& site) const {
  return along(length(difference(end, start)), spacing, site.resolution);
}

SpringNetwork RopeBody::network(const BodySite& site) const {
  const Point3 from = sum_of(start, translation), to = sum_of(end, translation), whole = difference(to, from);
  const double wanted = length(whole) * site.resolution / spacing;
  const int n = std::max(1, static_cast<int>(std::lround(wanted))) + 1;
  const double between = length(whole) / (n - 1);
  SpringNetwork made;
  for (int i = 0; i < n; ++i) {
    const double s = double(i) / (n - 1);
    made.position.push_back(
        {float(from[0] + s * whole[0]), float(from[1] + s * whole[1]), float(from[2] + s * whole[2])});
    made.mass.push_back(line_density * between * (i == 0 || i == n - 1 ? 0.5 : 1));
  }
  made.radius = 0.5 * between;
  made.springs = rope_springs(n, float(between), stretch_stiffness, bending_stiffness);
  std::vector<char> first(size_t(n), 0), ends(size_t(n), 0);
  first.front() = ends.front() = ends.back() = 1;
  made.named = {{"start", std::move(first)}, {"ends", std::move(ends)}};
  return made;
}

}  // namespace merganser
