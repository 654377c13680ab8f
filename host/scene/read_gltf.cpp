#include "host/scene/read_gltf.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "device/errors.h"
#include "host/scene/gltf_file.h"
#include "host/scene/gltf_nodes.h"
#include "host/scene/json_reader.h"
#include "solvers/geometry/sampling/weld.h"

namespace merganser {

namespace {

using GltfValue = GltfFile::Value;

bool mirrors(const GltfMatrix& m) {
  return m[0] * (m[5] * m[10] - m[9] * m[6]) - m[4] * (m[1] * m[10] - m[9] * m[2]) +
             m[8] * (m[1] * m[6] - m[5] * m[2]) <
         0;
}

Point3 moved(const GltfMatrix& m, const double* x) {
  Point3 y;
  for (size_t row = 0; row < 3; ++row)
    y[row] = m[row] * x[0] + m[4 + row] * x[1] + m[8 + row] * x[2] + m[12 + row];
  return y;
}

/// Vertices of a primitive that its triangles name.
struct GltfVertices {
  size_t all;                        ///< of the primitive's accessors
  std::vector<std::uint32_t> named;  ///< their numbers, rising
  size_t place_of(std::uint32_t vertex) const {
    return static_cast<size_t>(std::lower_bound(named.begin(), named.end(), vertex) - named.begin());
  }
};

std::vector<std::uint32_t> named_by(std::vector<std::uint32_t> corners) {
  std::sort(corners.begin(), corners.end());
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
  return corners;
}

/// Place of a mesh: at a node, or at the joints of a skin.
struct MeshPlace {
  std::string said_by;  ///< names the mesh
  GltfMatrix node = gltf_identity;
  const std::vector<GltfMatrix>* joints = nullptr;  ///< joint times inverse bind matrix; none: no skin
  std::vector<double> weights = {};                 ///< of morph targets; none: the mesh's own
  bool is_skinned() const { return joints && !joints->empty(); }
};

class GltfReader {
 public:
  explicit GltfReader(const GltfFile& file) : file_(file), nodes_(file) {}

  FileMesh read() {
    const GltfValue& json = file_.json();
    if (file_.list("scenes").empty()) {
      for (size_t m = 0; m < file_.list("meshes").size(); ++m) places_.push_back({m, {"the file"}});
    } else {
      const size_t scene = json.contains("scene") ? file_.whole(json["scene"], "scene") : 0;
      for (const size_t node : nodes_.of_scene(scene)) add_node(node);
    }
    expect_bounded();
    for (const auto& [mesh, place] : places_) add_mesh(mesh, place);
    weld(mesh_, 0);
    keep_named_vertices(mesh_);
    return std::move(mesh_);
  }

 private:
  void add_node(size_t index) {
    const std::string path = file_.place("nodes", index);
    const GltfValue& node = nodes_.node(index, path);
    if (node.contains("extensions") && node["extensions"].contains("EXT_mesh_gpu_instancing"))
      file_.fail(path + " has the extension EXT_mesh_gpu_instancing, which is not read; save it with its " +
                 "instances as nodes");
    if (!node.contains("mesh")) return;
    MeshPlace place{.said_by = path, .weights = file_.numbers(node, "weights", 0, path)};
    if (node.contains("skin"))
      place.joints = &joints_of(file_.whole(node["skin"], path + ".skin"), path);
    else
      place.node = nodes_.to_scene(index);
    places_.push_back({file_.whole(node["mesh"], path + ".mesh"), std::move(place)});
  }

