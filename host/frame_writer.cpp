#include "host/frame_writer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "host/atomic_file.h"
#include "host/hdf5_image.h"

namespace merganser {
namespace {

std::string frame_name(size_t number) { return fmt::format("frame_{:06}.vtkhdf", number); }

/// One of the four cell groups of VTKHDF's PolyData: `cells` cells of one point each, points 0, 1, ...
void add_cells(Hdf5Builder& file, const std::string& group, size_t cells) {
  const std::int64_t count = static_cast<std::int64_t>(cells);
  std::vector<std::int64_t> numbers(cells + 1);
  std::iota(numbers.begin(), numbers.end(), 0);
  file.dataset(group + "/NumberOfCells", ElementType::int64, {1}, &count);
  file.dataset(group + "/NumberOfConnectivityIds", ElementType::int64, {1}, &count);
  file.dataset(group + "/Connectivity", ElementType::int64, {cells}, numbers.data(), true);
  file.dataset(group + "/Offsets", ElementType::int64, {cells + 1}, numbers.data(), true);
}

template <class T>
void add_point_field(Hdf5Builder& file, const std::string& name, ElementType type,
                     const std::vector<T>& values, size_t particles) {
  if (values.size() != particles)
    throw FileError(
        fmt::format("frame: field '{}' has {} values for {} particles", name, values.size(), particles));
  file.dataset("VTKHDF/PointData/" + name, type, {particles}, values.data());
}

}  // namespace

std::vector<char> encode_frame(const FrameData& frame) {
  const size_t particles = frame.position.size();
  const std::int64_t count = static_cast<std::int64_t>(particles);
  Hdf5Builder file;
  file.group("VTKHDF");
  file.attribute("VTKHDF", "Version", std::vector<std::int64_t>{2, 0});
  file.attribute("VTKHDF", "Type", std::string("PolyData"));
  file.dataset("VTKHDF/NumberOfPoints", ElementType::int64, {1}, &count);
  file.dataset("VTKHDF/Points", ElementType::float32, {particles, 3}, frame.position.data());
  add_cells(file, "VTKHDF/Vertices", particles);
  for (const char* none : {"VTKHDF/Lines", "VTKHDF/Polygons", "VTKHDF/Strips"}) add_cells(file, none, 0);

  if (frame.velocity.size() != particles) throw FileError("frame: velocities and positions differ in number");
  file.dataset("VTKHDF/PointData/velocity", ElementType::float32, {particles, 3}, frame.velocity.data());
  add_point_field(file, "id", ElementType::int32, frame.id, particles);
  add_point_field(file, "body", ElementType::int32, frame.body, particles);
  add_point_field(file, "system", ElementType::int32, frame.system, particles);
  for (const auto& [name, values] : frame.fields)
    add_point_field(file, name, ElementType::float32, values, particles);
  for (const auto& [name, values] : frame.int_fields)
    add_point_field(file, name, ElementType::int32, values, particles);
  for (const char* name : {"time", "TimeValue"})  // TimeValue is VTK's own word
    file.dataset(std::string("VTKHDF/FieldData/") + name, ElementType::float64, {1}, &frame.time);
  for (const FrameLinks& links : frame.links) {  // outside the group that VTK reads
    const std::string group = "Merganser/topology/" + links.system;
    file.dataset(group + "/first", ElementType::int32, {links.first.size()}, links.first.data(), true);
    file.dataset(group + "/neighbor", ElementType::int32, {links.neighbor.size()}, links.neighbor.data(),
                 true);
    file.dataset(group + "/age", ElementType::float32, {links.age.size()}, links.age.data(), true);
  }
  return file.finish();
}

FrameWriter::FrameWriter(const std::filesystem::path& run_folder, std::vector<double> times)
    : folder_(run_folder / "frames"), times_(std::move(times)) {
  create_folder(folder_);
  remove_temporary_files(folder_);
  write_series();
}

void FrameWriter::write(const FrameData& frame) {
  const std::vector<char> bytes = encode_frame(frame);
  write_file_atomically(folder_ / frame_name(times_.size()), {{bytes.data(), bytes.size()}});
  times_.push_back(frame.time);
  try {
    write_series();
  } catch (...) {
    times_.pop_back();
    throw;
  }
}

void FrameWriter::write_series() const {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (size_t i = 0; i < times_.size(); ++i) files.push_back({{"name", frame_name(i)}, {"time", times_[i]}});
  const nlohmann::ordered_json series{{"file-series-version", "1.0"}, {"files", files}};
  write_file_atomically(folder_ / "frames.vtkhdf.series", {series.dump(1), "\n"});
}

}  // namespace merganser
