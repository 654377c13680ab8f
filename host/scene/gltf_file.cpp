#include "host/scene/gltf_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "device/errors.h"
#include "host/scene/json_reader.h"
#include "solvers/base/text_encoding.h"

namespace merganser {

namespace {

static_assert(std::endian::native == std::endian::little, "glTF numbers are read as they lie in memory");

/// For messages; what may be nested deeply is not followed.
std::string gltf_text(const GltfFile::Value& value) {
  const auto is_nested = [](const GltfFile::Value& item) { return item.is_structured(); };
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

constexpr size_t byte_type = 5121, short_type = 5123, int_type = 5125, float_type = 5126;  // sec. 3.6.2.2

size_t bytes_of(size_t type) { return type == byte_type ? 1 : type == short_type ? 2 : 4; }

double number_at(const char* data, size_t type) {
  if (type == float_type) {
    float value;
    std::memcpy(&value, data, sizeof value);
    return value;
  }
  std::uint32_t value = 0;
  std::memcpy(&value, data, bytes_of(type));
  return value;
}

/// Where an element stands among those that are read, in rising order; their number where it does not.
size_t place_of(size_t element, const std::vector<std::uint32_t>& elements) {
  const auto found = std::lower_bound(elements.begin(), elements.end(), element);
  return static_cast<size_t>((found != elements.end() && *found == element ? found : elements.end()) -
                             elements.begin());
}

const char* word_of(size_t parts) {
  return parts == 1 ? "SCALAR" : parts == 3 ? "VEC3" : parts == 4 ? "VEC4" : "MAT4";
}

}  // namespace

GltfFile::GltfFile(std::string_view bytes, const std::filesystem::path& file) : file_(file.string()) {
  std::string_view text = bytes, chunk;
  if (bytes.starts_with("glTF")) split(bytes, text, chunk);
  json_ = Value::parse(utf8_of(text, file_), nullptr, false);
  if (!json_.is_object()) fail("it holds no JSON object; save it again");
  expect_known_extensions();
  read_buffers(chunk);
}

void GltfFile::fail(const std::string& what) const { throw InputError(file_ + ": " + what); }

void GltfFile::read_buffers(std::string_view chunk) {
  const Value& buffers = list("buffers");
  for (size_t b = 0; b < buffers.size(); ++b) {
    const std::string of = place("buffers", b);
    const Value& given = object(buffers[b], of);
    if (given.contains("uri") && !given["uri"].is_string())
      fail(of + ".uri is " + gltf_text(given["uri"]) + ", must be a string; save it again");
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

const GltfFile::Value& GltfFile::list(const char* key) const {
  static const GltfFile::Value none = GltfFile::Value::array();
  if (!json_.contains(key)) return none;
  return array(json_[key], key);
}
const GltfFile::Value& GltfFile::array(const Value& value, const std::string& path) const {
  if (!value.is_array()) fail(path + " is " + gltf_text(value) + ", must be a list; save it again");
  return value;
}
std::string GltfFile::place(const std::string& of, size_t index) const {
  const std::string text = of + "." + std::to_string(index);
  const GltfFile::Value& all = list(of.c_str());
  if (index >= all.size() || !all[index].is_object()) return text;
  const auto name = all[index].find("name");
  return name != all[index].end() && name->is_string() ? text + " (" + shown(*name) + ")" : text;
}
const GltfFile::Value& GltfFile::object(const Value& value, const std::string& path) const {
  if (!value.is_object()) fail(path + " is " + gltf_text(value) + ", must be an object; save it again");
  return value;
}
const GltfFile::Value& GltfFile::member(const Value& of, const char* key, const std::string& path) const {
  if (!of.contains(key)) fail(path + "." + key + " is missing; save the file again");
  return of[key];
}
const GltfFile::Value& GltfFile::element(const char* of, size_t index, const std::string& said_by) const {
  const GltfFile::Value& all = list(of);
  if (index >= all.size())
    fail(said_by + " names " + of + "." + std::to_string(index) + ", but there are " +
         std::to_string(all.size()) + "; save it again");
  return object(all[index], place(of, index));
}
size_t GltfFile::whole(const Value& value, const std::string& path) const {
  constexpr size_t most = std::numeric_limits<std::uint32_t>::max();
  if (!value.is_number_unsigned() || value.get<size_t>() > most)
    fail(path + " is " + gltf_text(value) + ", which is no whole number up to 4294967295; save it again");
  return value.get<size_t>();
}
size_t GltfFile::whole(const Value& of, const char* key, size_t otherwise, const std::string& path) const {
  return of.contains(key) ? whole(of[key], path + "." + key) : otherwise;
}
std::vector<double> GltfFile::numbers(const Value& of, const char* key, size_t count,
                                      const std::string& path) const {
  if (!of.contains(key)) return {};
  const Value& given = of[key];
  std::vector<double> made;
  bool fine = given.is_array() && (count == 0 || given.size() == count);
  for (size_t k = 0; fine && k < given.size(); ++k)
    if ((fine = given[k].is_number())) made.push_back(given[k].get<double>());
  if (!fine)
    fail(path + "." + key + " is " + gltf_text(given) + ", must be " +
         (count > 0 ? std::to_string(count) + " numbers" : "a list of numbers") + "; save it again");
  return made;
}

/// An extension that a file requires may change where its triangles lie, but for those that say how they
/// look (sec. 3.12).
void GltfFile::expect_known_extensions() const {
  const auto is_about_looks = [](const std::string& name) {
    constexpr std::string_view parts[] = {"_materials_", "_texture_", "_lights_", "KHR_xmp",
                                          "KHR_animation_pointer"};
    return std::any_of(std::begin(parts), std::end(parts),
                       [&](std::string_view part) { return name.find(part) != name.npos; });
  };
  for (const Value& name : list("extensionsRequired"))
    if (!name.is_string() || !is_about_looks(name.get<std::string>()))
      fail("it requires the extension " + gltf_text(name) +
           ", which is not read; save it without, uncompressed and with 32-bit floating-point positions");
}

/// The two chunks of a .glb file (sec. 4.4).
void GltfFile::split(std::string_view bytes, std::string_view& text, std::string_view& binary) const {
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

size_t GltfFile::count_of(size_t accessor, const std::string& said_by) const {
  const std::string path = place("accessors", accessor);
  return whole(member(element("accessors", accessor, said_by), "count", path), path + ".count");
}

bool GltfFile::is_float(size_t accessor, const std::string& said_by) const {
  const std::string path = place("accessors", accessor);
  return whole(member(element("accessors", accessor, said_by), "componentType", path), path) == float_type;
}

bool GltfFile::has_data(size_t accessor, const std::string& said_by) const {
  return element("accessors", accessor, said_by).contains("bufferView");
}

size_t GltfFile::type_in(const Value& of, const std::string& path) const {
  const size_t type = whole(member(of, "componentType", path), path + ".componentType");
  if (type != byte_type && type != short_type && type != int_type && type != float_type)
    fail(path + ".componentType is " + std::to_string(type) +
         ", a type of signed integers, which are not read; save it again without quantization");
  return type;
}

size_t GltfFile::stride_of(const Value& view, size_t size, const std::string& path) const {
  if (!view.contains("byteStride")) return size;
  constexpr size_t least = 4, most = 252;  // sec. 5.11.4
  const size_t stride = whole(view["byteStride"], path + ".byteStride"), allowed = std::max(size, least);
  if (stride < allowed || stride > most)
    fail(path + ".byteStride is " + std::to_string(stride) + ", must be " + std::to_string(allowed) + " to " +
         std::to_string(most) + " for elements of " + std::to_string(size) + " bytes; save the file again");
  return stride;
}

GltfFile::Stored GltfFile::stored(const Value& from, size_t count, size_t type, size_t parts,
                                  const std::string& path, bool packed) const {
  const size_t index = whole(member(from, "bufferView", path), path + ".bufferView");
  const Value& view = element("bufferViews", index, path);
  const std::string of_view = place("bufferViews", index);
  const size_t of_buffer = whole(member(view, "buffer", of_view), of_view + ".buffer");
  element("buffers", of_buffer, of_view);
  const std::string& buffer = buffers_[of_buffer];
  const size_t size = parts * bytes_of(type),
               first = whole(from, "byteOffset", 0, path) + whole(view, "byteOffset", 0, of_view),
               stride = packed ? size : stride_of(view, size, of_view);
  if (first > buffer.size() || (count > 0 && (count - 1) * stride + size > buffer.size() - first))
    fail(path + " reaches beyond its buffer; save the file again");
  return {buffer.data() + first, stride, type};
}

std::vector<double> GltfFile::values(size_t accessor, size_t parts, const std::string& said_by,
                                     const std::vector<std::uint32_t>* elements) const {
  const Value& from = element("accessors", accessor, said_by);
  const std::string path = place("accessors", accessor);
  if (member(from, "type", path) != word_of(parts))
    fail(path + ".type is " + gltf_text(from["type"]) + ", must be \"" + word_of(parts) +
         "\"; save it again");
  const size_t type = type_in(from, path), count = count_of(accessor, said_by),
               read = elements ? elements->size() : count;
  constexpr size_t most_zeros = 10000000;  // no bytes of the file stand behind them
  if (!from.contains("bufferView") && read > most_zeros)
    fail(path + ".count is " + std::to_string(count) + ", without data at most " +
         std::to_string(most_zeros) + " are allowed; save it again");
  const bool normalized = from.contains("normalized") && from["normalized"] == true && type != float_type;
  const double unit = !normalized ? 1
                                  : 1 / (type == byte_type    ? 255.0
                                         : type == short_type ? 65535.0
                                                              : 4294967295.0);
  std::vector<double> made;
  const auto copy = [&](const Stored& data, size_t element_from, size_t to) {
    for (size_t p = 0; p < parts; ++p)
      made[to * parts + p] =
          unit * number_at(data.data + element_from * data.stride + p * bytes_of(data.type), data.type);
  };
  if (from.contains("bufferView")) {
    const Stored data = stored(from, count, type, parts, path, false);
    made.resize(read * parts);
    for (size_t k = 0; k < read; ++k) copy(data, elements ? (*elements)[k] : k, k);
  }
  made.resize(read * parts);  // zeros without data
  if (!from.contains("sparse")) return made;
  const Value& sparse = object(from["sparse"], path + ".sparse");
  const size_t others = whole(member(sparse, "count", path + ".sparse"), path + ".sparse.count");
  const std::string at_indices = path + ".sparse.indices", at_values = path + ".sparse.values";
  const Value& indices = object(member(sparse, "indices", path + ".sparse"), at_indices);
  const Stored places = stored(indices, others, type_in(indices, at_indices), 1, at_indices, true),
               data = stored(object(member(sparse, "values", path + ".sparse"), at_values), others, type,
                             parts, at_values, true);
  for (size_t k = 0; k < others; ++k) {
    const double given = number_at(places.data + k * places.stride, places.type);
    if (!(given >= 0 && given < double(count)))
      fail(at_indices + " name an element that is not there; save the file again");
    const size_t to = elements ? place_of(static_cast<size_t>(given), *elements) : static_cast<size_t>(given);
    if (to < read) copy(data, k, to);
  }
  return made;
}

}  // namespace merganser
