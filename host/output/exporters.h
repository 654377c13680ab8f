#pragma once
/// Formats of particles and of surface meshes: each is a class in a file of its own and a line in
/// all_exporters.def.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "host/simulation/simulation.h"
#include "solvers/geometry/surface/surface_mesh.h"

namespace merganser {

/// Surfaces of a frame one after the other, each of one fluid or of one body of it.
struct SurfaceFrame {
  double time = 0;  ///< [s]
  SurfaceMesh mesh;
  std::vector<std::int32_t> system;  ///< of each vertex
  std::vector<std::int32_t> body;    ///< of each vertex, where surfaces were made per body; else empty
  struct Part {
    std::string name;
    size_t first_triangle;
  };
  std::vector<Part> parts;

  /// Adds a surface; body -1 = not of a single body. Where some parts have texture coordinates, those of the
  /// others are 0.
  void add(const SurfaceMesh& part, const std::string& name, int of_system, int of_body);
};

/// A format of files.
template <class Content>
class Exporter {
 public:
  virtual ~Exporter() = default;
  /// On the command line, and the end of the files' names: "ply" for "surface_000012.ply".
  virtual std::string word() const = 0;
  /// The bytes of a file. Equal content gives equal bytes.
  virtual std::vector<char> encode(const Content& content) const = 0;
  /// True where a list of the files and their times, which read_surface_time() finds in them, lies beside
  /// them.
  virtual bool has_series() const { return false; }
};
using ParticleExporter = Exporter<FrameData>;
using MeshExporter = Exporter<SurfaceFrame>;

/// All of them, in the order of all_exporters.def.
std::vector<const ParticleExporter*>& particle_exporters();
std::vector<const MeshExporter*>& mesh_exporters();

/// That with the word, or nullptr.
template <class Content>
const Exporter<Content>* find_exporter(const std::vector<const Exporter<Content>*>& list,
                                       std::string_view word) {
  for (const Exporter<Content>* exporter : list)
    if (exporter->word() == word) return exporter;
  return nullptr;
}
/// Their words: "ply | obj | vtkhdf" where they are divided by " | ".
template <class Content>
std::string words_of(const std::vector<const Exporter<Content>*>& list, const std::string& divided_by) {
  std::string words;
  for (const Exporter<Content>* exporter : list)
    words += (words.empty() ? "" : divided_by) + exporter->word();
  return words;
}

/// A name of a surface in any of the formats, of its level sets, of the series or the options of all.
bool is_surface_file(std::string_view name);
/// The same of a skin.
bool is_skin_file(std::string_view name);

}  // namespace merganser
