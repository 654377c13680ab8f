#include "host/surface/surface_run.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/files/atomic_file.h"
#include "host/files/own_files.h"
#include "host/output/vtkhdf_cells.h"
#include "host/run/progress.h"
#include "host/run/run_folder.h"
#include "host/surface/surface_maker.h"

namespace merganser {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What makes one surface differ from another; kept in the folder, so that no sequence is mixed from two.
std::string options_text(const SurfaceOptions& options) {
  using Json = nlohmann::ordered_json;
  const Json json{{"method", options.method},
                  {"system", options.system},
                  {"perBody", options.per_body},
                  {"cellSize", options.cell_size},
                  {"smooth", options.smoothing},
                  {"refine", options.refinements},
                  {"run", std::filesystem::absolute(options.run).lexically_normal().string()}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";  // a path may be no UTF-8
}

/// Throws InputError where the folder holds surfaces made in another way.
void claim_options(const std::filesystem::path& folder, const SurfaceOptions& options) {
  const std::filesystem::path file = folder / surface_options_name;
  const std::string wanted = options_text(options);
  std::error_code none;
  if (std::filesystem::exists(file, none) && !options.overwrite) {
    const auto there = read_file(file);
    if (std::string_view(there.data(), there.size()) != wanted)
      throw InputError(
          fmt::format("'{}' holds surfaces made with other options (see '{}'); --overwrite replaces them, "
                      "-o DIR writes elsewhere",
                      folder.string(), file.string()));
    return;
  }
  write_file_atomically(file, {wanted});
}

/// The line that says how far the work is; on a terminal it renews itself.
class SurfaceProgress {
 public:
  SurfaceProgress(bool quiet, size_t frames) : mode_(Progress::mode_of_stderr(quiet)), frames_(frames) {}
  ~SurfaceProgress() { clear(); }
  void update(size_t done, size_t made, size_t triangles) {
    if (mode_ != Progress::Mode::terminal) return;
    const double each = made > 0 ? seconds_since(start_) / double(made) : 0;
    std::fprintf(stderr, "\r\033[K%zu of %zu frames  %s left  %zu triangles", done, frames_,
                 made > 0 ? duration_text(each * double(frames_ - done)).c_str() : "?", triangles);
    std::fflush(stderr);
    visible_ = true;
  }
  void say(const std::string& text) {
    clear();
    if (mode_ != Progress::Mode::quiet) std::fprintf(stderr, "merganser: %s\n", text.c_str());
  }
  double seconds() const { return seconds_since(start_); }

 private:
  void clear() {
    if (visible_) std::fprintf(stderr, "\r\033[K");
    visible_ = false;
  }
  Progress::Mode mode_;
  size_t frames_;
  bool visible_ = false;
  Clock::time_point start_ = Clock::now();
};

void write_made(const std::filesystem::path& folder, int frame, const SurfaceMaker::Made& made,
                const MeshExporter& format) {
  for (const auto& [part, bytes] : made.level_sets) {
    const std::string name =
        surface_name(frame, made.level_sets.size() > 1 ? "_" + part + ".vdb" : std::string(".vdb"));
    write_file_atomically(folder / name, {{bytes.data(), bytes.size()}});
  }
  const std::vector<char> bytes = format.encode(made.frame);  // last: it says that the frame is done
  write_file_atomically(folder / surface_name(frame, "." + format.word()), {{bytes.data(), bytes.size()}});
}

}  // namespace

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

/// Throws InputError where the run has none of the frames wanted, or lacks the one that neighborhoods would
/// be followed from. Returns how many are wanted.
size_t expect_frames(const SurfaceOptions& options, const FrameRange& range,
                     const std::vector<FrameFile>& frames, bool follows) {
  size_t wanted = 0;
  for (const FrameFile& frame : frames) wanted += range.holds(frame.number);
  if (wanted == 0)
    throw InputError(fmt::format("--frames {}: the run has frames {} to {}", options.frames,
                                 frames.front().number, frames.back().number));
  if (follows && frames.front().number != 0)
    throw InputError(
        fmt::format("'{}' lacks frame 0, from which topological neighborhoods would be followed; use "
                    "--method sum, or run the scene with \"neighborhood\": \"topological\"",
                    (options.run / "frames").string()));
  return wanted;
}

/// Whether the file is there. Throws FileError where something else has its name.
bool is_there(const std::filesystem::path& file) {
  std::error_code none;
  const auto kind = std::filesystem::status(file, none).type();
  if (std::filesystem::exists(std::filesystem::file_status(kind)) &&
      kind != std::filesystem::file_type::regular)
    throw FileError(fmt::format(
        "'{}' is in the way: it is not a regular file; remove it, or choose another folder with -o",
        file.string()));
  return kind == std::filesystem::file_type::regular;
}

void write_series(const std::filesystem::path& folder, const std::vector<FrameFile>& frames,
                  const MeshExporter& format) {
  std::vector<std::pair<std::string, double>> series;
  for (const FrameFile& frame : frames) {
    const std::string name = surface_name(frame.number, "." + format.word());
    std::error_code none;
    if (std::filesystem::exists(folder / name, none))
      series.emplace_back(name, read_surface_time(folder / name));
  }
  write_file_atomically(folder / surface_series_name, {series_text(series)});
}

}  // namespace

int make_surfaces(const SurfaceOptions& options, const Services& services) {
  const FrameRange range = parse_frame_range(options.frames);
  const MeshExporter& format = *find_exporter(mesh_exporters(), options.format);
  const SurfaceScene scene = read_surface_scene(options.run);
  const std::vector<FrameFile> frames = list_frames(options.run);
  expect_frames(options, range, frames, false);
  const Device device = select_device(options.device, options.threads);
  SurfaceMaker maker(options, services, scene, device);
  maker.look_for_links(frames.front());
  const size_t wanted = expect_frames(options, range, frames, maker.follows());

  const std::filesystem::path folder = options.output.empty() ? options.run / "surface" : options.output;
  create_folder(folder);
  const FolderLock lock(folder);
  remove_temporary_files(folder, is_surface_file);
  claim_options(folder, options);
  SurfaceProgress progress(options.quiet, wanted);
  progress.say(fmt::format("surfaces of {} frames ({}) on {}{}", wanted, options.method, device.description,
                           device.note.empty() ? "" : "; " + device.note));
  if (maker.follows())
    progress.say(
        "the run kept no topological neighborhoods; they are followed from frame to frame, so the closer the "
        "frames, the better");
  if (scene.periodic)
    progress.say("the domain is periodic; surfaces are closed off where particles end, also at its borders");

  size_t done = 0, made_count = 0, triangles = 0;
  for (const FrameFile& frame : frames) {
    if (frame.number > range.last) break;
    const bool asked = range.holds(frame.number);
    const bool there =
        is_there(folder / surface_name(frame.number, "." + format.word())) && !options.overwrite;
    if (asked && !there) {
      const SurfaceMaker::Made made = maker.make(frame);
      write_made(folder, frame.number, made, format);
      triangles = made.frame.mesh.triangles.size();
      ++made_count;
    } else if (maker.follows()) {
      maker.follow(frame);
    }
    done += asked;
    if (asked) progress.update(done, made_count, triangles);
  }
  if (format.has_series()) write_series(folder, frames, format);
  progress.say(fmt::format(
      "finished: {} surfaces in '{}' in {}{}", made_count, folder.string(), duration_text(progress.seconds()),
      done > made_count ? fmt::format("; {} were there already", done - made_count) : ""));
  return 0;
}

}  // namespace merganser
