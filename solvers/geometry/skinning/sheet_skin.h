#pragma once
/// The surface of a cloth: its particles are the vertices.
#include <memory>

#include "device/backend.h"
#include "solvers/geometry/skinning/body_skin.h"

MERGANSER_BEGIN

/// Texture coordinates in [0, 1] of a sheet at rest: its projection on the plane of its mean normal, along
/// the first edge of its first triangle and across, each scaled to the extent of the sheet. A closed mesh has
/// no mean normal; its plane is then normal to the axis of its least extent, and its sides share coordinates.
std::vector<Float2> sheet_coordinates(const TriangleMesh& sheet);

/// Vertices are at the particles; a normal is the sum of the area vectors of the triangles at its vertex,
/// with length 1. A triangle whose corners belong to several fragments, or one with a side that is stretched
/// by more than SkinBinding::most_stretch, is torn and left out. With a thickness t [m] the surface is
/// closed: a layer at x + t/2 n, one at x - t/2 n behind it with the same texture coordinates, and a rim
/// along the edges that belong to one triangle. It encloses area * t where the sheet is flat.
std::unique_ptr<BodySkin> make_sheet_skin(const SkinBody& body);

MERGANSER_END
