#pragma once
/// The parts that all VTKHDF files of this project share (version 2.0, type PolyData).
#include "host/files/hdf5_image.h"
#include "solvers/base/host_types.h"

namespace merganser {

/// Of the layout of frames and surfaces; a change that readers must know counts it up.
constexpr int vtkhdf_format = 1;

/// Version, type and points.
void begin_polydata(Hdf5Builder& file, const std::vector<Float3>& points);
/// One of the four cell groups (VTKHDF/Vertices, Lines, Polygons, Strips): cells of `size` points each.
void add_cells(Hdf5Builder& file, const std::string& group, const std::vector<std::int64_t>& connectivity,
               int size);
/// As the group VTKHDF/Polygons.
void add_triangles(Hdf5Builder& file, const std::vector<Triangle>& triangles);
/// A list of texts in VTKHDF/FieldData; nothing where it is empty.
void add_names(Hdf5Builder& file, const std::string& list, const std::vector<std::string>& names);
/// [s]
void add_time(Hdf5Builder& file, double time);
/// The file-series-version 1.0 list that ParaView opens: names and times [s].
std::string series_text(const std::vector<std::pair<std::string, double>>& files);

}  // namespace merganser
