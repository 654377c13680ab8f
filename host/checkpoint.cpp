#include "host/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "host/atomic_file.h"
#include "host/hdf5_image.h"
#include "host/sealed_image.h"

namespace merganser {
namespace {

constexpr int format_number = 1;  // of the layout below; a change of the layout counts it up
constexpr size_t kept = 2;

size_t element_size(ElementType type) {
  switch (type) {
    case ElementType::int8:
      return 1;
    case ElementType::int32:
    case ElementType::float32:
      return 4;
    default:
      return 8;
  }
}

void add(Hdf5Builder& file, const std::string& group, const StateArchive& archive) {
  file.group(group);
  for (const NamedArray& array : archive.arrays())
    file.dataset(group + "/" + array.name, array.type, {array.bytes.size() / element_size(array.type)},
                 array.bytes.data());
}

StateArchive extract(const Hdf5Reader& file, const std::string& group) {
  StateArchive archive;
  for (NamedArray& array : file.datasets(group)) archive.add(std::move(array));
  return archive;
}

/// The step in a name checkpoint_STEP.h5, or nothing.
std::optional<long long> step_of(const std::filesystem::path& file) {
  const std::string name = file.filename().string(), front = "checkpoint_", back = ".h5";
  if (!name.starts_with(front) || !name.ends_with(back) || name.size() <= front.size() + back.size())
    return {};
  long long step = 0;
  const char* end = name.data() + name.size() - back.size();
  const auto result = std::from_chars(name.data() + front.size(), end, step);
  if (result.ec != std::errc() || result.ptr != end) return {};
  return step;
}

}  // namespace

std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (step_of(entry.path())) files.push_back(entry.path());
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return step_of(a) > step_of(b); });
  return files;
}

std::filesystem::path write_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint) {
  Hdf5Builder builder;
  builder.attribute("/", "version", checkpoint.version);
  builder.attribute("/", "scene_hash", std::vector<std::int64_t>{checkpoint.scene_hash});
  builder.attribute("/", "step", std::vector<std::int64_t>{checkpoint.step});
  builder.attribute("/", "time", checkpoint.time);
  add(builder, "simulation", checkpoint.simulation);
  add(builder, "run", checkpoint.run);
  const std::vector<char> image = builder.finish();
  const std::string_view bytes(image.data(), image.size());
  const std::filesystem::path file = folder / fmt::format("checkpoint_{:09}.h5", checkpoint.step);
  create_folder(folder);
  write_file_atomically(file, {seal_of("checkpoint", format_number, bytes), bytes});
  const auto files = list_checkpoints(folder);
  std::error_code ignored;
  for (size_t i = kept; i < files.size(); ++i) std::filesystem::remove(files[i], ignored);
  return file;
}

Checkpoint read_checkpoint(const std::filesystem::path& file) {
  const std::vector<char> content = read_file(file);
  try {
    const SealedImage sealed = open_sealed({content.data(), content.size()});
    if (sealed.kind != "checkpoint") throw FileError("it is a " + sealed.kind);
    if (sealed.format != format_number)
      throw InputError(
          fmt::format("checkpoint '{}' has format {}, this version reads format {}; continue with the "
                      "version that wrote it",
                      file.string(), sealed.format, format_number));
    const Hdf5Reader reader(sealed.image);
    Checkpoint checkpoint;
    checkpoint.version = reader.text_attribute("version");
    checkpoint.scene_hash = static_cast<std::uint32_t>(reader.integer_attribute("scene_hash"));
    checkpoint.step = reader.integer_attribute("step");
    checkpoint.time = reader.real_attribute("time");
    checkpoint.simulation = extract(reader, "simulation");
    checkpoint.run = extract(reader, "run");
    return checkpoint;
  } catch (const FileError& error) {
    throw FileError(fmt::format("checkpoint '{}' is damaged: {}", file.string(), error.what()));
  }
}

std::optional<FoundCheckpoint> read_newest_checkpoint(const std::filesystem::path& folder) {
  FoundCheckpoint found;
  std::vector<std::filesystem::path> damaged;
  for (const std::filesystem::path& file : list_checkpoints(folder)) {
    try {
      found.checkpoint = read_checkpoint(file);
      found.file = file;
    } catch (const FileError& error) {
      found.warnings.push_back(std::string(error.what()) +
                               "; renamed to *.damaged, the previous one is used");
      damaged.push_back(file);
      continue;
    }
    // Out of the way: a damaged one would count among the newest two and push out a good one.
    std::error_code ignored;
    for (const auto& bad : damaged) std::filesystem::rename(bad, bad.string() + ".damaged", ignored);
    return found;
  }
  if (!damaged.empty())
    throw FileError(fmt::format("no usable checkpoint in '{}' ({}); start again with --overwrite",
                                folder.string(), found.warnings.front()));
  return {};
}

}  // namespace merganser
