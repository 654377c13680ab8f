#pragma once
/// Matrices like those of elastic SPH solids, for tests and benchmarks of direct solvers: A = M + s D^T D
/// with the SPH gradient D, so that rows are coupled that share a neighbor ([ES] eq. 29 without the
/// zero-energy term).
#include <vector>

#include "solvers/linear/cholesky/cholesky.h"

MERGANSER_BEGIN

/// A lattice of spacing 1 with x * y * z points, each moved by up to a fifth along each axis; the first
/// `count` points where count >= 0. Keyed random draws: the same on every machine.
std::vector<Point3> jittered_block(int x, int y, int z, int count = -1);

/// Unit masses; `stiffness` s, which is what the condition number grows with. Neighbors are those within
/// `radius` spacings (2: 27 to 30 on average in blocks of 4,096 to 64,000).
HostSparseMatrix elastic_matrix(const std::vector<Point3>& positions, double stiffness, double radius = 2.0);

MERGANSER_END
