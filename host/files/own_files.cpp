#include "host/files/own_files.h"

#include <fmt/format.h>

#include <charconv>

namespace merganser {
namespace {

constexpr std::string_view frame_front = "frame_", checkpoint_front = "checkpoint_", frame_back = ".vtkhdf",
                           checkpoint_back = ".h5", damaged_back = ".damaged";
constexpr int frame_digits = 6, checkpoint_digits = 9;  // the least number of them

/// Takes `front` and a number as fmt writes it with at least that many digits off a name.
std::optional<long long> take_number(std::string_view& name, std::string_view front, int digits) {
  if (!name.starts_with(front)) return {};
  const char* begin = name.data() + front.size();
  long long number = -1;
  const auto [end, fault] = std::from_chars(begin, name.data() + name.size(), number);
  if (fault != std::errc() || number < 0) return {};
  if (std::string_view(begin, static_cast<size_t>(end - begin)) != fmt::format("{:0{}}", number, digits))
    return {};
  name.remove_prefix(static_cast<size_t>(end - name.data()));
  return number;
}

}  // namespace

std::string frame_name(long long number) {
  return fmt::format("{}{:0{}}{}", frame_front, number, frame_digits, frame_back);
}

std::string checkpoint_name(long long step) {
  return fmt::format("{}{:0{}}{}", checkpoint_front, step, checkpoint_digits, checkpoint_back);
}

std::string mesh_name(const std::string& kind, int frame, const std::string& extension) {
  return fmt::format("{}_{:0{}}{}", kind, frame, frame_digits, extension);
}
std::string mesh_options_name(const std::string& kind) { return kind + ".json"; }
std::string mesh_series_name(const std::string& kind) { return kind + ".vtkhdf.series"; }

std::optional<long long> checkpoint_step(std::string_view name) {
  const auto step = take_number(name, checkpoint_front, checkpoint_digits);
  return name == checkpoint_back ? step : std::nullopt;
}

bool is_frame_file(std::string_view name) {
  return name == frame_series_name || (take_number(name, frame_front, frame_digits) && name == frame_back);
}

bool is_checkpoint_file(std::string_view name) {
  if (name.ends_with(damaged_back)) name.remove_suffix(damaged_back.size());
  return checkpoint_step(name).has_value();
}

std::optional<std::string_view> mesh_name_end(const std::string& kind, std::string_view name) {
  if (!take_number(name, kind + "_", frame_digits)) return {};
  return name;
}

bool is_run_text(std::string_view name) {
  return name == "scene.json" || name == "summary.json" || name == skin_record_name ||
         name == start_particles_name || name == walls_name;
}

}  // namespace merganser
