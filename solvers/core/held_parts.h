#pragma once
/// Parts of bodies that never move, or move as they are told.
#include <vector>

#include "solvers/core/body.h"

namespace merganser {

/// The particles in a box that move in a given way between two times and stand still otherwise.
struct PrescribedPart {
  static const ParameterTable& table();
  std::array<Point3, 2> box{};                                           ///< [m]
  Point3 velocity{0, 0, 0}, angular_velocity{0, 0, 0}, centre{0, 0, 0};  ///< [m/s], [rad/s], [m]
  double start_time = 0, end_time = 1e30;                                ///< [s]
  bool operator==(const PrescribedPart&) const = default;
};

/// Those of the positions, of particles of the given radius, that are in the box, float rounding allowed for;
/// where none is (a thin box at a low resolution), those that reach into it. Throws InputError where there is
/// none either; `path` names the box's owner.
std::vector<int> particles_in(const std::array<Point3, 2>& box, const std::vector<Float3>& position,
                              double radius, const std::string& path, const std::string& what = "particle");
/// Particles that a force probe sums over: those of its body that are held, in its box where it has one;
/// indices into its system. None where nothing of the body is held and there is no box. Throws InputError
/// where the box holds none.
std::vector<int> held_for(const ProbeParameters& probe, const InitialState& initial);
/// A 1 for every particle in one of the boxes of `pinned`.
std::vector<char> held_by_boxes(const Regions& pinned, const std::vector<Float3>& position, double radius,
                                const std::string& path);
/// Adds the parts' motions to the system, whose next particles have the positions; `held` gets a 1 for every
/// particle that they move.
void add_prescribed(const std::vector<PrescribedPart>& parts, const std::vector<Float3>& position,
                    double radius, const std::string& path, SystemState& system, std::vector<char>& held);

}  // namespace merganser
