#include "host/run/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <sstream>

#include "host/files/hdf5_image.h"
#include "host/files/own_files.h"
#include "host/files/sealed_image.h"

namespace merganser {
namespace {

constexpr int format_number = 4;  // of the layout below; a change of the layout counts it up
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

std::optional<long long> step_of(const std::filesystem::path& file) {
  return checkpoint_step(file.filename().string());
}

}  // namespace

void put_texts(StateArchive& archive, const std::string& name, const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + '\0';
  archive.put(name, std::vector<signed char>(all.begin(), all.end()));
}

std::vector<std::string> texts(const StateArchive& archive, const std::string& name) {
  const auto all = archive.get<signed char>(name);
  std::istringstream stream{std::string(all.begin(), all.end())};
  std::vector<std::string> found;
  for (std::string text; std::getline(stream, text, '\0');) found.push_back(text);
  return found;
}

std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& entry :
       entries_of(folder))  // where it cannot be read, the run would begin anew
    if (step_of(entry)) files.push_back(entry);
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return step_of(a) > step_of(b); });
  return files;
}

std::filesystem::path write_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint,
                                       const InPlace& in_place) {
  Hdf5Builder builder;
  builder.attribute("/", "version", checkpoint.version);
  builder.attribute("/", "scene_hash", std::vector<std::int64_t>{checkpoint.scene_hash});
  builder.attribute("/", "step", std::vector<std::int64_t>{checkpoint.step});
  builder.attribute("/", "time", checkpoint.time);
  add(builder, "simulation", checkpoint.simulation);
  add(builder, "run", checkpoint.run);
  const std::vector<char> image = builder.finish();
  const std::string_view bytes(image.data(), image.size());
  const std::filesystem::path file = folder / checkpoint_name(checkpoint.step);
  if (in_place) in_place();
  create_folder(folder);
  write_file_atomically(file, {seal_of("checkpoint", format_number, bytes), bytes}, in_place);
  if (in_place) in_place();  // the older ones go by their names
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
    throw DamagedError(fmt::format("checkpoint '{}' is damaged: {}", file.string(), error.what()));
  }
}

std::optional<FoundCheckpoint> read_newest_checkpoint(const std::filesystem::path& folder) {
  FoundCheckpoint found;
  std::vector<std::pair<std::filesystem::path, std::string>> damaged;  // and how
  for (const std::filesystem::path& file : list_checkpoints(folder)) {
    try {
      found.checkpoint = read_checkpoint(file);
      found.file = file;
    } catch (const DamagedError& error) {
      damaged.emplace_back(file, error.what());
      continue;
    }
    for (const auto& [bad, how] : damaged) {
      // Out of the way: a damaged one would count among the newest two and push out a good one.
      std::error_code error;
      std::filesystem::rename(bad, bad.string() + ".damaged", error);
      found.warnings.push_back(fmt::format(
          "{}; {}, the one before is used", how,
          error ? "it could not be renamed (" + error.message() + ")" : std::string("renamed to *.damaged")));
    }
    return found;
  }
  if (damaged.empty()) return {};
  std::string all;
  for (const auto& [file, how] : damaged) all += how + "; ";
  throw FileError(
      fmt::format("no checkpoint of '{}' can be used: {}nothing was changed; put a copy of one back, "
                  "or start again with --overwrite",
                  folder.string(), all));
}

}  // namespace merganser
