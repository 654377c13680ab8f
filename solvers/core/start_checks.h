#pragma once
/// Checks of the initial particles: states that a simulation would refuse or not survive.
#include <string>
#include <vector>

#include "solvers/core/initial_state.h"

namespace merganser {

/// Every period is at least three times as long as what looks around in it, for contacts and for each method.
/// No particle and no emitter is out of the range of coordinates (coordinate_range.h). No emitter's disc
/// meets its image across a period (start_discs.h).
/// Throws InputError that names the key. Calls Method::expect_start of every system and
/// looks at the points of probes.
void expect_sound_start(const InitialState& initial);
/// The point of a probe is neither outside the periodic domain nor deep behind a wall. Throws InputError that
/// names it.
void expect_in_domain(const ProbeParameters& probe, const InitialState& initial);
/// Three cells of a uniform grid fit into every period; `why` says what is as long as a cell.
void expect_three_cells(const InitialState& initial, float cell, const std::string& why);
/// No particle of the system starts far behind a wall, but for those that are held. Throws InputError that
/// names body and wall.
void expect_before_walls(const SystemState& system, const InitialState& initial);
/// Less than a hundredth of a body of these fluids, which share one density, starts in places of others:
/// their kernel's gradient vanishes there, so nothing parts them. Throws InputError that names the bodies.
/// Bodies that overlap otherwise are a note (find_overlaps).
void expect_apart(const std::vector<int>& systems, const InitialState& initial);
/// Particles whose centres are on the wrong side, per wall.
std::vector<long long> count_behind_walls(const InitialState& initial);

}  // namespace merganser
