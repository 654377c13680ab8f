/// Notes of start_notes.h on cloths.
#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <map>
#include <numeric>
#include <sstream>

#include "solvers/base/parameter_table.h"
#include "solvers/base/point_arithmetic.h"
#include "solvers/core/method.h"
#include "solvers/core/start_notes.h"

namespace merganser {

namespace {

/// The particles of a piece that edges of triangles join.
struct ClothPiece {
  int particles = 0;
  Float3 first;  ///< [m] place of one of them
};

/// Pieces of each body with triangles, in the order of their first particles.
std::map<int, std::vector<ClothPiece>> cloth_pieces(const SystemState& system) {
  std::vector<int> root(system.position.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[size_t(i)] != i) i = root[size_t(i)] = root[size_t(root[size_t(i)])];
    return i;
  };
  std::vector<char> is_cloth(system.position.size(), 0);
  for (const Triangle& t : system.triangles)
    for (const int corner : t) {
      is_cloth[size_t(corner)] = 1;
      root[size_t(find(corner))] = find(t[0]);
    }
  std::map<int, std::vector<ClothPiece>> pieces;
  std::map<int, size_t> number;  // of a piece in its body, by its root
  for (size_t i = 0; i < root.size(); ++i) {
    if (!is_cloth[i]) continue;
    std::vector<ClothPiece>& of_body = pieces[system.body[i]];
    const auto [entry, is_new] = number.try_emplace(find(int(i)), of_body.size());
    if (is_new) of_body.push_back({0, system.position[i]});
    ++of_body[entry->second].particles;
  }
  return pieces;
}

std::string short_text(double value) {
  std::ostringstream text;
  text << std::setprecision(3) << value;
  return text.str();
}

std::string place_text(const Float3& x) {
  return "(" + number_text(x[0]) + ", " + number_text(x[1]) + ", " + number_text(x[2]) + ") m";
}

/// Openings between the vertices of a cloth at rest.
struct ClothOpening {
  double edge = 0;    ///< [m] greatest edge of the triangle with the widest opening
  double width = 0;   ///< [m] distance of its farthest point from its nearest corner
  double radius = 0;  ///< [m] of the cloth's particles
};

double distance(const Float3& a, const Float3& b) {
  return point_arithmetic::length({double(b[0]) - a[0], double(b[1]) - a[1], double(b[2]) - a[2]});
}

/// Of an acute triangle the width is the radius of the circle through its corners. Else the farthest point
/// lies on the greatest edge, where the bisector of one of the others meets it.
ClothOpening opening_of(const SystemState& system, const Triangle& t) {
  const auto corner = [&](size_t k) { return system.position[size_t(t[k])]; };
  std::array<double, 3> side{distance(corner(0), corner(1)), distance(corner(1), corner(2)),
                             distance(corner(2), corner(0))};
  std::sort(side.begin(), side.end());
  const auto [a, b, c] = side;
  const double radius = system.radius[size_t(t[0])];
  if (!(a > 0)) return {c, c / 2, radius};
  if (a * a + b * b <= c * c)
    return {c, std::max(b * b * c / (b * b + c * c - a * a), a * a * c / (a * a + c * c - b * b)), radius};
  const double half = (a + b + c) / 2;
  return {c, a * b * c / (4 * std::sqrt(half * (half - a) * (half - b) * (half - c))), radius};
}

std::map<int, ClothOpening> widest_openings(const SystemState& system) {
  std::map<int, ClothOpening> widest;
  for (const Triangle& t : system.triangles) {
    ClothOpening& of_body = widest[system.body[size_t(t[0])]];
    if (const ClothOpening found = opening_of(system, t); found.width > of_body.width) of_body = found;
  }
  return widest;
}

/// Fluid merges with a vertex within the sum of both radii. That must reach beyond the opening: a particle
/// in its middle would else be stopped across the cloth only where it has nearly passed. Balls of water, 8
/// particles across, passed at 2 m/s where the sum was 1.22 to 1.28 times the width, and did not at 1.30 to
/// 1.39: sheets, and meshes of right-angled and of equilateral triangles.
constexpr double least_reach_over_width = 1.3;

/// Where fluids would pass between the vertices of a cloth.
std::vector<std::string> notes_on_open_cloths(const InitialState& initial) {
  std::vector<std::string> notes;
  if (initial.coupling.method != ContactMethod::merging_and_splitting) return notes;
  std::string fluids;
  for (const SystemState& system : initial.systems)
    if (is_fluid(system)) fluids += (fluids.empty() ? "'" : ", '") + system.name + "'";
  if (fluids.empty()) return notes;
  const double particle = initial.particle_radius / initial.resolution;
  for (const SystemState& system : initial.systems)
    for (const auto& [body, opening] : widest_openings(system)) {
      const double needed = least_reach_over_width * opening.width;
      if (opening.radius + particle >= needed) continue;
      // Of a mesh that is refined everywhere, so that the radius of its particles shrinks as well.
      const double limit = opening.edge * particle / (needed - opening.radius);
      notes.push_back("systems." + system.name + ".bodies." + initial.bodies[size_t(body)].name +
                      " has edges of up to " + short_text(opening.edge) + " m, and above " +
                      short_text(limit) + " m particles of " + fluids + ", radius " + short_text(particle) +
                      " m, can pass between its vertices; give a finer mesh (a sheet: a smaller spacing), or "
                      "raise simulation.particleRadius");
    }
  return notes;
}

}  // namespace

std::vector<std::string> notes_on_cloths(const InitialState& initial) {
  std::vector<std::string> notes = notes_on_open_cloths(initial);
  for (const SystemState& system : initial.systems)
    for (const auto& [body, pieces] : cloth_pieces(system)) {
      const BodyInfo& info = initial.bodies[size_t(body)];
      const std::string path = "systems." + system.name + ".bodies." + info.name;
      if (info.welded_vertices > 0)
        notes.push_back(path + ": " + std::to_string(info.welded_vertices) +
                        " vertices of its mesh lie at the places of others, as along seams of texture "
                        "coordinates, and were merged with them");
      if (pieces.size() < 2) continue;
      constexpr size_t most_named = 4;
      std::vector<ClothPiece> largest = pieces;
      std::stable_sort(largest.begin(), largest.end(),
                       [](const ClothPiece& a, const ClothPiece& b) { return a.particles > b.particles; });
      std::string text = path + " has " + std::to_string(pieces.size()) + " pieces that no edge joins: ";
      for (size_t k = 0; k < std::min(largest.size(), most_named); ++k)
        text += (k > 0 ? ", " : "") + std::to_string(largest[k].particles) + " particles from " +
                place_text(largest[k].first) + " on";
      notes.push_back(text + (largest.size() > most_named ? ", and smaller ones" : "") +
                      "; each moves by itself: join them in the mesh, or give them a body each");
    }
  return notes;
}

}  // namespace merganser
