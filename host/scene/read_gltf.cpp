#include "host/scene/read_gltf.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "device/errors.h"
#include "host/scene/json_reader.h"

namespace merganser {

namespace {

static_assert(std::endian::native == std::endian::little, "glTF numbers are read as they lie in memory");

using HashedJson = nlohmann::json;  // the scene's ordered one would look through all keys for each
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

/// T R S (sec. 5.25); the quaternion has length 1.
Matrix matrix_of(const std::array<double, 3>& t, const std::array<double, 4>& q,
                 const std::array<double, 3>& s) {
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

/// For messages; what may be nested deeply is not followed.
std::string text_of(const HashedJson& value) {
  const auto is_nested = [](const HashedJson& item) { return item.is_structured(); };
  if (value.is_object()) return "an object";
  if (std::any_of(value.begin(), value.end(), is_nested)) return "a list of lists or objects";
  return shown(value);
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
    json_ = HashedJson::parse(text, nullptr, false);
    if (!json_.is_object()) fail("it holds no JSON object; save it again");
    expect_known_extensions();
    const HashedJson& buffers = list("buffers");
    for (size_t b = 0; b < buffers.size(); ++b) {
      const std::string of = place("buffers", b);
      const HashedJson& given = object(buffers[b], of);
      if (given.contains("uri") && !given["uri"].is_string())
        fail(of + ".uri is " + text_of(given["uri"]) + ", must be a string; save it again");
      const std::string uri = given.value("uri", "");
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
    if (list("scenes").empty()) {
      for (size_t m = 0; m < list("meshes").size(); ++m) add_mesh(m, "the file", identity);
    } else {
      const size_t scene = json_.contains("scene") ? whole(json_["scene"], "scene") : 0;
      add_nodes(element("scenes", scene, "the file"), "nodes", place("scenes", scene), identity, 0);
    }
    return mesh_of_corners(corners_);
  }

  [[noreturn]] void fail(const std::string& what) const { throw InputError(file_ + ": " + what); }

 private:
  /// A list of the file's outermost object, empty where it has none.
  const HashedJson& list(const char* key) const {
    static const HashedJson none = HashedJson::array();
    if (!json_.contains(key)) return none;
    return array(json_[key], key);
  }
  const HashedJson& array(const HashedJson& value, const std::string& path) const {
    if (!value.is_array()) fail(path + " is " + text_of(value) + ", must be a list; save it again");
    return value;
  }
  /// "nodes.3", and its name where it has one.
  std::string place(const std::string& of, size_t index) const {
    const std::string text = of + "." + std::to_string(index);
    const HashedJson& all = list(of.c_str());
    if (index >= all.size() || !all[index].is_object()) return text;
    const auto name = all[index].find("name");
    return name != all[index].end() && name->is_string() ? text + " (" + shown(*name) + ")" : text;
  }
  const HashedJson& object(const HashedJson& value, const std::string& path) const {
    if (!value.is_object()) fail(path + " is " + text_of(value) + ", must be an object; save it again");
    return value;
  }
  /// What `path` must have.
  const HashedJson& member(const HashedJson& of, const char* key, const std::string& path) const {
    if (!of.contains(key)) fail(path + "." + key + " is missing; save the file again");
    return of[key];
  }
  /// An element of an outermost list that `said_by` names.
  const HashedJson& element(const char* of, size_t index, const std::string& said_by) const {
    const HashedJson& all = list(of);
    if (index >= all.size())
      fail(said_by + " names " + of + "." + std::to_string(index) + ", but there are " +
           std::to_string(all.size()) + "; save it again");
    return object(all[index], place(of, index));
  }
  size_t whole(const HashedJson& value, const std::string& path) const {
    constexpr size_t most = std::numeric_limits<std::uint32_t>::max();
    if (!value.is_number_unsigned() || value.get<size_t>() > most)
      fail(path + " is " + text_of(value) + ", which is no whole number up to 4294967295; save it again");
    return value.get<size_t>();
  }
  size_t whole(const HashedJson& of, const char* key, size_t otherwise, const std::string& path) const {
    return of.contains(key) ? whole(of[key], path + "." + key) : otherwise;
  }
  template <size_t n>
  std::array<double, n> numbers(const HashedJson& of, const char* key, const std::array<double, n>& otherwise,
                                const std::string& path) const {
    if (!of.contains(key)) return otherwise;
    const HashedJson& given = of[key];
    std::array<double, n> made{};
    bool fine = given.is_array() && given.size() == n;
    for (size_t k = 0; fine && k < n; ++k)
      if ((fine = given[k].is_number())) made[k] = given[k].get<double>();
    if (!fine)
      fail(path + "." + key + " is " + text_of(given) + ", must be " + std::to_string(n) +
           " numbers; save it again");
    return made;
  }

  /// An extension that a file requires may change where its triangles lie, but for those that say how they
  /// look (sec. 3.12).
  void expect_known_extensions() const {
    const auto is_about_looks = [](const std::string& name) {
      constexpr std::string_view parts[] = {"_materials_", "_texture_", "_lights_", "KHR_xmp",
                                            "KHR_animation_pointer"};
      return std::any_of(std::begin(parts), std::end(parts),
                         [&](std::string_view part) { return name.find(part) != name.npos; });
    };
    for (const HashedJson& name : list("extensionsRequired"))
      if (!name.is_string() || !is_about_looks(name.get<std::string>()))
        fail("it requires the extension " + text_of(name) +
             ", which is not read; save it without, uncompressed and with 32-bit floating-point positions");
  }

  /// Of a node (sec. 3.5.3).
  Matrix matrix_of_node(const HashedJson& node, const std::string& path) const {
    if (node.contains("matrix")) {
      for (const char* part : {"translation", "rotation", "scale"})
        if (node.contains(part))
          fail(path + " has a matrix and a " + part + ", of which a node has one alone; save it again");
      return numbers(node, "matrix", identity, path);
    }
    auto q = numbers<4>(node, "rotation", {0, 0, 0, 1}, path);
    const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
    if (!(length > 0) || !std::isfinite(length))
      fail(path + ".rotation is " + text_of(node["rotation"]) +
           ", which is no direction to turn to; a quaternion of length 1 is allowed; save it again");
    for (double& part : q) part /= length;
    return matrix_of(numbers<3>(node, "translation", {0, 0, 0}, path), q,
                     numbers<3>(node, "scale", {1, 1, 1}, path));
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

  /// A list of nodes under `key`, if there is one.
  void add_nodes(const HashedJson& of, const char* key, const std::string& path, const Matrix& parent,
                 int depth) {
    if (!of.contains(key)) return;
    for (const HashedJson& node : array(of[key], path + "." + key))
      add_node(whole(node, path + "." + key), path, parent, depth);
  }
  /// `said_by` names the node.
  void add_node(size_t index, const std::string& said_by, const Matrix& parent, int depth) {
    constexpr int deepest = 64;
    constexpr size_t most_nodes = 1000000;
    if (depth > deepest || ++visited_ > most_nodes)
      fail("its nodes are more than 64 deep or go in a circle; save it again without a hierarchy");
    const HashedJson& node = element("nodes", index, said_by);
    const std::string path = place("nodes", index);
    const Matrix here = product(parent, matrix_of_node(node, path));
    if (node.contains("mesh")) add_mesh(whole(node["mesh"], path + ".mesh"), path, here);
    add_nodes(node, "children", path, here, depth + 1);
  }

  /// `said_by` names the mesh.
  void add_mesh(size_t index, const std::string& said_by, const Matrix& place_of_mesh) {
    const HashedJson& mesh = element("meshes", index, said_by);
    const std::string path = place("meshes", index);
    const HashedJson& primitives = array(member(mesh, "primitives", path), path + ".primitives");
    for (size_t p = 0; p < primitives.size(); ++p) {
      const std::string of = path + ".primitives." + std::to_string(p);
      const HashedJson& primitive = object(primitives[p], of);
      constexpr size_t triangles = 4, strip = 5, fan = 6;
      const size_t mode = whole(primitive, "mode", triangles, of);
      if (mode == strip || mode == fan)
        fail("strips and fans of triangles are not read; save it with triangles");
      if (mode != triangles) continue;
      if (primitive.contains("extensions") && primitive["extensions"].contains("KHR_draco_mesh_compression"))
        fail("compressed meshes are not read; save it without compression");
      add_triangles(primitive, of, place_of_mesh);
    }
  }

  void add_triangles(const HashedJson& primitive, const std::string& path, const Matrix& m) {
    const std::string of = path + ".attributes";
    const HashedJson& attributes = object(member(primitive, "attributes", path), of);
    const Elements position =
        elements(whole(member(attributes, "POSITION", of), of + ".POSITION"), path, "VEC3");
    if (position.type != float_type)
      fail("positions are not 32-bit floating-point numbers; save it without quantization");
    std::optional<Elements> index;
    if (primitive.contains("indices"))
      index = elements(whole(primitive["indices"], path + ".indices"), path, "SCALAR");
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
  /// `said_by` names the accessor.
  Elements elements(size_t accessor, const std::string& said_by, const char* kind) const {
    const HashedJson& from = element("accessors", accessor, said_by);
    const std::string path = place("accessors", accessor);
    if (from.contains("sparse") || !from.contains("bufferView"))
      fail("sparse accessors are not read; save it without morph targets");
    if (member(from, "type", path) != kind)
      fail(path + ".type is " + text_of(from["type"]) + ", must be \"" + kind + "\"; save it again");
    const size_t view_index = whole(from["bufferView"], path + ".bufferView");
    const HashedJson& view = element("bufferViews", view_index, path);
    const std::string of_view = place("bufferViews", view_index);
    const size_t of_buffer = whole(member(view, "buffer", of_view), of_view + ".buffer");
    element("buffers", of_buffer, of_view);
    const std::string& buffer = buffers_[of_buffer];
    const size_t type = whole(member(from, "componentType", path), path + ".componentType");
    const size_t size = (type == byte_type    ? 1
                         : type == short_type ? 2
                                              : 4) *
                        (std::string_view(kind) == "VEC3" ? 3 : 1);
    const size_t first = whole(from, "byteOffset", 0, path) + whole(view, "byteOffset", 0, of_view);
    const size_t count = whole(member(from, "count", path), path + ".count"),
                 stride = whole(view, "byteStride", size, of_view);
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
  HashedJson json_;
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
  } catch (const nlohmann::json::exception& error) {
    reader.fail("its JSON cannot be read (" + printable(error.what()) + "); save it again");
  }
}

}  // namespace merganser