  /// Joint matrices times inverse bind matrices (sec. 3.7.3.2), made once for all meshes of a skin.
  const std::vector<GltfMatrix>& joints_of(size_t index, const std::string& said_by) {
    const auto known = joints_.find(index);
    return known != joints_.end() ? known->second
                                  : joints_.emplace(index, make_joints(index, said_by)).first->second;
  }
  std::vector<GltfMatrix> make_joints(size_t index, const std::string& said_by) {
    const GltfValue& skin = file_.element("skins", index, said_by);
    const std::string path = file_.place("skins", index);
    const GltfValue& joints = file_.array(file_.member(skin, "joints", path), path + ".joints");
    std::vector<double> inverse;
    if (skin.contains("inverseBindMatrices")) {
      const size_t accessor = file_.whole(skin["inverseBindMatrices"], path + ".inverseBindMatrices"),
                   count = file_.count_of(accessor, path);
      if (count < joints.size())
        file_.fail(path + " has " + std::to_string(joints.size()) + " joints and " + std::to_string(count) +
                   " inverse bind matrices; save it again");
      std::vector<std::uint32_t> used(joints.size());
      std::iota(used.begin(), used.end(), 0u);
      inverse = file_.values(accessor, 16, path, &used);
    }
    std::vector<GltfMatrix> made;
    for (size_t j = 0; j < joints.size(); ++j) {
      const size_t joint = file_.whole(joints[j], path + ".joints");
      file_.element("nodes", joint, path);
      made.push_back(nodes_.to_scene(joint));
      if (inverse.empty()) continue;
      GltfMatrix bind;
      std::copy_n(inverse.begin() + std::ptrdiff_t(16 * j), 16, bind.begin());
      made.back() = product(made.back(), bind);
    }
    return made;
  }

  /// The primitives of a mesh that are triangles, with their paths.
  std::vector<std::pair<const GltfValue*, std::string>> primitives_of(size_t index,
                                                                      const std::string& said_by) const {
    const GltfValue& mesh = file_.element("meshes", index, said_by);
    const std::string path = file_.place("meshes", index);
    const GltfValue& primitives = file_.array(file_.member(mesh, "primitives", path), path + ".primitives");
    std::vector<std::pair<const GltfValue*, std::string>> found;
    for (size_t p = 0; p < primitives.size(); ++p) {
      const std::string of = path + ".primitives." + std::to_string(p);
      const GltfValue& primitive = file_.object(primitives[p], of);
      constexpr size_t triangles = 4, strip = 5, fan = 6;
      const size_t mode = file_.whole(primitive, "mode", triangles, of);
      if (mode == strip || mode == fan)
        file_.fail("strips and fans of triangles are not read; save it with triangles");
      if (mode != triangles) continue;
      if (primitive.contains("extensions") && primitive["extensions"].contains("KHR_draco_mesh_compression"))
        file_.fail("compressed meshes are not read; save it without compression");
      found.push_back({&primitive, of});
    }
    return found;
  }
  size_t position_of(const GltfValue& primitive, const std::string& path) const {
    const std::string of = path + ".attributes";
    return file_.whole(
        file_.member(file_.object(file_.member(primitive, "attributes", path), of), "POSITION", of),
        of + ".POSITION");
  }
  /// The accessor that has an element for each corner of a triangle.
  size_t corners_of(const GltfValue& primitive, const std::string& path) const {
    return primitive.contains("indices") ? file_.whole(primitive["indices"], path + ".indices")
                                         : position_of(primitive, path);
  }

  /// A mesh that many nodes name, or one without data, may make far more triangles than the file holds. Only
  /// vertices that triangles name are read, so this bounds them too.
  void expect_bounded() const {
    constexpr size_t most_by_instances = 10000000;
    size_t all = 0, of_file = 0, with_data = 0;
    std::vector<char> seen(file_.list("meshes").size(), 0);
    for (const auto& [mesh, place] : places_) {
      const auto primitives = primitives_of(mesh, place.said_by);  // fails where the file has no such mesh
      const bool is_first = !std::exchange(seen[mesh], 1);
      for (const auto& [primitive, path] : primitives) {
        const size_t corners = corners_of(*primitive, path), own = file_.count_of(corners, path) / 3;
        all += own;
        if (is_first) of_file += own;
        if (is_first && file_.has_data(corners, path)) with_data += own;
      }
    }
    if (all > std::max(with_data, most_by_instances))
      file_.fail("its " + std::to_string(places_.size()) + " nodes with meshes make " + std::to_string(all) +
                 " triangles of the " + std::to_string(of_file) + " in the file, at most " +
                 std::to_string(most_by_instances) + " are allowed; save fewer of them");
  }

