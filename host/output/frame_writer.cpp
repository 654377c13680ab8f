#include "host/output/frame_writer.h"

#include <algorithm>

#include "host/files/own_files.h"
#include "host/output/exporters.h"
#include "host/output/vtkhdf_cells.h"

namespace merganser {
std::vector<char> encode_frame(const FrameData& frame) {
  return find_exporter(particle_exporters(), "vtkhdf")->encode(frame);
}

FrameWriter::FrameWriter(const std::filesystem::path& run_folder, std::vector<double> times, InPlace in_place)
    : folder_(run_folder / "frames"), times_(std::move(times)), in_place_(std::move(in_place)) {
  create_folder(folder_);
  remove_temporary_files(folder_, is_frame_file);
  std::error_code none;
  for (int k = 0; k < count(); ++k)
    if (!std::filesystem::exists(folder_ / frame_name(k), none)) missing_.push_back(k);
  write_series();
}

void FrameWriter::write(const FrameData& frame) {
  const std::vector<char> bytes = encode_frame(frame);
  write_file_atomically(folder_ / frame_name(count()), {{bytes.data(), bytes.size()}}, in_place_);
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
  write_file_atomically(folder_ / frame_series_name, {series_text(files)}, in_place_);
}

}  // namespace merganser
