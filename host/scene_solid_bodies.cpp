/// Cloths and ropes.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/mesh_file.h"
#include "host/scene_bodies.h"
#include "solvers/sampling/sheet.h"
#include "solvers/sampling/spring_network.h"

namespace merganser {

namespace {

/// A body before it joins its system: indices are its own.
struct Network {
  std::vector<Float3> position;
  std::vector<double> mass;
  double radius = 0;
  std::vector<Spring> springs;
  std::vector<Triangle> triangles;
  std::map<std::string, std::vector<char>> named;  ///< what the words of "pinned" mean
};

Point3 sum(const Point3& a, const Point3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }

double length(const Point3& a) { return std::hypot(a[0], a[1], a[2]); }

Point3 edge(const Float3& a, const Float3& b) {
  return {double(b[0]) - a[0], double(b[1]) - a[1], double(b[2]) - a[2]};
}

Network make_sheet_network(const Json& body, const BodyContext& context) {
  const double spacing = body["spacing"].get<double>() / context.resolution;
  const Point3 u = point_of(body["edgeU"]), v = point_of(body["edgeV"]);
  Sheet sheet = make_sheet(sum(point_of(body["origin"]), point_of(body["translation"])), u, v, spacing);
  Network network;
  const double density = body["arealDensity"];
  for (double area : sheet.area) network.mass.push_back(density * area);
  network.radius = 0.5 * std::max(sheet.spacing_u, sheet.spacing_v);
  network.springs = grid_springs(sheet.nu, sheet.nv, float(sheet.spacing_u), float(sheet.spacing_v),
                                 body["stretchStiffness"], body["shearStiffness"], body["bendingStiffness"]);
  std::vector<char> corners(sheet.vertices.size(), 0);
  const size_t nu = size_t(sheet.nu), n = corners.size();
  corners[0] = corners[nu - 1] = corners[n - nu] = corners[n - 1] = 1;
  network.named = {{"edges", std::move(sheet.border)}, {"corners", std::move(corners)}};
  network.position = std::move(sheet.vertices);
  network.triangles = std::move(sheet.triangles);
  return network;
}

Network make_mesh_network(const Json& body, const BodyContext& context) {
  const std::string file = body["geometryFile"];
  TriangleMesh mesh = cloth_mesh(body);
  if (mesh.triangles.empty()) throw InputError(context.path + ".geometryFile: " + file + " has no triangles");
  Network network;
  network.mass.assign(mesh.vertices.size(), 0);
  std::map<std::pair<int, int>, int> faces_of_edge;
  const double density = body["arealDensity"];
  for (const Triangle& t : mesh.triangles) {
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0])
      throw InputError(context.path + ".geometryFile: a face of " + file + " names vertex " +
                       std::to_string((t[0] == t[1] ? t[0] : t[2]) + 1) + " twice; clean the mesh");
    const Point3 a = edge(mesh.vertices[size_t(t[0])], mesh.vertices[size_t(t[1])]);
    const Point3 b = edge(mesh.vertices[size_t(t[0])], mesh.vertices[size_t(t[2])]);
    const double area =
        0.5 * length({a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]});
    for (size_t c = 0; c < 3; ++c) {
      network.mass[size_t(t[c])] += density * area / 3;
      ++faces_of_edge[std::minmax(t[c], t[(c + 1) % 3])];
    }
  }
  std::vector<char> border(mesh.vertices.size(), 0);
  double edges = 0;
  for (const auto& [ends, faces] : faces_of_edge) {
    edges += length(edge(mesh.vertices[size_t(ends.first)], mesh.vertices[size_t(ends.second)]));
    if (faces == 1) border[size_t(ends.first)] = border[size_t(ends.second)] = 1;
  }
  network.radius = 0.5 * edges / double(faces_of_edge.size());
  for (size_t i = 0; i < network.mass.size(); ++i)
    if (!(network.mass[i] > 0))
      throw InputError(context.path + ".geometryFile: vertex " + std::to_string(i) + " of " + file +
                       " belongs to no triangle with an area; clean the mesh");
  network.springs =
      mesh_springs(mesh.vertices, mesh.triangles, body["stretchStiffness"], body["bendingStiffness"]);
  network.named = {{"edges", std::move(border)}};
  network.position = std::move(mesh.vertices);
  network.triangles = std::move(mesh.triangles);
  return network;
}