  void add_mesh(size_t index, const MeshPlace& place) {
    const GltfValue& mesh = file_.element("meshes", index, place.said_by);
    const std::string path = file_.place("meshes", index);
    const std::vector<double> weights =
        place.weights.empty() ? file_.numbers(mesh, "weights", 0, path) : place.weights;
    for (const auto& [primitive, of] : primitives_of(index, place.said_by)) {
      const size_t accessor = expect_float_positions(position_of(*primitive, of), of);
      const std::vector<std::uint32_t> corners = read_corners(*primitive, of, file_.count_of(accessor, of));
      const GltfVertices read{file_.count_of(accessor, of), named_by(corners)};
      std::vector<double> position = file_.values(accessor, 3, of, &read.named);
      add_targets(*primitive, of, weights, read, position);
      add_triangles(*primitive, of, corners, read, position, place);
    }
  }
  size_t expect_float_positions(size_t accessor, const std::string& path) const {
    if (!file_.is_float(accessor, path))
      file_.fail("positions are not 32-bit floating-point numbers; save it without quantization");
    return accessor;
  }

  /// Morph targets with the default weights (sec. 3.7.2.2).
  void add_targets(const GltfValue& primitive, const std::string& path, const std::vector<double>& weights,
                   const GltfVertices& read, std::vector<double>& position) const {
    if (!primitive.contains("targets")) return;
    const GltfValue& targets = file_.array(primitive["targets"], path + ".targets");
    for (size_t t = 0; t < std::min(targets.size(), weights.size()); ++t) {
      const std::string of = path + ".targets." + std::to_string(t);
      const GltfValue& target = file_.object(targets[t], of);
      if (weights[t] == 0 || !target.contains("POSITION")) continue;
      const size_t accessor = expect_float_positions(file_.whole(target["POSITION"], of + ".POSITION"), of);
      const size_t count = file_.count_of(accessor, of);
      if (count != read.all)
        file_.fail(of + " has " + std::to_string(count) + " vertices, its mesh has " +
                   std::to_string(read.all) + "; save it again");
      const std::vector<double> apart = file_.values(accessor, 3, of, &read.named);
      for (size_t k = 0; k < position.size(); ++k) position[k] += weights[t] * apart[k];
    }
  }

  /// The matrix of each vertex that is read of a skinned primitive: its joints' by their weights
  /// (sec. 3.7.3.3).
  std::vector<GltfMatrix> blended(const GltfValue& primitive, const std::string& path,
                                  const GltfVertices& read, const MeshPlace& place) const {
    const GltfValue& attributes = primitive["attributes"];
    std::vector<GltfMatrix> made(read.named.size(), GltfMatrix{});
    std::vector<double> sums(read.named.size(), 0);
    for (size_t set = 0;; ++set) {
      const std::string joints_key = "JOINTS_" + std::to_string(set),
                        weights_key = "WEIGHTS_" + std::to_string(set);
      if (!attributes.contains(joints_key) || !attributes.contains(weights_key)) {
        if (set > 0) break;
        file_.fail(path + " is skinned by " + place.said_by + ", but has no " + joints_key + " and " +
                   weights_key + "; save it again");
      }
      const size_t joints = file_.whole(attributes[joints_key], path),
                   weights = file_.whole(attributes[weights_key], path);
      if (file_.count_of(joints, path) != read.all || file_.count_of(weights, path) != read.all)
        file_.fail(path + " has not as many joints and weights as vertices; save it again");
      const std::vector<double> joint = file_.values(joints, 4, path, &read.named),
                                weight = file_.values(weights, 4, path, &read.named);
      for (size_t k = 0; k < joint.size(); ++k) {
        if (weight[k] == 0) continue;
        if (!(joint[k] < double(place.joints->size())))
          file_.fail(path + " names joint " + std::to_string(static_cast<long long>(joint[k])) +
                     " of its skin, which has " + std::to_string(place.joints->size()) + "; save it again");
        const GltfMatrix& matrix = (*place.joints)[static_cast<size_t>(joint[k])];
        for (size_t e = 0; e < 16; ++e) made[k / 4][e] += weight[k] * matrix[e];
        sums[k / 4] += weight[k];
      }
    }
    for (size_t v = 0; v < made.size(); ++v) {
      if (!(sums[v] > 0))
        file_.fail(path + ": vertex " + std::to_string(read.named[v]) +
                   " has no weight of any joint; save it again");
      for (double& entry : made[v]) entry /= sums[v];  // which are 1 but for rounding
    }
    return made;
  }

