#pragma once
/// Shared parts of the readers of mesh formats.
#include <algorithm>
#include <cstring>

#include "device/errors.h"
#include "solvers/geometry/sampling/mesh.h"

namespace merganser {

/// A file's bytes with the position of the reader, and errors that name file and place.
struct MeshSource {
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
  /// A line ends with CR, LF or both.
  bool next_line(std::string& text) {
    if (at >= bytes.size()) return false;
    size_t end = at;
    while (end < bytes.size() && bytes[end] != '\n' && bytes[end] != '\r') ++end;
    text = bytes.substr(at, end - at);
    at = end + (bytes.substr(end, 2) == "\r\n" ? 2 : 1);
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

/// The numbers and words of a line, whatever the locale. Numbers may be nan or inf, and written with a plus.
class MeshWords {
 public:
  explicit MeshWords(std::string_view text = {}) : text_(text) {}
  /// "" at the end.
  std::string_view word();
  /// True where the next word is a number as a whole; what float64 cannot hold becomes 0 or infinite.
  bool number(double& value);
  bool point(Point3& x) { return number(x[0]) && number(x[1]) && number(x[2]); }

 private:
  std::string_view text_;
};

/// Throws InputError.
void expect_finite(const std::vector<Point3>& vertices, const MeshSource& source);
/// Triangles of a polygon whose corners are numbers of vertices, from 0.
void add_polygon(FileMesh& mesh, const std::vector<long long>& corners, const MeshSource& source);

FileMesh read_obj(MeshSource& source);
FileMesh read_ply(MeshSource& source);
FileMesh read_stl(MeshSource& source);
/// Its size is what its number of facets says.
bool is_binary_stl(std::string_view bytes);
/// Without colors and normals of vertices.
FileMesh read_off(MeshSource& source);

}  // namespace merganser
