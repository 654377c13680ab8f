#pragma once
/// Families of bonded particles.
#include <vector>

#include "solvers/methods/peridynamics/bond_sum.h"

MERGANSER_BEGIN

/// Bonds the particles of each body that are within its horizon of each other, as a CSR list (see
/// BondListView); `material` is the body of each particle.
void build_families(View<const Vec3> position, View<const int> material, const Array<BondMaterial>& materials,
                    Array<int>& first, Array<int>& neighbor);

#if !MERGANSER_GPU_HALF
/// Starts of runs, one more at the end: particles that follow each other and whose bonds are those of the
/// one before, moved on by one. At most as many as there are lanes.
std::vector<int> find_runs(View<const int> first, View<const int> neighbor, View<const int> material);
#endif

MERGANSER_END
