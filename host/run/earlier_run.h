#pragma once
/// Start of a run from the particles of another: a frame or a checkpoint, and the copy of them that the run
/// keeps.
#include <filesystem>

#include "host/files/atomic_file.h"
#include "host/scene/taken_particles.h"

namespace merganser {

/// The folder of a run: its last checkpoint; FOLDER@N or a file frame_NNNNNN.vtkhdf: that frame. Changes
/// nothing there. Throws InputError that names the file, FileError where it cannot be read.
TakenParticles read_earlier_run(const std::string& from);
/// What was taken, what is new and what was left out, a line each.
std::vector<std::string> notes_on_taken(const TakenParticles& taken, const InitialState& state);
/// What of it the run does without.
std::vector<std::string> warnings_on_taken(const TakenParticles& taken, const InitialState& state);
/// The run's folder in such a text.
std::filesystem::path folder_of_earlier_run(const std::string& from);

/// The copy, from which a resumed run makes the same start.
void write_taken_particles(const std::filesystem::path& file, const TakenParticles& taken,
                           const InPlace& in_place);
/// Whether a file is such a copy.
bool holds_taken_particles(const std::filesystem::path& file);
TakenParticles read_taken_particles(const std::filesystem::path& file);

}  // namespace merganser
