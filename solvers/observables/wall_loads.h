#pragma once
/// Forces and torques of particles on the walls that have a name.
#include "solvers/core/observable.h"

MERGANSER_BEGIN

/// Names of those walls, in the scene's order: the k-th is wall k of wall_load().
std::vector<std::string> measured_walls(const std::vector<WallParameters>& walls);
/// What the k-th got in the last step, by contact, pressure, viscosity and implicit solves, as of the last
/// fetch_results(): impulse and angular impulse, divided by the step's length force and torque.
WallLoad wall_load(const ObservedParts& parts, int k);

MERGANSER_END
