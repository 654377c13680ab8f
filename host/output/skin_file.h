#pragma once
/// skins.h5 in a run's folder: the surfaces of its solid bodies and their particles at rest.
#include <filesystem>

#include "host/files/atomic_file.h"
#include "solvers/geometry/sampling/skin_body.h"

namespace merganser {

/// Throws FileError.
void write_skin_file(const std::filesystem::path& file, const SkinRecord& record,
                     const InPlace& in_place = {});
/// Verifies the checksum and that the content fits together. Throws InputError that names the file where it
/// is damaged, and FileError where it cannot be read.
SkinRecord read_skin_file(const std::filesystem::path& file);

}  // namespace merganser
