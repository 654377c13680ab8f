#pragma once
/// Content of a glTF 2.0 file: its JSON with checked access, and its buffers. Section numbers are those of
/// the specification (Khronos Group, glTF 2.0, 2021).
#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace merganser {

/// Every function throws InputError with the file's name, the place in it and remedy.
class GltfFile {
 public:
  using Value = nlohmann::json;  ///< the scene's ordered one would look through all keys for each
  /// From the bytes of a .glb file, or of a .gltf file with its buffers inside.
  GltfFile(std::string_view bytes, const std::filesystem::path& file);
  [[noreturn]] void fail(const std::string& what) const;

  const Value& json() const { return json_; }
  /// A list of the file's outermost object, empty where it has none.
  const Value& list(const char* key) const;
  const Value& array(const Value& value, const std::string& path) const;
  const Value& object(const Value& value, const std::string& path) const;
  /// What `path` must have.
  const Value& member(const Value& of, const char* key, const std::string& path) const;
  /// An element of an outermost list that `said_by` names.
  const Value& element(const char* of, size_t index, const std::string& said_by) const;
  /// "nodes.3", and its name where it has one.
  std::string place(const std::string& of, size_t index) const;
  size_t whole(const Value& value, const std::string& path) const;
  size_t whole(const Value& of, const char* key, size_t otherwise, const std::string& path) const;
  /// A list of numbers, of any length where `count` is 0; empty where there is none.
  std::vector<double> numbers(const Value& of, const char* key, size_t count, const std::string& path) const;

  /// The numbers of an accessor, sparse ones included (sec. 3.6.2); `parts` of them are an element: 1 of
  /// "SCALAR", 3 of "VEC3", 4 of "VEC4", 16 of "MAT4". Unsigned integers that are `normalized` become 0 to 1.
  /// `said_by` names the accessor. `elements`, where given, are the only ones that are read, in rising order
  /// and less than count_of(): an accessor may have more than the file has bytes.
  std::vector<double> values(size_t accessor, size_t parts, const std::string& said_by,
                             const std::vector<std::uint32_t>* elements = nullptr) const;
  /// How many elements it has.
  size_t count_of(size_t accessor, const std::string& said_by) const;
  bool is_float(size_t accessor, const std::string& said_by) const;
  /// False where its elements are zeros, which take no bytes of the file.
  bool has_data(size_t accessor, const std::string& said_by) const;

 private:
  /// Numbers that lie in a buffer view.
  struct Stored {
    const char* data;
    size_t stride, type;
  };
  void split(std::string_view bytes, std::string_view& text, std::string_view& binary) const;
  void expect_known_extensions() const;
  void read_buffers(std::string_view chunk);
  /// The componentType of an accessor, or of its sparse indices.
  size_t type_in(const Value& of, const std::string& path) const;
  /// From one element of `size` bytes to the next.
  size_t stride_of(const Value& view, size_t size, const std::string& path) const;
  Stored stored(const Value& from, size_t count, size_t type, size_t parts, const std::string& path,
                bool packed) const;

  std::string file_;
  Value json_;
  std::vector<std::string> buffers_;
};

}  // namespace merganser
