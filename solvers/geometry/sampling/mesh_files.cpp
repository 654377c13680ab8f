/// OBJ, PLY and STL readers.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <sstream>

#include "device/errors.h"
#include "solvers/geometry/sampling/mesh.h"

namespace merganser {

namespace {

/// A file's bytes with the position of the reader, and errors that name file and place.
struct Source {
  std::string file;
  std::string_view bytes;
  size_t at = 0;
  int line = 0;

  /// The text may come from the file: shortened, ASCII only.
  [[noreturn]] void fail(std::string what) const {
    constexpr size_t longest = 200;
    if (what.size() > longest) what.replace(longest, what.npos, "...");
    for (char& c : what)
      if (c < ' ' || c > '~') c = '?';
    throw InputError(file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + what);
  }
  bool next_line(std::string& text) {
    if (at >= bytes.size()) return false;
    const size_t end = std::min(bytes.find('\n', at), bytes.size());
    text = bytes.substr(at, end - at);
    if (!text.empty() && text.back() == '\r') text.pop_back();
    at = end + 1;
    ++line;
    return true;
  }
  template <class T>
  T binary(bool swap) {
    if (at + sizeof(T) > bytes.size()) fail("the file ends too early; save it again");
    char raw[sizeof(T)];
    std::memcpy(raw, bytes.data() + at, sizeof(T));
    if (swap) std::reverse(raw, raw + sizeof(T));
    at += sizeof(T);
    T value;
    std::memcpy(&value, raw, sizeof(T));
    return value;
  }
};

void expect_finite(const std::vector<Float3>& vertices, const Source& source) {
  for (const Float3& v : vertices)
    if (!std::isfinite(v[0]) || !std::isfinite(v[1]) || !std::isfinite(v[2]))
      source.fail("a vertex is not a finite number");
}

void add_polygon(TriangleMesh& mesh, const std::vector<long long>& corners, const Source& source) {
  if (corners.size() < 3) source.fail("a face has fewer than three corners");
  for (long long corner : corners)
    if (corner < 0 || corner >= static_cast<long long>(mesh.vertices.size()))
      source.fail("a face names vertex " + std::to_string(corner + 1) + ", but there are " +
                  std::to_string(mesh.vertices.size()) + " so far");
  for (size_t k = 1; k + 1 < corners.size(); ++k)
    mesh.triangles.push_back({int(corners[0]), int(corners[k]), int(corners[k + 1])});
}

TriangleMesh read_obj(Source& source) {
  TriangleMesh mesh;
  std::string text;
  while (source.next_line(text)) {
    std::istringstream words(text);
    std::string kind;
    words >> kind;
    if (kind == "v") {
      Float3 v;
      if (!(words >> v[0] >> v[1] >> v[2])) source.fail("a vertex needs three numbers, found '" + text + "'");
      mesh.vertices.push_back(v);
    } else if (kind == "f") {
      std::vector<long long> corners;
      for (std::string corner; words >> corner;) {
        char* end = nullptr;
        const long long index = std::strtoll(corner.c_str(), &end, 10);
        if (end == corner.c_str() || index == 0)
          source.fail("a face's corner is a vertex number, found '" + corner + "'");
        corners.push_back(index > 0 ? index - 1 : static_cast<long long>(mesh.vertices.size()) + index);
      }
      add_polygon(mesh, corners, source);
    }
  }
  return mesh;
}

double ply_number(Source& source, const std::string& type, bool swap) {
  if (type == "char" || type == "int8") return source.binary<std::int8_t>(swap);
  if (type == "uchar" || type == "uint8") return source.binary<std::uint8_t>(swap);
  if (type == "short" || type == "int16") return source.binary<std::int16_t>(swap);
  if (type == "ushort" || type == "uint16") return source.binary<std::uint16_t>(swap);
  if (type == "int" || type == "int32") return source.binary<std::int32_t>(swap);
  if (type == "uint" || type == "uint32") return source.binary<std::uint32_t>(swap);
  if (type == "float" || type == "float32") return source.binary<float>(swap);
  if (type == "double" || type == "float64") return source.binary<double>(swap);
  source.fail("unknown PLY type '" + type + "'");
}

/// A list entry that may have been written as any type of number; too large ones and NaN become -1, no
/// vertex.
long long vertex_number(double value) {
  return std::abs(value) < 0x1p53 ? static_cast<long long>(value) : -1;
}

TriangleMesh read_ply(Source& source) {
  struct Property {
    std::string name, type, count_type;  // count_type: empty for scalars
  };
  struct Element {
    std::string name;
    long long count;
    std::vector<Property> properties;
  };
  std::string text, format;
  if (!source.next_line(text) || text != "ply")
    source.fail("this is no PLY file: its first line is not 'ply'");
  std::vector<Element> elements;
  for (bool header = true; header;) {
    if (!source.next_line(text)) source.fail("the PLY header has no 'end_header'");
    std::istringstream words(text);
    std::string word;
    words >> word;
    if (word == "format") {
      words >> format;
    } else if (word == "element") {
      Element element;
      if (!(words >> element.name >> element.count) || element.count < 0)
        source.fail("a PLY element needs a name and a count");
      elements.push_back(element);
    } else if (word == "property") {
      if (elements.empty()) source.fail("a PLY property before any element");
      Property property;
      words >> property.type;
      if (property.type == "list") words >> property.count_type >> property.type;
      words >> property.name;
      elements.back().properties.push_back(property);
    } else if (word == "end_header") {
      header = false;
    }
  }
  for (const Element& element : elements) {
    auto has = [&](const char* name) {
      return std::any_of(element.properties.begin(), element.properties.end(),
                         [&](const Property& p) { return p.name == name; });
    };
    if (element.properties.empty()) source.fail("the PLY element '" + element.name + "' has no properties");
    if (element.name == "vertex" && !(has("x") && has("y") && has("z")))
      source.fail("the PLY vertices have no properties x, y and z");
  }
  if (format != "ascii" && format != "binary_little_endian" && format != "binary_big_endian")
    source.fail("unknown PLY format '" + format +
                "'; ascii, binary_little_endian and binary_big_endian are read");
  const bool swap = (format == "binary_big_endian") == (std::endian::native == std::endian::little);
  TriangleMesh mesh;
  for (const Element& element : elements)
    for (long long row = 0; row < element.count; ++row) {
      std::istringstream words;
      if (format == "ascii") {
        do
          if (!source.next_line(text)) source.fail("the file ends too early; save it again");
        while (text.empty());
        words.str(text);
      }
      auto number = [&](const std::string& type) {
        if (format != "ascii") return ply_number(source, type, swap);
        double value;
        if (!(words >> value)) source.fail("too few numbers in '" + text + "'");
        return value;
      };
      Float3 vertex{0, 0, 0};
      for (const Property& property : element.properties) {
        if (property.count_type.empty()) {
          const double value = number(property.type);
          if (property.name == "x") vertex[0] = float(value);
          if (property.name == "y") vertex[1] = float(value);
          if (property.name == "z") vertex[2] = float(value);
          continue;
        }
        const double length = number(property.count_type);
        if (!(length >= 0 && length <= 1e6))
          source.fail("the PLY list '" + property.name + "' has " + std::to_string(length) +
                      " entries; 0 to 1e6 are allowed");
        std::vector<long long> list(static_cast<size_t>(length));
        for (long long& entry : list) entry = vertex_number(number(property.type));
        if (element.name == "face" && (property.name == "vertex_indices" || property.name == "vertex_index"))
          add_polygon(mesh, list, source);
      }
      if (element.name == "vertex") mesh.vertices.push_back(vertex);
    }
  return mesh;
}

TriangleMesh read_stl(Source& source) {
  std::vector<Float3> corners;
  std::uint32_t count = 0;
  if (source.bytes.size() >= 84) std::memcpy(&count, source.bytes.data() + 80, 4);
  if (source.bytes.size() == 84 + 50ull * count) {
    source.at = 84;
    for (std::uint32_t t = 0; t < count; ++t) {
      source.at += 12;  // the normal
      for (int k = 0; k < 3; ++k) {
        Float3 v;
        for (float& x : v) x = source.binary<float>(std::endian::native == std::endian::big);
        corners.push_back(v);
      }
      source.at += 2;
    }
  } else {
    std::string text;
    if (!source.next_line(text) || text.rfind("solid", 0) != 0)
      source.fail(
          "this is neither ASCII STL (no 'solid') nor binary STL (its size does not fit its triangle count)");
    while (source.next_line(text)) {
      std::istringstream words(text);
      std::string word;
      Float3 v;
      if (!(words >> word) || word != "vertex") continue;
      if (!(words >> v[0] >> v[1] >> v[2])) source.fail("a vertex needs three numbers, found '" + text + "'");
      corners.push_back(v);
    }
    if (corners.size() % 3 != 0) source.fail("the last facet is incomplete; save the file again");
  }
  expect_finite(corners, source);  // before they are compared
  TriangleMesh mesh;
  std::map<Float3, int> known;
  std::vector<int> index;
  for (const Float3& v : corners) {
    const auto [entry, is_new] = known.try_emplace(v, static_cast<int>(mesh.vertices.size()));
    if (is_new) mesh.vertices.push_back(v);
    index.push_back(entry->second);
  }
  for (size_t k = 0; k + 2 < index.size(); k += 3)
    if (index[k] != index[k + 1] && index[k + 1] != index[k + 2] && index[k + 2] != index[k])
      mesh.triangles.push_back({index[k], index[k + 1], index[k + 2]});
  return mesh;
}

}  // namespace

TriangleMesh parse_mesh(std::string_view bytes, const std::filesystem::path& file) {
  Source source{.file = file.string(), .bytes = bytes};
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  TriangleMesh mesh;
  if (extension == ".obj") {
    mesh = read_obj(source);
  } else if (extension == ".ply") {
    mesh = read_ply(source);
  } else if (extension == ".stl") {
    mesh = read_stl(source);
  } else {
    throw InputError("mesh file '" + file.string() + "': unknown extension '" + extension +
                     "'; .obj, .ply and .stl are read");
  }
  source.line = 0;
  if (mesh.vertices.empty() || mesh.triangles.empty()) source.fail("no triangles found");
  expect_finite(mesh.vertices, source);
  return mesh;
}

}  // namespace merganser
