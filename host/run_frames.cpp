#include "host/run_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "device/errors.h"
#include "host/atomic_file.h"
#include "host/hdf5_image.h"

namespace merganser {
namespace {

[[noreturn]] void throw_damaged(const std::filesystem::path& file, const std::string& what) {
  throw InputError(fmt::format(
      "'{}' is not a whole frame ({}); delete it and repeat the run, or leave it out with --frames",
      file.string(), what));
}

/// Number in frame_NNNNNN.vtkhdf, or -1.
int frame_number(const std::string& name) {
  constexpr std::string_view front = "frame_", back = ".vtkhdf";
  if (!name.starts_with(front) || !name.ends_with(back)) return -1;
  int number = -1;
  const char* end = name.data() + name.size() - back.size();
  const auto result = std::from_chars(name.data() + front.size(), end, number);
  return result.ec == std::errc() && result.ptr == end ? number : -1;
}

/// What a group of an HDF5 file holds; FileErrors become InputErrors that name the file.
class FrameImage {
 public:
  explicit FrameImage(const std::filesystem::path& file) : file_(file), bytes_(read_file(file)) {}
  StateArchive group(const std::string& name) const {
    StateArchive archive;
    for (NamedArray& array : reader().datasets(name)) archive.add(std::move(array));
    return archive;
  }
  bool holds(const std::string& group) const { return reader().holds(group); }
  /// Runs `read`, whose FileErrors become InputErrors.
  template <class Read>
  auto checked(const Read& read) const {
    try {
      return read();
    } catch (const FileError& error) {
      throw_damaged(file_, error.what());
    }
  }

 private:
  Hdf5Reader reader() const { return Hdf5Reader({bytes_.data(), bytes_.size()}); }
  std::filesystem::path file_;
  std::vector<char> bytes_;
};

std::vector<Float3> triples(const std::vector<float>& flat) {
  std::vector<Float3> values(flat.size() / 3);
  if (!values.empty()) std::memcpy(values.data(), flat.data(), values.size() * sizeof(Float3));
  return values;
}

}  // namespace

std::vector<FrameFile> list_frames(const std::filesystem::path& run) {
  std::vector<FrameFile> frames;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(run / "frames", none))
    if (const int number = frame_number(entry.path().filename().string()); number >= 0)
      frames.push_back({number, entry.path()});
  if (frames.empty())
    throw InputError(
        fmt::format("there are no frames in '{}'; give the folder that 'merganser run -o DIR' wrote",
                    (run / "frames").string()));
  std::sort(frames.begin(), frames.end(),
            [](const FrameFile& a, const FrameFile& b) { return a.number < b.number; });
  return frames;
}

double read_time(const std::filesystem::path& file) {
  const FrameImage image(file);
  return image.checked([&] {
    const auto time = image.group("VTKHDF/FieldData").get<double>("time");
    if (time.size() != 1) throw FileError("its time is not one number");
    return time[0];
  });
}

FrameParticles read_frame(const std::filesystem::path& file) {
  const FrameImage image(file);
  FrameParticles frame = image.checked([&] {
    const StateArchive archive = image.group("VTKHDF");
    return FrameParticles{.time = read_time(file),
                          .position = triples(archive.get<float>("Points")),
                          .velocity = triples(archive.get<float>("PointData/velocity")),
                          .id = archive.get<std::int32_t>("PointData/id"),
                          .body = archive.get<std::int32_t>("PointData/body"),
                          .system = archive.get<std::int32_t>("PointData/system")};
  });
  const size_t count = frame.position.size();
  for (const size_t size : {frame.velocity.size(), frame.id.size(), frame.body.size(), frame.system.size()})
    if (size != count) throw_damaged(file, "its fields differ in length");
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < 3; ++k)
      if (!std::isfinite(frame.position[i][k]) || !std::isfinite(frame.velocity[i][k]))
        throw_damaged(
            file, fmt::format("particle {} has a position or velocity that is not a number", frame.id[i]));
  return frame;
}

TopologyLinks read_links(const std::filesystem::path& file, const std::string& system) {
  const FrameImage image(file);
  const std::string group = "Merganser/topology/" + system;
  return image.checked([&]() -> TopologyLinks {
    if (!image.holds(group)) return {};
    const StateArchive archive = image.group(group);
    TopologyLinks links{archive.get<std::int32_t>("first"), archive.get<std::int32_t>("neighbor"),
                        archive.get<float>("age")};
    const auto wrong = [&](bool fault) {
      if (fault) throw FileError("the links of system '" + system + "' do not fit together");
    };
    wrong(links.first.empty() || links.first.front() != 0 || links.age.size() != links.neighbor.size() ||
          links.first.back() != static_cast<std::int64_t>(links.neighbor.size()));
    wrong(!std::is_sorted(links.first.begin(), links.first.end()));
    for (const int j : links.neighbor) wrong(j < 0 || size_t(j) + 1 >= links.first.size());
    return links;
  });
}

}  // namespace merganser
