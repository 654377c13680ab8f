#include "host/scene/read_gltf.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "device/errors.h"

namespace merganser {

namespace {

static_assert(std::endian::native == std::endian::little, "glTF numbers are read as they lie in memory");

using Json = nlohmann::json;
/// Column by column, as in the file: x' = m[0] x + m[4] y + m[8] z + m[12].
using Matrix = std::array<double, 16>;
constexpr Matrix identity{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (size_t column = 0; column < 4; ++column)
    for (size_t row = 0; row < 4; ++row)
      for (size_t k = 0; k < 4; ++k) c[4 * column + row] += a[4 * k + row] * b[4 * column + k];
  return c;
}

/// Of a node: its matrix, or T R S (sec. 5.25).
Matrix matrix_of(const Json& node) {
  if (node.contains("matrix")) return node["matrix"].get<Matrix>();
  const auto t = node.value("translation", std::array<double, 3>{0, 0, 0});
  const auto q = node.value("rotation", std::array<double, 4>{0, 0, 0, 1});
  const auto s = node.value("scale", std::array<double, 3>{1, 1, 1});
  const auto [x, y, z, w] = q;
  return {s[0] * (1 - 2 * (y * y + z * z)),
          s[0] * 2 * (x * y + z * w),
          s[0] * 2 * (x * z - y * w),
          0,
          s[1] * 2 * (x * y - z * w),
          s[1] * (1 - 2 * (x * x + z * z)),
          s[1] * 2 * (y * z + x * w),
          0,
          s[2] * 2 * (x * z + y * w),
          s[2] * 2 * (y * z - x * w),
          s[2] * (1 - 2 * (x * x + y * y)),
          0,
          t[0],
          t[1],
          t[2],
          1};
}

bool mirrors(const Matrix& m) {
  return m[0] * (m[5] * m[10] - m[9] * m[6]) - m[4] * (m[1] * m[10] - m[9] * m[2]) +
             m[8] * (m[1] * m[6] - m[5] * m[2]) <
         0;
}

std::string from_base64(std::string_view text, const auto& fail) {
  std::string bytes;
  std::uint32_t held = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    const size_t digit =
        std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").find(c);
    if (digit == std::string_view::npos) fail("a buffer holds a letter that base64 does not have");
    held = held << 6 | static_cast<std::uint32_t>(digit);
    if ((bits += 6) < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits & 0xff);
  }
  return bytes;
}

class GltfReader {
 public:
  GltfReader(std::string_view bytes, const std::filesystem::path& file) : file_(file.string()) {
    std::string_view text = bytes, chunk;
    if (bytes.starts_with("glTF")) split(bytes, text, chunk);
    json_ = Json::parse(text, nullptr, false);
    if (!json_.is_object()) fail("it holds no JSON object; save it again");
    for (const Json& buffer : list("buffers")) {
      const std::string uri = buffer.value("uri", "");
      const size_t comma = uri.find(";base64,");
      if (uri.empty()) {
        buffers_.emplace_back(chunk);
      } else if (uri.starts_with("data:") && comma != uri.npos) {
        buffers_.push_back(
            from_base64(std::string_view(uri).substr(comma + 8), [&](const char* what) { fail(what); }));
      } else {
        fail("its data lie in a file of their own; save it as .glb or with embedded buffers");
      }
    }
  }

  TriangleMesh read() {
    const Json& scenes = list("scenes");
    if (scenes.empty()) {
      for (const Json& mesh : list("meshes")) add_mesh(mesh, identity);
    } else {
      for (const Json& node : scenes.at(whole(json_, "scene", 0)).value("nodes", Json::array()))
        add_node(whole(node), identity, 0);
    }
    return mesh_of_corners(corners_);
  }

  [[noreturn]] void fail(const std::string& what) const { throw InputError(file_ + ": " + what); }

 private:
  const Json& list(const char* key) const {
    static const Json none = Json::array();
    return json_.contains(key) ? json_[key] : none;
  }
  size_t whole(const Json& value) const {
    constexpr size_t most = std::numeric_limits<std::uint32_t>::max();
    if (!value.is_number_unsigned() || value.get<size_t>() > most)
      fail("an index or a size in its JSON is no whole number up to 4294967295; save it again");
    return value.get<size_t>();
  }
  size_t whole(const Json& object, const char* key, size_t otherwise) const {
    return object.contains(key) ? whole(object[key]) : otherwise;
  }
  /// The two chunks of a .glb file (sec. 4.4).
  void split(std::string_view bytes, std::string_view& text, std::string_view& binary) const {
    for (size_t at = 12; at + 8 <= bytes.size();) {
      std::uint32_t length = 0;
      std::memcpy(&length, bytes.data() + at, 4);
      const std::string_view type = bytes.substr(at + 4, 4);
      if (length > bytes.size() - at - 8) fail("the file ends too early; save it again");
      if (type == "JSON") text = bytes.substr(at + 8, length);
      if (type == std::string_view("BIN\0", 4)) binary = bytes.substr(at + 8, length);
      at += 8 + size_t{length};
    }
  }

