#include "host/cli/cli_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "device/errors.h"
#include "host/cli/cli.h"
#include "host/surface/mesh_sequence.h"

namespace merganser {
namespace {

constexpr size_t longest_value = 60;  // bytes of a value that a message repeats

/// The whole text as a number; empty where it is none, or one that a double or long long cannot hold.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  Number value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::string refused(const std::string& text, const std::string& allowed) {
  return fmt::format("'{}' is not allowed; allowed is {}", shortened(text, longest_value), allowed);
}

/// `holds(number)` decides; a number that is not finite never holds.
template <class Holds>
CLI::Validator real_number(const std::string& kind, const std::string& allowed, Holds holds) {
  return {[=](std::string& text) {
            const auto value = number_of<double>(text);
            return value && std::isfinite(*value) && holds(*value) ? "" : refused(text, allowed);
          },
          kind};
}

}  // namespace

CLI::Validator positive_number() {
  return real_number("POSITIVE", "a number greater than 0", [](double value) { return value > 0; });
}

CLI::Validator number_above_zero(double greatest) {
  return real_number("POSITIVE", fmt::format("a number greater than 0 and at most {}", greatest),
                     [=](double value) { return value > 0 && value <= greatest; });
}

CLI::Validator number_between(double least, double greatest) {
  return real_number(fmt::format("{} - {}", least, greatest),
                     fmt::format("a number from {} to {}", least, greatest),
                     [=](double value) { return value >= least && value <= greatest; });
}

CLI::Validator number_from_zero() {
  return real_number("NONNEGATIVE", "a number from 0 on", [](double value) { return value >= 0; });
}

CLI::Validator whole_number(long long least, long long greatest) {
  const bool open = greatest == std::numeric_limits<long long>::max();
  const std::string allowed =
      fmt::format("a whole number from {} {}", least, open ? "on" : fmt::format("to {}", greatest));
  return {[=](std::string& text) {
            const auto value = number_of<long long>(text);
            return value && *value >= least && *value <= greatest ? "" : refused(text, allowed);
          },
          least > 0 ? "POSITIVE" : "NONNEGATIVE"};
}

CLI::Validator not_empty(const std::string& advice) {
  return {[advice](std::string& text) -> std::string { return text.empty() ? "is empty; " + advice : ""; },
          ""};
}

CLI::Validator time_limit() {
  return {[](std::string& text) -> std::string {
            try {
              const double seconds = parse_duration(text);
              return seconds > 0 && std::isfinite(seconds) ? "" : refused(text, "a time greater than 0");
            } catch (const InputError& error) {
              return error.what();
            }
          },
          "TIME"};
}

void add_scene_options(CLI::App& command, SceneOverrides& overrides, const std::string& group) {
  constexpr long long greatest_seed = 0xffffffff;
  CLI::Option* options[] = {
      command
          .add_option("--resolution", overrides.resolution,
                      "1 = the spacing of the scene, 0.5 = twice that spacing")
          ->check(positive_number()),
      command.add_option("--set", overrides.set, "Change a value: path.to.key=VALUE; may be repeated")
          ->take_all()
          ->allow_extra_args(false),
      command.add_option("--seed", overrides.seed, "Seed of all random numbers")
          ->check(whole_number(0, greatest_seed))};
  for (CLI::Option* option : options)
    if (!group.empty()) option->group(group);
}

void add_device_options(CLI::App& command, std::string& device, int& threads) {
  constexpr long long most_threads = 1024;  // the stacks of a hundred times as many do not fit
  command.add_option("--device", device, "auto | cuda[:N] | cpu")->capture_default_str();
  command
      .add_option(
          "--threads", threads,
          fmt::format("CPU threads, {} at most (default: all that the process may use)", most_threads))
      ->check(whole_number(1, most_threads));
}

void add_sequence_options(CLI::App& command, SequenceOptions& options, const std::string& kind) {
  command.add_option("DIR", options.run, "Folder that 'merganser run -o DIR' wrote, or is still writing")
      ->required();
  command.add_option("-o,--output", options.output, "Folder of the meshes (default: DIR/" + kind + ")")
      ->check(not_empty());
  command
      .add_option("--frames", options.frames, "Frames A:B, A:, :B (both ends included) or N (default: all)")
      ->check(not_empty());
  std::vector<std::string> formats;
  for (const MeshExporter* exporter : mesh_exporters()) formats.push_back(exporter->word());
  command.add_option("--format", options.format, words_of(mesh_exporters(), " | "))
      ->check(CLI::IsMember(formats))
      ->capture_default_str();
  add_device_options(command, options.device, options.threads);
  command.add_flag(
      "--overwrite", options.overwrite,
      "Replace existing " + kind + "s (default: keep them, so that an interrupted command continues)");
  command.add_flag("-q,--quiet", options.quiet, "Print only errors");
}

std::string shortened(std::string_view text, size_t most) {
  std::string line(text);
  if (line.size() > most) {
    // Two thirds from the beginning, for the end may hold the remedy; no character of several bytes is cut.
    const auto within = [&](size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
    size_t front = most * 2 / 3, back = text.size() - most / 3;
    while (front > 0 && within(front)) --front;
    while (back < text.size() && within(back)) ++back;
    line = fmt::format("{} [{} bytes left out] {}", text.substr(0, front), back - front, text.substr(back));
  }
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  std::replace_if(line.begin(), line.end(), is_control, '?');
  return line;
}

}  // namespace merganser
