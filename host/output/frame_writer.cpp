#include "host/output/frame_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "host/files/atomic_file.h"
#include "host/files/own_files.h"
#include "host/files/sealed_image.h"
#include "host/output/vtkhdf_cells.h"

namespace merganser {
namespace {

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
  Hdf5Builder file;
  begin_polydata(file, frame.position);
  std::vector<std::int64_t> numbers(particles);
  std::iota(numbers.begin(), numbers.end(), 0);
  add_cells(file, "VTKHDF/Vertices", numbers, 1);
  for (const char* none : {"VTKHDF/Lines", "VTKHDF/Polygons", "VTKHDF/Strips"}) add_cells(file, none, {}, 1);

  if (frame.velocity.size() != particles) throw FileError("frame: velocities and positions differ in number");
  file.dataset("VTKHDF/PointData/velocity", ElementType::float32, {particles, 3}, frame.velocity.data());
  add_point_field(file, "id", ElementType::int32, frame.id, particles);
  add_point_field(file, "body", ElementType::int32, frame.body, particles);
  add_point_field(file, "system", ElementType::int32, frame.system, particles);
  for (const auto& [name, values] : frame.fields)
    add_point_field(file, name, ElementType::float32, values, particles);
  for (const auto& [name, values] : frame.int_fields)
    add_point_field(file, name, ElementType::int32, values, particles);
  add_time(file, frame.time);
  for (const FrameLinks& links : frame.links) {  // outside the group that VTK reads
    const std::string group = "Merganser/topology/" + links.system;
    file.dataset(group + "/first", ElementType::int32, {links.first.size()}, links.first.data(), true);
    file.dataset(group + "/neighbor", ElementType::int32, {links.neighbor.size()}, links.neighbor.data(),
                 true);
    file.dataset(group + "/age", ElementType::float32, {links.age.size()}, links.age.data(), true);
  }
  return sealed("frame", vtkhdf_format, file.finish());
}

FrameWriter::FrameWriter(const std::filesystem::path& run_folder, std::vector<double> times)
    : folder_(run_folder / "frames"), times_(std::move(times)) {
  create_folder(folder_);
  remove_temporary_files(folder_, is_frame_file);
  std::error_code none;
  for (int k = 0; k < count(); ++k)
    if (!std::filesystem::exists(folder_ / frame_name(k), none)) missing_.push_back(k);
  write_series();
}

void FrameWriter::write(const FrameData& frame) {
  const std::vector<char> bytes = encode_frame(frame);
  write_file_atomically(folder_ / frame_name(count()), {{bytes.data(), bytes.size()}});
  times_.push_back(frame.time);
  try {
    write_series();
  } catch (...) {
    times_.pop_back();
    throw;
  }
}

void FrameWriter::write_series() const {
  std::vector<std::pair<std::string, double>> files;
  for (int k = 0; k < count(); ++k)
    if (!std::binary_search(missing_.begin(), missing_.end(), k))
      files.emplace_back(frame_name(k), times_[size_t(k)]);
  write_file_atomically(folder_ / frame_series_name, {series_text(files)});
}

}  // namespace merganser