Network make_rope_network(const Json& body, const BodyContext& context) {
  const Point3 shift = point_of(body["translation"]);
  const Point3 start = sum(point_of(body["start"]), shift), end = sum(point_of(body["end"]), shift);
  const Point3 along{end[0] - start[0], end[1] - start[1], end[2] - start[2]};
  const double wanted = length(along) * context.resolution / body["spacing"].get<double>();
  const int n = std::max(1, static_cast<int>(std::lround(wanted))) + 1;
  const double spacing = length(along) / (n - 1);
  Network network;
  for (int i = 0; i < n; ++i) {
    const double s = double(i) / (n - 1);
    network.position.push_back(
        {float(start[0] + s * along[0]), float(start[1] + s * along[1]), float(start[2] + s * along[2])});
    const bool last = i == 0 || i == n - 1;
    network.mass.push_back(body["lineDensity"].get<double>() * spacing * (last ? 0.5 : 1));
  }
  network.radius = 0.5 * spacing;
  network.springs = rope_springs(n, float(spacing), body["stretchStiffness"], body["bendingStiffness"]);
  std::vector<char> first(size_t(n), 0), ends(size_t(n), 0);
  first.front() = ends.front() = ends.back() = 1;
  network.named = {{"start", std::move(first)}, {"ends", std::move(ends)}};
  return network;
}

std::vector<char> held_particles(const Json& body, const Network& network, const std::string& path) {
  const Json& pinned = body["pinned"];
  if (pinned == "none") return std::vector<char>(network.position.size(), 0);
  if (pinned.is_string()) {
    const std::vector<char>& held = network.named.at(pinned.get<std::string>());
    if (std::find(held.begin(), held.end(), 1) == held.end())
      throw InputError(path + ".pinned: is " + shown(pinned) +
                       ", but the body has none; use a list of boxes");
    return held;
  }
  std::vector<char> held(network.position.size(), 0);
  for (size_t r = 0; r < pinned.size(); ++r)
    for (int i :
         particles_in(pinned[r], network.position, network.radius, path + ".pinned." + std::to_string(r)))
      held[size_t(i)] = 1;
  return held;
}

}  // namespace

TriangleMesh cloth_mesh(const Json& body) {
  TriangleMesh mesh = read_mesh(body["geometryFile"].get<std::string>());
  transform(mesh, {.scale = point_of(body["scale"]),
                   .rotation_axis = point_of(body["rotationAxis"]),
                   .rotation_angle = body["rotationAngle"],
                   .translation = point_of(body["translation"]),
                   .fit_size = body["fitSize"]});
  return mesh;
}

void add_solid_body(const Json& body, const BodyContext& context, SystemState& system) {
  const std::string shape = body["shape"];
  const Network network = shape == "sheet"       ? make_sheet_network(body, context)
                          : shape == "clothMesh" ? make_mesh_network(body, context)
                                                 : make_rope_network(body, context);
  std::vector<char> held = held_particles(body, network, context.path);
  const int offset = static_cast<int>(system.position.size());
  add_prescribed_motions(body, network.position, network.radius, context.path, system, held);
  const Point3 v = point_of(body["velocity"]);
  for (size_t i = 0; i < network.position.size(); ++i) {
    system.position.push_back(network.position[i]);
    system.velocity.push_back(held[i] ? Float3{0, 0, 0} : Float3{float(v[0]), float(v[1]), float(v[2])});
    system.mass.push_back(static_cast<float>(network.mass[i]));
    system.radius.push_back(static_cast<float>(network.radius));
    system.immobile.push_back(held[i]);
    system.body.push_back(context.body);
  }
  for (Spring spring : network.springs) {
    spring.a += offset;
    spring.b += offset;
    system.springs.push_back(spring);
  }
  for (const Triangle& t : network.triangles)
    system.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
}

}  // namespace merganser
