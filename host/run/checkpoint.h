#pragma once
/// Checkpoints: checkpoint/checkpoint_STEP.h5, an HDF5 file behind a user block of 512 bytes that holds
/// length and checksum.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/files/atomic_file.h"
#include "solvers/base/state_archive.h"

namespace merganser {

struct Checkpoint {
  std::string version;           ///< of the program that wrote it
  std::uint32_t scene_hash = 0;  ///< checksum of the run's scene.json
  long long step = 0;
  double time = 0;          ///< [s]
  StateArchive simulation;  ///< what Simulation::save gave
  StateArchive run;         ///< counters, sums and checks of the run loop
};

/// Texts of any bytes but zeros.
void put_texts(StateArchive& archive, const std::string& name, const std::vector<std::string>& texts);
std::vector<std::string> texts(const StateArchive& archive, const std::string& name);

/// A checkpoint found in a folder, and what was wrong with newer ones.
struct FoundCheckpoint {
  Checkpoint checkpoint;
  std::filesystem::path file;
  std::vector<std::string> warnings;
};

/// Writes checkpoint_STEP.h5 atomically, then deletes all but the newest two. Throws FileError; older ones
/// are then kept. `in_place` throws where the folder is another one by now.
std::filesystem::path write_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint,
                                       const InPlace& in_place = {});

/// A checkpoint that is there but not what was written.
struct DamagedError : FileError {
  using FileError::FileError;
};

/// Reads and verifies one file. Throws DamagedError where it is truncated or damaged, FileError where it
/// cannot be read, InputError where it has another format.
Checkpoint read_checkpoint(const std::filesystem::path& file);

/// The newest checkpoint that is whole; damaged newer ones are renamed to *.damaged and named in the
/// warnings. Empty where the folder holds none; throws FileError where it holds damaged ones only, and
/// changes nothing then, or where one cannot be read.
std::optional<FoundCheckpoint> read_newest_checkpoint(const std::filesystem::path& folder);

/// Files of a checkpoint folder, newest first.
std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& folder);

}  // namespace merganser
