#include "host/output/vtkhdf_cells.h"

#include <nlohmann/json.hpp>

namespace merganser {

void begin_polydata(Hdf5Builder& file, const std::vector<Float3>& points) {
  const std::int64_t count = static_cast<std::int64_t>(points.size());
  file.group("VTKHDF");
  file.attribute("VTKHDF", "Version", std::vector<std::int64_t>{2, 0});
  file.attribute("VTKHDF", "Type", std::string("PolyData"));
  file.dataset("VTKHDF/NumberOfPoints", ElementType::int64, {1}, &count);
  file.dataset("VTKHDF/Points", ElementType::float32, {points.size(), 3}, points.data());
}

void add_cells(Hdf5Builder& file, const std::string& group, const std::vector<std::int64_t>& connectivity,
               int size) {
  const std::int64_t corners = static_cast<std::int64_t>(connectivity.size()), cells = corners / size;
  std::vector<std::int64_t> offsets;
  for (std::int64_t offset = 0; offset <= corners; offset += size) offsets.push_back(offset);
  file.dataset(group + "/NumberOfCells", ElementType::int64, {1}, &cells);
  file.dataset(group + "/NumberOfConnectivityIds", ElementType::int64, {1}, &corners);
  file.dataset(group + "/Connectivity", ElementType::int64, {connectivity.size()}, connectivity.data(), true);
  file.dataset(group + "/Offsets", ElementType::int64, {offsets.size()}, offsets.data(), true);
}

void add_triangles(Hdf5Builder& file, const std::vector<Triangle>& triangles) {
  std::vector<std::int64_t> corners;
  for (const Triangle& t : triangles) corners.insert(corners.end(), t.begin(), t.end());
  add_cells(file, "VTKHDF/Polygons", corners, 3);
}

void add_names(Hdf5Builder& file, const std::string& list, const std::vector<std::string>& names) {
  if (!names.empty()) file.texts("VTKHDF/FieldData/" + list, names);
}

void add_time(Hdf5Builder& file, double time) {
  for (const char* name : {"time", "TimeValue"})  // TimeValue is VTK's own word
    file.dataset(std::string("VTKHDF/FieldData/") + name, ElementType::float64, {1}, &time);
}

std::string series_text(const std::vector<std::pair<std::string, double>>& files) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [name, time] : files) list.push_back({{"name", name}, {"time", time}});
  return nlohmann::ordered_json{{"file-series-version", "1.0"}, {"files", list}}.dump(1) + "\n";
}

}  // namespace merganser
