#include "host/surface/mesh_sequence.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>

#include "device/errors.h"
#include "host/files/atomic_file.h"
#include "host/files/own_files.h"
#include "host/output/vtkhdf_cells.h"

namespace merganser {

FrameRange parse_frame_range(const std::string& text) {
  FrameRange range;
  if (text.empty()) return range;
  const auto wrong = [&] {
    return InputError("--frames " + text + ": allowed are A:B, A:, :B (both ends included) and N");
  };
  const auto number = [&](std::string_view digits, int otherwise) {
    if (digits.empty()) return otherwise;
    int value = -1;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec != std::errc() || result.ptr != digits.data() + digits.size() || value < 0) throw wrong();
    return value;
  };
  const size_t colon = text.find(':');
  if (colon == text.npos) {
    range.first = range.last = number(text, 0);
    return range;
  }
  range.first = number(std::string_view(text).substr(0, colon), range.first);
  range.last = number(std::string_view(text).substr(colon + 1), range.last);
  if (range.last < range.first) throw wrong();
  return range;
}

size_t count_frames(const std::vector<FrameFile>& frames, const FrameRange& range, const std::string& text) {
  size_t wanted = 0;
  for (const FrameFile& frame : frames) wanted += range.holds(frame.number);
  if (wanted == 0)
    throw InputError(fmt::format("--frames {}: the run has frames {} to {}", text, frames.front().number,
                                 frames.back().number));
  return wanted;
}

std::filesystem::path MeshSequence::file(int frame) const {
  return folder / mesh_name(kind, frame, "." + format.word());
}

bool MeshSequence::holds(int frame) const {
  std::error_code none;
  const auto type = std::filesystem::status(file(frame), none).type();
  if (std::filesystem::exists(std::filesystem::file_status(type)) &&
      type != std::filesystem::file_type::regular)
    throw FileError(fmt::format(
        "'{}' is in the way: it is not a regular file; remove it, or choose another folder with -o",
        file(frame).string()));
  return type == std::filesystem::file_type::regular && !overwrite;
}

void MeshSequence::claim_options(const std::string& wanted) const {
  const std::filesystem::path options = folder / mesh_options_name(kind);
  std::error_code none;
  if (std::filesystem::exists(options, none) && !overwrite) {
    const auto there = read_file(options);
    if (std::string_view(there.data(), there.size()) != wanted)
      throw InputError(
          fmt::format("'{}' holds {}s made with other options (see '{}'); --overwrite replaces them, "
                      "-o DIR writes elsewhere",
                      folder.string(), kind, options.string()));
    return;
  }
  write_file_atomically(options, {wanted});
}

void MeshSequence::write(int frame, const SurfaceFrame& mesh) const {
  const std::vector<char> bytes = format.encode(mesh);
  write_file_atomically(file(frame), {{bytes.data(), bytes.size()}});
}

void MeshSequence::write_series(const std::vector<FrameFile>& frames) const {
  if (!format.has_series()) return;
  std::vector<std::pair<std::string, double>> series;
  for (const FrameFile& frame : frames) {
    std::error_code none;
    if (const auto mesh = file(frame.number); std::filesystem::exists(mesh, none))
      series.emplace_back(mesh.filename().string(), read_surface_time(mesh));
  }
  write_file_atomically(folder / mesh_series_name(kind), {series_text(series)});
}

void SequenceProgress::update(size_t done, size_t made, size_t triangles) {
  if (mode_ != Progress::Mode::terminal) return;
  const double each = made > 0 ? seconds() / double(made) : 0;
  std::fprintf(stderr, "\r\033[K%zu of %zu frames  %s left  %zu triangles", done, frames_,
               made > 0 ? duration_text(each * double(frames_ - done)).c_str() : "?", triangles);
  std::fflush(stderr);
  visible_ = true;
}

void SequenceProgress::say(const std::string& text) {
  clear();
  if (mode_ != Progress::Mode::quiet) std::fprintf(stderr, "merganser: %s\n", text.c_str());
}

void SequenceProgress::say_finished(const MeshSequence& sequence, size_t done, size_t made) {
  say(fmt::format("finished: {} {}s in '{}' in {}{}", made, sequence.kind, sequence.folder.string(),
                  duration_text(seconds()),
                  done > made ? fmt::format("; {} were there already", done - made) : ""));
}

void SequenceProgress::clear() {
  if (visible_) std::fprintf(stderr, "\r\033[K");
  visible_ = false;
}

}  // namespace merganser
