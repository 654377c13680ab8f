#pragma once
/// Masses of the particles of a rigid body.
#include <vector>

#include "solvers/geometry/sampling/mass_properties.h"

namespace merganser {

/// [kg] one a point, so that their sum, centre of mass and moments of inertia are those of the solid with the
/// mass `mass`: m_i = m (1 + a + b.x_i + x_i.C x_i), with the ten coefficients that do so, the least change
/// of equal masses. All that is summed over particles (momenta, energies) is then the body's. Moments that
/// no masses give are met as nearly as they can be: all points of a plate of two layers are as far from its
/// middle. Where the points lie in a plane, or a mass would leave [1/4, 4] of the mean, only the centre is
/// met, or masses are equal.
std::vector<double> point_masses(const std::vector<Float3>& points, const MassProperties& solid, double mass);

}  // namespace merganser
