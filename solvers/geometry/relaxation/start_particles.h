#pragma once
/// Initial particles of a relaxation.
///
/// [ES] sec. 7 starts with a dense lattice. Here each particle has to stand for d^3 of the solid in the end,
/// so that their number follows from its volume, and pressure moves them over a few spacings only, so that
/// each part of the solid has to get its own share at once, limbs thinner than a spacing as well. Space is
/// cut into blocks of d^3: one that lies within the solid gets one particle, at its middle. Those that the
/// surface cuts are walked through along a Morton curve; 64 points of each tell how much of it is inside, and
/// each time that these shares have added up to a particle, a block gets one, in the middle of its inner
/// points.
#include "solvers/geometry/relaxation/filled_solid.h"

MERGANSER_BEGIN

/// [m] in the frame of the solid, about as far inside as they have to be. Blocking. Throws InputError where
/// there would be too many blocks, or no particle.
Array<Vec3> start_particles(const FilledSolid& solid);

MERGANSER_END
