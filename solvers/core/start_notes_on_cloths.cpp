/// Notes of start_notes.h on cloths.
#include <algorithm>
#include <map>
#include <numeric>

#include "solvers/base/parameter_table.h"
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

std::string place_text(const Float3& x) {
  return "(" + number_text(x[0]) + ", " + number_text(x[1]) + ", " + number_text(x[2]) + ") m";
}

}  // namespace

std::vector<std::string> notes_on_cloths(const InitialState& initial) {
  std::vector<std::string> notes;
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