  void add_node(size_t index, const Matrix& parent, int depth) {
    constexpr int deepest = 64;
    constexpr size_t most_nodes = 1000000;
    if (depth > deepest || ++visited_ > most_nodes)
      fail("its nodes are more than 64 deep or go in a circle; save it again without a hierarchy");
    const Json& node = list("nodes").at(index);
    const Matrix here = product(parent, matrix_of(node));
    if (node.contains("mesh")) add_mesh(list("meshes").at(whole(node["mesh"])), here);
    for (const Json& child : node.value("children", Json::array())) add_node(whole(child), here, depth + 1);
  }

  void add_mesh(const Json& mesh, const Matrix& place) {
    for (const Json& primitive : mesh.at("primitives")) {
      constexpr size_t triangles = 4, strip = 5, fan = 6;
      const size_t mode = whole(primitive, "mode", triangles);
      if (mode == strip || mode == fan)
        fail("strips and fans of triangles are not read; save it with triangles");
      if (mode != triangles) continue;
      if (primitive.value("extensions", Json::object()).contains("KHR_draco_mesh_compression"))
        fail("compressed meshes are not read; save it without compression");
      add_triangles(primitive, place);
    }
  }

  void add_triangles(const Json& primitive, const Matrix& m) {
    const Elements position = elements(whole(primitive.at("attributes").at("POSITION")), "VEC3");
    if (position.type != float_type)
      fail("positions are not 32-bit floating-point numbers; save it without quantization");
    std::optional<Elements> index;
    if (primitive.contains("indices")) index = elements(whole(primitive["indices"]), "SCALAR");
    const size_t count = index ? index->count : position.count;
    if (count % 3 != 0) fail("the last triangle is incomplete; save it again");
    constexpr size_t most = 100000000;
    if (corners_.size() + count > 3 * most) fail("it has more than 100,000,000 triangles");
    for (size_t k = 0; k < count; ++k) {
      const size_t in_order = mirrors(m) ? k / 3 * 3 + (3 - k % 3) % 3 : k;
      const size_t vertex = index ? number(*index, in_order) : in_order;
      if (vertex >= position.count)
        fail("a face names vertex " + std::to_string(vertex) + ", but there are " +
             std::to_string(position.count));
      Float3 p;
      std::memcpy(p.data(), position.data + vertex * position.stride, sizeof p);
      Float3 corner;
      for (size_t row = 0; row < 3; ++row) {
        corner[row] = static_cast<float>(m[row] * double(p[0]) + m[4 + row] * double(p[1]) +
                                         m[8 + row] * double(p[2]) + m[12 + row]);
        if (!std::isfinite(corner[row])) fail("a vertex is not a finite number");
      }
      corners_.push_back(corner);
    }
  }

  static constexpr size_t byte_type = 5121, short_type = 5123, int_type = 5125, float_type = 5126;
  /// The elements of an accessor (sec. 3.6.2), all of them within their buffer.
  struct Elements {
    const char* data;
    size_t count, stride;
    size_t type;
  };
  Elements elements(size_t accessor, const char* kind) const {
    const Json& from = list("accessors").at(accessor);
    if (from.contains("sparse") || !from.contains("bufferView"))
      fail("sparse accessors are not read; save it without morph targets");
    if (from.at("type") != kind) fail("accessor " + std::to_string(accessor) + " is no " + kind);
    const Json& view = list("bufferViews").at(whole(from["bufferView"]));
    const std::string& buffer = buffers_.at(whole(view.at("buffer")));
    const size_t type = whole(from.at("componentType"));
    const size_t size = (type == byte_type    ? 1
                         : type == short_type ? 2
                                              : 4) *
                        (std::string_view(kind) == "VEC3" ? 3 : 1);
    const size_t first = whole(from, "byteOffset", 0) + whole(view, "byteOffset", 0);
    const size_t count = whole(from.at("count")), stride = whole(view, "byteStride", size);
    if (first > buffer.size() || (count > 0 && (count - 1) * stride + size > buffer.size() - first))
      fail("accessor " + std::to_string(accessor) + " reaches beyond its buffer; save the file again");
    return {buffer.data() + first, count, stride, type};
  }
  size_t number(const Elements& of, size_t k) const {
    const char* at = of.data + k * of.stride;
    if (of.type == byte_type) return static_cast<unsigned char>(*at);
    if (of.type != short_type && of.type != int_type) fail("indices are no unsigned integers; save it again");
    std::uint32_t value = 0;
    std::memcpy(&value, at, of.type == short_type ? 2 : 4);
    return value;
  }

  std::string file_;
  Json json_;
  std::vector<std::string> buffers_;
  std::vector<Float3> corners_;
  size_t visited_ = 0;
};

}  // namespace

TriangleMesh read_gltf(std::string_view bytes, const std::filesystem::path& file) {
  GltfReader reader(bytes, file);
  try {
    TriangleMesh mesh = reader.read();
    if (mesh.triangles.empty()) reader.fail("no triangles found");
    return mesh;
  } catch (const nlohmann::json::exception&) {
    reader.fail("something that its JSON should hold is missing or of another type; save it again");
  } catch (const std::out_of_range&) {
    reader.fail("its JSON names something that it does not hold; save it again");
  }
}

}  // namespace merganser
