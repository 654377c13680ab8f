#pragma once
/// Values on the command line: what is allowed, and messages that name value and remedy on one short line.
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "host/scene/scene.h"

namespace merganser {

struct SequenceOptions;

/// A finite number greater than 0.
CLI::Validator positive_number();
/// A number greater than 0 and at most `greatest`.
CLI::Validator number_above_zero(double greatest);
/// A finite number from `least` to `greatest`, both included.
CLI::Validator number_between(double least, double greatest);
/// A finite number that is not negative.
CLI::Validator number_from_zero();
/// A whole number from `least` to `greatest`, both included.
CLI::Validator whole_number(long long least, long long greatest);
/// Any text but an empty one, as a variable that is not set gives.
CLI::Validator not_empty(const std::string& advice = "give a value or leave the option out");
/// A time limit as parse_duration (cli.h) reads it, greater than 0.
CLI::Validator time_limit();

/// Options that several commands have: --resolution, --set and --seed; --device and --threads. `group`: of
/// the help text, where it has any.
void add_scene_options(CLI::App& command, SceneOverrides& overrides, const std::string& group = "");
void add_device_options(CLI::App& command, std::string& device, int& threads);
/// Options of commands that make meshes of a run's frames: DIR, -o, --frames, --format, --device, --threads,
/// --overwrite, -q. `kind`: see own_files.h.
void add_sequence_options(CLI::App& command, SequenceOptions& options, const std::string& kind);

/// The text on one line: no control characters, and what is more than `most` bytes left out of its middle.
std::string shortened(std::string_view text, size_t most);

}  // namespace merganser
