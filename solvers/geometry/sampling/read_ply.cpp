#include <bit>
#include <cmath>
#include <sstream>

#include "solvers/geometry/sampling/mesh_source.h"

namespace merganser {

namespace {

struct PlyProperty {
  std::string name, type, count_type;  ///< count_type: empty for scalars
};
struct PlyElement {
  std::string name;
  long long count;
  std::vector<PlyProperty> properties;
};
struct PlyHeader {
  std::string format;
  std::vector<PlyElement> elements;
};

/// A header that read_ply() can follow.
void expect_readable(const PlyHeader& header, const MeshSource& source) {
  for (const PlyElement& element : header.elements) {
    auto has = [&](const char* name) {
      return std::any_of(element.properties.begin(), element.properties.end(),
                         [&](const PlyProperty& p) { return p.name == name; });
    };
    if (element.properties.empty()) source.fail("the PLY element '" + element.name + "' has no properties");
    if (element.name == "vertex" && !(has("x") && has("y") && has("z")))
      source.fail("the PLY vertices have no properties x, y and z");
  }
  const std::string& format = header.format;
  if (format != "ascii" && format != "binary_little_endian" && format != "binary_big_endian")
    source.fail("unknown PLY format '" + format +
                "'; ascii, binary_little_endian and binary_big_endian are read");
}

PlyHeader read_header(MeshSource& source) {
  PlyHeader header;
  std::string text;
  if (!source.next_line(text) || text != "ply")
    source.fail("this is no PLY file: its first line is not 'ply'");
  const bool ends_with_cr = source.bytes[std::min(source.at, source.bytes.size()) - 1] == '\r';
  for (;;) {
    if (!source.next_line(text)) source.fail("the PLY header has no 'end_header'");
    std::istringstream words(text);
    std::string word;
    words >> word;
    if (word == "format") {
      words >> header.format;
    } else if (word == "element") {
      PlyElement element;
      if (!(words >> element.name >> element.count) || element.count < 0)
        source.fail("a PLY element needs a name and a count");
      header.elements.push_back(element);
    } else if (word == "property") {
      if (header.elements.empty()) source.fail("a PLY property before any element");
      PlyProperty property;
      words >> property.type;
      if (property.type == "list") words >> property.count_type >> property.type;
      words >> property.name;
      header.elements.back().properties.push_back(property);
    } else if (word == "end_header") {
      if (ends_with_cr && source.bytes.substr(0, source.at).ends_with("\r\n"))
        --source.at;  // the first byte of the data
      break;
    }
  }
  expect_readable(header, source);
  return header;
}

double ply_number(MeshSource& source, const std::string& type, bool swap) {
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

/// The numbers of one entry of an element: a line of text, or bytes.
class PlyEntry {
 public:
  PlyEntry(MeshSource& source, const std::string& format)
      : source_(source),
        ascii_(format == "ascii"),
        swap_((format == "binary_big_endian") == (std::endian::native == std::endian::little)) {
    if (!ascii_) return;
    do
      if (!source.next_line(text_)) source.fail("the file ends too early; save it again");
    while (text_.find_first_not_of(" \t") == text_.npos);
    words_ = MeshWords(text_);
  }
  double number(const std::string& type) {
    if (!ascii_) return ply_number(source_, type, swap_);
    double value = 0;
    if (!words_.number(value)) source_.fail("too few numbers in '" + text_ + "'");
    return value;
  }
  std::vector<long long> list(const PlyProperty& property) {
    const double length = number(property.count_type);
    if (!(length >= 0 && length <= 1e6))
      source_.fail("the PLY list '" + property.name + "' has " + std::to_string(length) +
                   " entries; 0 to 1e6 are allowed");
    std::vector<long long> list(static_cast<size_t>(length));
    for (long long& entry : list) entry = vertex_number(number(property.type));
    return list;
  }

 private:
  MeshSource& source_;
  bool ascii_, swap_;
  std::string text_;
  MeshWords words_;
};

}  // namespace

FileMesh read_ply(MeshSource& source) {
  const PlyHeader header = read_header(source);
  FileMesh mesh;
  std::vector<std::vector<long long>> early;  // faces that stand before the vertices
  bool vertices_known = false;
  for (const PlyElement& element : header.elements) {
    for (long long row = 0; row < element.count; ++row) {
      PlyEntry entry(source, header.format);
      Point3 vertex{0, 0, 0};
      for (const PlyProperty& property : element.properties) {
        if (property.count_type.empty()) {
          const double value = entry.number(property.type);
          if (property.name == "x") vertex[0] = value;
          if (property.name == "y") vertex[1] = value;
          if (property.name == "z") vertex[2] = value;
          continue;
        }
        const std::vector<long long> list = entry.list(property);
        if (element.name != "face" || (property.name != "vertex_indices" && property.name != "vertex_index"))
          continue;
        if (vertices_known)
          add_polygon(mesh, list, source);
        else
          early.push_back(list);
      }
      if (element.name == "vertex") mesh.vertices.push_back(vertex);
    }
    vertices_known = vertices_known || element.name == "vertex";
  }
  if (!early.empty()) source.line = 0;  // no message is about the last line
  for (const std::vector<long long>& face : early) add_polygon(mesh, face, source);
  return mesh;
}

}  // namespace merganser
