#pragma once
/// The hierarchy of a glTF file's nodes (sec. 3.5).
#include <optional>

#include "host/scene/gltf_file.h"

namespace merganser {

/// Column by column, as in the file: x' = m[0] x + m[4] y + m[8] z + m[12].
using GltfMatrix = std::array<double, 16>;
inline constexpr GltfMatrix gltf_identity{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
GltfMatrix product(const GltfMatrix& a, const GltfMatrix& b);

class GltfNodes {
 public:
  /// Throws InputError where a node has two parents or is its own ancestor: nodes are trees.
  explicit GltfNodes(const GltfFile& file);
  /// `said_by` names it.
  const GltfFile::Value& node(size_t index, const std::string& said_by) const;
  /// All nodes of a scene, each before its children.
  std::vector<size_t> of_scene(size_t scene) const;
  /// From a node's coordinates to the scene's. Each node is multiplied once, whatever the number of calls.
  const GltfMatrix& to_scene(size_t index);

 private:
  static constexpr size_t none = ~size_t{0};
  GltfMatrix own_matrix(size_t index) const;

  const GltfFile& file_;
  std::vector<std::vector<size_t>> children_;
  std::vector<size_t> parent_;
  std::vector<std::optional<GltfMatrix>> to_scene_;  ///< of nodes that were asked for, and their ancestors
};

}  // namespace merganser