  /// Three numbers of vertices a triangle, out of `vertices`.
  std::vector<std::uint32_t> read_corners(const GltfValue& primitive, const std::string& path,
                                          size_t vertices) const {
    std::vector<std::uint32_t> corners;
    if (primitive.contains("indices")) {
      const size_t accessor = corners_of(primitive, path);
      if (file_.is_float(accessor, path)) file_.fail("indices are no unsigned integers; save it again");
      const std::vector<double> index = file_.values(accessor, 1, path);
      corners.assign(index.begin(), index.end());
    } else {
      const std::vector<std::uint32_t> none;
      file_.values(corners_of(primitive, path), 3, path, &none);  // its count fits its buffer
      corners.resize(vertices);
      std::iota(corners.begin(), corners.end(), 0u);
    }
    if (corners.size() % 3 != 0) file_.fail("the last triangle is incomplete; save it again");
    for (const std::uint32_t corner : corners)
      if (corner >= vertices)
        file_.fail("a face names vertex " + std::to_string(corner) + ", but there are " +
                   std::to_string(vertices));
    return corners;
  }

  void add_triangles(const GltfValue& primitive, const std::string& path,
                     const std::vector<std::uint32_t>& corners, const GltfVertices& read,
                     const std::vector<double>& position, const MeshPlace& place) {
    const size_t first = mesh_.vertices.size();
    constexpr size_t most = 1000000000;
    if (first + read.named.size() > most) file_.fail("it has more than 1,000,000,000 vertices");
    const std::vector<GltfMatrix> skinned =
        place.is_skinned() ? blended(primitive, path, read, place) : std::vector<GltfMatrix>();
    for (size_t v = 0; v < read.named.size(); ++v)
      mesh_.vertices.push_back(moved(skinned.empty() ? place.node : skinned[v], &position[3 * v]));
    for (size_t v = first; v < mesh_.vertices.size(); ++v)
      for (const double x : mesh_.vertices[v])
        if (!std::isfinite(x)) file_.fail("a vertex is not a finite number");
    for (size_t k = 0; k < corners.size(); k += 3) {
      std::array<size_t, 3> corner;
      for (size_t c = 0; c < 3; ++c) corner[c] = read.place_of(corners[k + c]);
      if (mirrors(skinned.empty() ? place.node : skinned[corner[0]])) std::swap(corner[1], corner[2]);
      mesh_.triangles.push_back({int(first + corner[0]), int(first + corner[1]), int(first + corner[2])});
    }
  }

  const GltfFile& file_;
  GltfNodes nodes_;
  std::map<size_t, std::vector<GltfMatrix>> joints_;  ///< by skin
  std::vector<std::pair<size_t, MeshPlace>> places_;
  FileMesh mesh_;
};

}  // namespace

TriangleMesh read_gltf(std::string_view bytes, const std::filesystem::path& file,
                       const MeshTransform& transform) {
  const GltfFile read(bytes, file);
  try {
    const FileMesh mesh = GltfReader(read).read();
    if (mesh.triangles.empty()) read.fail("no triangles found");
    return placed(mesh, transform, file.string());
  } catch (const nlohmann::json::exception& error) {
    read.fail("its JSON cannot be read (" + printable(without_tag(error.what())) + "); save it again");
  }
}

}  // namespace merganser
