#pragma once
/// Notes on a scene's start that is allowed but seldom meant: emitters in walls, bodies that never start,
/// kill boxes that take the fluid, solids without thickness, fluids that only contacts keep apart, places far
/// from the origin, masses that are not those of the shapes.
#include <string>
#include <vector>

#include "solvers/core/initial_state.h"

namespace merganser {

/// Emitters whose discs reach behind a wall at time 0, or into none of the kill boxes of their fluid; whose
/// layers have more particles than they may emit; and pairs that emit from one place at one time.
std::vector<std::string> notes_on_emitters(const InitialState& initial);
/// Emitters of SPH and DFSPH within a spacing of particles that a body of their fluid, or of one that is
/// solved with it, starts with.
std::vector<std::string> notes_on_emission_into_bodies(const InitialState& initial);
/// Bodies whose start time is not before the end.
std::vector<std::string> notes_on_late_bodies(const InitialState& initial);
/// Fluids of which particles start in none of the kill boxes; boxes that hold nothing at the start and touch
/// no other box, so that nothing can come into them.
std::vector<std::string> notes_on_kill_boxes(const InitialState& initial);
/// Rigid, brittle and soft bodies whose particles all lie in one plane or line: what they resist has no
/// thickness there.
std::vector<std::string> notes_on_flat_bodies(const InitialState& initial);
/// Whether a pressure solve counts the particles of both systems.
bool solved_together(const InitialState& initial, int a, int b);
/// Pairs of fluids that meet by contacts alone: no density counts both.
std::vector<std::string> notes_on_meeting_fluids(const InitialState& initial);
/// Solids that are lighter than a fluid, that nothing holds, and that meet the fluid by contacts alone: these
/// push them up too little.
std::vector<std::string> notes_on_floating_bodies(const InitialState& initial);
/// Walls whose surface has a velocity that neither friction nor viscosity passes on.
std::vector<std::string> notes_on_sliding_walls(const InitialState& initial);
/// Walls that lie in one another, with equal motions: planes and sides of tanks in one plane, other shapes
/// that are equal.
std::vector<std::string> notes_on_walls_in_walls(const InitialState& initial);
/// What methods say about their systems' parameters (Method::note).
std::vector<std::string> notes_of_methods(const InitialState& initial);
/// Keys of systems and of "coupling" that need another key to have an effect (keys_without_effect).
std::vector<std::string> notes_on_keys_without_effect(const InitialState& initial);
/// Systems with particles or emitters so far from the origin that float positions are coarse beside the
/// particle spacing (coordinate_range.h).
std::vector<std::string> notes_on_far_places(const InitialState& initial);
/// Cloths with edges so long that fluids which merge with their vertices pass between these; cloths of meshes
/// whose vertices were merged; and cloths of several pieces that no edge joins.
std::vector<std::string> notes_on_cloths(const InitialState& initial);
/// Meshes that are hundreds of times as large as what else the scene holds: their files may be in
/// millimetres.
std::vector<std::string> notes_on_units(const InitialState& initial);
/// Bodies whose particles weigh more or less than density times volume of their shape, by more than
/// usual_mass_error (body.h): each stands for spacing^3, and no whole number of them fits.
std::vector<std::string> notes_on_masses(const InitialState& initial);

}  // namespace merganser
