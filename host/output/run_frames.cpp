#include "host/output/run_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "device/errors.h"
#include "host/files/atomic_file.h"
#include "host/files/child_trial.h"
#include "host/files/sealed_image.h"
#include "host/output/vtkhdf_cells.h"

namespace merganser {
namespace {

constexpr const char* frame_remedy = "delete it and repeat the run, or leave it out with --frames";
constexpr const char* surface_remedy = "delete it; the command that made it makes it again";

/// Number in frame_NNNNNN.vtkhdf, or -1.
int frame_number(const std::string& name) {
  constexpr std::string_view front = "frame_", back = ".vtkhdf";
  if (!name.starts_with(front) || !name.ends_with(back)) return -1;
  int number = -1;
  const char* end = name.data() + name.size() - back.size();
  const auto result = std::from_chars(name.data() + front.size(), end, number);
  const bool ours =
      result.ec == std::errc() && result.ptr == end && name == fmt::format("frame_{:06}.vtkhdf", number);
  return ours ? number : -1;
}

/// A frame or surface whose checksum fits, or one that was written before there were checksums.
class FrameImage {
 public:
  /// Runs `read` on a file of this kind. Every FileError of it becomes an InputError that names the file.
  template <class Read>
  static auto read(const std::filesystem::path& file, const std::string& kind, const Read& read) {
    const std::vector<char> bytes = read_file(file);
    const std::string_view all(bytes.data(), bytes.size());
    try {
      // No checksum vouches for the bytes, and HDF5 crashes on some damage.
      if (is_unsealed(all) && !survives_in_child([&] { read(FrameImage(all, kind)); }))
        throw FileError("HDF5 cannot read it");
      return read(FrameImage(all, kind));
    } catch (const FileError& error) {
      throw InputError(fmt::format("'{}' is not a whole {} ({}); {}", file.string(), kind, error.what(),
                                   kind == "frame" ? frame_remedy : surface_remedy));
    }
  }
  template <class T>
  std::vector<T> values(const std::string& path, ElementType type, size_t columns = 1) const {
    const std::vector<char> bytes = reader_.dataset(path, type, columns);
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::vector<std::int32_t> integers(const std::string& path) const {
    return values<std::int32_t>(path, ElementType::int32);
  }
  double time() const {
    const auto time = values<double>("VTKHDF/FieldData/time", ElementType::float64);
    if (time.size() != 1 || !std::isfinite(time[0])) throw FileError("its time is not one number");
    return time[0];
  }
  bool holds(const std::string& path) const { return reader_.holds(path); }

 private:
  FrameImage(std::string_view bytes, const std::string& kind)
      : reader_(is_unsealed(bytes) ? bytes : unsealed(bytes, kind)) {}
  static std::string_view unsealed(std::string_view bytes, const std::string& kind) {
    const SealedImage sealed = open_sealed(bytes);
    if (sealed.kind != kind) throw FileError("it is a " + sealed.kind);
    if (sealed.format != vtkhdf_format)
      throw FileError(
          fmt::format("it has format {}, this version reads format {}", sealed.format, vtkhdf_format));
    return sealed.image;
  }
  Hdf5Reader reader_;
};

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

double read_surface_time(const std::filesystem::path& file) {
  return FrameImage::read(file, "surface", [](const FrameImage& image) { return image.time(); });
}

FrameParticles read_frame(const std::filesystem::path& file) {
  return FrameImage::read(file, "frame", [](const FrameImage& image) {
    FrameParticles frame{
        .time = image.time(),
        .position = image.values<Float3>("VTKHDF/Points", ElementType::float32, 3),
        .velocity = image.values<Float3>("VTKHDF/PointData/velocity", ElementType::float32, 3),
        .id = image.integers("VTKHDF/PointData/id"),
        .body = image.integers("VTKHDF/PointData/body"),
        .system = image.integers("VTKHDF/PointData/system"),
        .fragment = {}};
    const size_t count = frame.position.size();
    if (image.holds("VTKHDF/PointData/fragment"))
      for (const float number : image.values<float>("VTKHDF/PointData/fragment", ElementType::float32)) {
        if (!(number >= 0 && number < 1e9f)) throw FileError("a fragment's number is none");
        frame.fragment.push_back(static_cast<std::int32_t>(number));
      }
    if (!frame.fragment.empty() && frame.fragment.size() != count)
      throw FileError("its fields differ in length");
    for (const size_t size : {frame.velocity.size(), frame.id.size(), frame.body.size(), frame.system.size()})
      if (size != count) throw FileError("its fields differ in length");
    for (size_t i = 0; i < count; ++i) {
      if (frame.body[i] < 0 || frame.system[i] < 0)
        throw FileError(fmt::format("particle {} has a negative body or system", frame.id[i]));
      for (size_t k = 0; k < 3; ++k)
        if (!std::isfinite(frame.position[i][k]) || !std::isfinite(frame.velocity[i][k]))
          throw FileError(
              fmt::format("particle {} has a position or velocity that is not a number", frame.id[i]));
    }
    return frame;
  });
}

TopologyLinks read_links(const std::filesystem::path& file, const std::string& system) {
  const std::string group = "Merganser/topology/" + system;
  return FrameImage::read(file, "frame", [&](const FrameImage& image) -> TopologyLinks {
    if (!image.holds(group)) return {};
    TopologyLinks links{image.integers(group + "/first"), image.integers(group + "/neighbor"),
                        image.values<float>(group + "/age", ElementType::float32)};
    const auto wrong = [&](bool fault) {
      if (fault) throw FileError("the links of system '" + system + "' do not fit together");
    };
    wrong(links.first.empty() || links.first.front() != 0 || links.age.size() != links.neighbor.size() ||
          links.first.back() != static_cast<std::int64_t>(links.neighbor.size()));
    wrong(!std::is_sorted(links.first.begin(), links.first.end()));
    for (const int j : links.neighbor) wrong(j < 0 || size_t(j) + 1 >= links.first.size());
    for (const float age : links.age) wrong(!std::isfinite(age));
    return links;
  });
}

}  // namespace merganser
