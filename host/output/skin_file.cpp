#include "host/output/skin_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "device/errors.h"
#include "host/files/hdf5_image.h"
#include "host/files/sealed_image.h"

namespace merganser {
namespace {

constexpr const char* kind = "skins";
constexpr int format_number = 1;

/// A row a body in the data set "bodies".
using BodyRow = std::array<std::int32_t, 7>;

BodyRow row_of(const SkinBody& body) {
  return {body.body,
          body.system,
          static_cast<std::int32_t>(body.binding.motion),
          body.first_id,
          static_cast<std::int32_t>(body.rest.size()),
          static_cast<std::int32_t>(body.surface.vertices.size()),
          static_cast<std::int32_t>(body.surface.triangles.size())};
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& some) {
  all.insert(all.end(), some.begin(), some.end());
}

/// The next `count` elements of a list that is handed out piece by piece.
template <class T>
class Pieces {
 public:
  explicit Pieces(const std::vector<char>& bytes) : all_(bytes.size() / sizeof(T)) {
    if (!all_.empty()) std::memcpy(all_.data(), bytes.data(), bytes.size());
  }
  std::vector<T> next(std::int32_t count) {
    if (count < 1 || size_t(count) > all_.size() - at_) throw FileError("its lists do not fit together");
    at_ += size_t(count);
    return {all_.begin() + long(at_) - count, all_.begin() + long(at_)};
  }
  bool all_taken() const { return at_ == all_.size(); }

 private:
  std::vector<T> all_;
  size_t at_ = 0;
};

void expect_sound(const SkinBody& body) {
  const auto finite = [](const std::vector<Float3>& points) {
    return std::all_of(points.begin(), points.end(), [](const Float3& x) {
      return std::isfinite(x[0]) && std::isfinite(x[1]) && std::isfinite(x[2]);
    });
  };
  const auto vertices = static_cast<int>(body.surface.vertices.size());
  bool sound = body.body >= 0 && body.system >= 0 && body.first_id >= 0 && finite(body.rest) &&
               finite(body.surface.vertices) && body.binding.motion >= SkinMotion::deforming &&
               body.binding.motion <= SkinMotion::sheet && body.binding.most_stretch >= 0;
  for (const Triangle& t : body.surface.triangles)
    for (const int corner : t) sound = sound && corner >= 0 && corner < vertices;
  if (!sound) throw FileError(fmt::format("body {} holds a wrong number", body.body));
}

SkinRecord decode(std::string_view bytes) {
  const SealedImage image = open_sealed(bytes);
  if (image.kind != kind) throw FileError("it is a " + image.kind);
  if (image.format != format_number)
    throw FileError(
        fmt::format("it has format {}, this version reads format {}", image.format, format_number));
  const Hdf5Reader reader(image.image);
  Pieces<BodyRow> rows(reader.dataset("bodies", ElementType::int32, std::tuple_size_v<BodyRow>));
  Pieces<float> stretches(reader.dataset("most_stretch", ElementType::float32));
  Pieces<Float3> rest(reader.dataset("rest", ElementType::float32, 3)),
      vertices(reader.dataset("vertices", ElementType::float32, 3));
  Pieces<Triangle> triangles(reader.dataset("triangles", ElementType::int32, 3));
  SkinRecord record;
  record.spacing = reader.real_attribute("spacing");
  if (!(record.spacing > 0 && std::isfinite(record.spacing)))
    throw FileError("its spacing is no positive number");
  while (!rows.all_taken()) {
    const BodyRow row = rows.next(1)[0];
    SkinBody body{row[0], row[1], {SkinMotion(row[2]), stretches.next(1)[0]}, row[3], rest.next(row[4]), {}};
    body.surface.vertices = vertices.next(row[5]);
    body.surface.triangles = triangles.next(row[6]);
    expect_sound(body);
    record.bodies.push_back(std::move(body));
  }
  if (!stretches.all_taken() || !rest.all_taken() || !vertices.all_taken() || !triangles.all_taken())
    throw FileError("its lists do not fit together");
  return record;
}

}  // namespace

void write_skin_file(const std::filesystem::path& file, const SkinRecord& record, const InPlace& in_place) {
  std::vector<BodyRow> rows;
  std::vector<float> stretches;
  std::vector<Float3> rest, vertices;
  std::vector<Triangle> triangles;
  for (const SkinBody& body : record.bodies) {
    rows.push_back(row_of(body));
    stretches.push_back(body.binding.most_stretch);
    append(rest, body.rest);
    append(vertices, body.surface.vertices);
    append(triangles, body.surface.triangles);
  }
  Hdf5Builder image;
  image.attribute("/", "spacing", record.spacing);
  image.dataset("bodies", ElementType::int32, {rows.size(), std::tuple_size_v<BodyRow>}, rows.data());
  image.dataset("most_stretch", ElementType::float32, {stretches.size()}, stretches.data());
  image.dataset("rest", ElementType::float32, {rest.size(), 3}, rest.data(), true);
  image.dataset("vertices", ElementType::float32, {vertices.size(), 3}, vertices.data(), true);
  image.dataset("triangles", ElementType::int32, {triangles.size(), 3}, triangles.data(), true);
  const std::vector<char> bytes = sealed(kind, format_number, image.finish());
  write_file_atomically(file, {{bytes.data(), bytes.size()}}, in_place);
}

SkinRecord read_skin_file(const std::filesystem::path& file) {
  const std::vector<char> bytes = read_file(file);
  try {
    return decode({bytes.data(), bytes.size()});
  } catch (const FileError& error) {
    throw InputError(
        fmt::format("'{}' is not a whole file of skins ({}); delete it: it is then made from "
                    "scene.json and the meshes that it names",
                    file.string(), error.what()));
  }
}

}  // namespace merganser
