#include "host/surface/mesh_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/files/atomic_file.h"
#include "host/files/own_files.h"
#include "host/output/vtkhdf_cells.h"
#include "solvers/base/text_encoding.h"

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

namespace {
/// See AskedFrames.
std::string missing_frames(const std::vector<FrameFile>& files, const FrameRange& range) {
  constexpr int most_said = 10;
  std::string missing;
  int next = range.first, gaps = 0;
  for (const FrameFile& frame : files) {
    const int last = std::min(frame.number - 1, range.last);
    if (last >= next) {
      if (++gaps > most_said) return missing + ", ...";
      missing +=
          (gaps > 1 ? ", " : "") + (last > next ? fmt::format("{} to {}", next, last) : std::to_string(next));
    }
    if (frame.number >= range.last) break;
    next = std::max(next, frame.number + 1);
  }
  return missing;
}
}  // namespace

AskedFrames asked_frames(const SequenceOptions& options, const FrameRange& range) {
  AskedFrames asked{range, list_frames(options.run)};
  for (const FrameFile& frame : asked.files) asked.count += range.holds(frame.number);
  if (asked.count == 0)
    throw InputError(fmt::format("--frames {}: the run has frames {} to {}", options.frames,
                                 asked.files.front().number, asked.files.back().number));
  asked.missing = missing_frames(asked.files, range);
  return asked;
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void SequenceProgress::update(size_t done, size_t frames, size_t made, size_t triangles) {
  if (mode_ != Progress::Mode::terminal) return;
  const double each = made > 0 ? seconds() / double(made) : 0;
  std::fprintf(stderr, "\r\033[K%zu of %zu frames  %s left  %zu triangles", done, frames,
               made > 0 ? duration_text(each * double(frames - done)).c_str() : "?", triangles);
  std::fflush(stderr);
  visible_ = true;
}

void SequenceProgress::say(const std::string& text) {
  clear();
  if (mode_ != Progress::Mode::quiet) std::fprintf(stderr, "merganser: %s\n", printable_lines(text).c_str());
}

void SequenceProgress::clear() {
  if (visible_) std::fprintf(stderr, "\r\033[K");
  visible_ = false;
}

namespace {
std::filesystem::path created(const std::filesystem::path& folder) {
  create_folder(folder);
  return folder;
}

/// A run that holds the folder may be moved together with it: its path from there, "..". Else its whole path.
std::string name_of_run(const std::filesystem::path& run, const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  const fs::path whole = fs::weakly_canonical(run),
                 from = fs::weakly_canonical(folder).lexically_relative(whole);
  return from.empty() || *from.begin() == ".." ? whole.string()
                                               : whole.lexically_relative(whole / from).string();
}
}  // namespace

MeshSequence::MeshSequence(std::string kind, const SequenceOptions& options, nlohmann::ordered_json wanted)
    : kind_(std::move(kind)),
      folder_(created(options.output.empty() ? options.run / kind_ : options.output)),
      format_(*find_exporter(mesh_exporters(), options.format)),
      overwrite_(options.overwrite),
      lock_(folder_),
      progress_(options.quiet) {
  remove_temporary_files(folder_, kind_ == skin_kind ? is_skin_file : is_surface_file);
  wanted["run"] = name_of_run(options.run, folder_);
  claim(json_text(wanted));
}

std::filesystem::path MeshSequence::file(int frame) const {
  return folder_ / mesh_name(kind_, frame, "." + format_.word());
}

/// Whether the frame has a mesh that stays. Throws FileError where something else has its name.
bool MeshSequence::holds(int frame) const {
  std::error_code none;
  const auto type = std::filesystem::status(file(frame), none).type();
  if (std::filesystem::exists(std::filesystem::file_status(type)) &&
      type != std::filesystem::file_type::regular)
    throw FileError(fmt::format(
        "'{}' is in the way: it is not a regular file; remove it, or choose another folder with -o",
        file(frame).string()));
  return type == std::filesystem::file_type::regular && !overwrite_;
}

void MeshSequence::claim(const std::string& wanted) const {
  const std::filesystem::path options = folder_ / mesh_options_name(kind_);
  std::error_code none;
  if (std::filesystem::exists(options, none) && !overwrite_) {
    const auto there = read_file(options);
    if (std::string_view(there.data(), there.size()) != wanted)
      throw InputError(
          fmt::format("'{}' holds {}s made with other options (see '{}'); --overwrite replaces them, "
                      "-o DIR writes elsewhere",
                      folder_.string(), kind_, options.string()));
    return;
  }
  write_file_atomically(options, {wanted});
}

void MeshSequence::write_beside(int frame, const std::string& end, const std::vector<char>& bytes) const {
  write_file_atomically(folder_ / mesh_name(kind_, frame, end), {{bytes.data(), bytes.size()}});
}

MeshSequence::Counts MeshSequence::write(const AskedFrames& frames,
                                         const std::function<SurfaceFrame(const FrameFile&)>& make,
                                         const std::function<void(const FrameFile&)>& pass) {
  if (!frames.missing.empty())
    say(
        fmt::format("warning: the run lacks frames {}, so they get no {}; repeat the run for them, or leave "
                    "them out with --frames",
                    frames.missing, kind_));
  Counts counts;
  size_t triangles = 0;
  for (const FrameFile& frame : frames.files) {
    if (frame.number > frames.range.last) break;
    const bool asked = frames.range.holds(frame.number);
    if (asked && !holds(frame.number)) {
      const SurfaceFrame mesh = make(frame);
      const std::vector<char> bytes = format_.encode(mesh);
      write_file_atomically(file(frame.number), {{bytes.data(), bytes.size()}});
      triangles = mesh.mesh.triangles.size();
      ++counts.made;
    } else {
      pass(frame);
      counts.there += asked;
    }
    if (asked) progress_.update(counts.made + counts.there, frames.count, counts.made, triangles);
  }
  write_series(frames.files);
  say(fmt::format("finished: {} {}s in '{}' in {}{}", counts.made, kind_, folder_.string(),
                  duration_text(progress_.seconds()),
                  counts.there > 0 ? fmt::format("; {} were there already", counts.there) : ""));
  return counts;
}

/// The list of those of `frames` that have a mesh; for formats without one nothing.
void MeshSequence::write_series(const std::vector<FrameFile>& frames) const {
  if (!format_.has_series()) return;
  std::vector<std::pair<std::string, double>> series;
  for (const FrameFile& frame : frames) {
    std::error_code none;
    if (const auto mesh = file(frame.number); std::filesystem::exists(mesh, none))
      series.emplace_back(mesh.filename().string(), read_surface_time(mesh));
  }
  write_file_atomically(folder_ / mesh_series_name(kind_), {series_text(series)});
}

}  // namespace merganser
