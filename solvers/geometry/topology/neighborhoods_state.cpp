/// Start, reordering and checkpoints of a fluid's graph.
#include "solvers/geometry/topology/topological_neighborhoods.h"

MERGANSER_BEGIN

namespace {
struct NewParticle {
  static constexpr const char* name = "topology new particles";
  View<int> row_then;
  int first;
  MERGANSER_METHOD void operator()(int i) const { row_then[first + i] = -1; }
};
}  // namespace

void TopologicalNeighborhoods::start(const FluidParticles& particles, float h) {
  h_ = h;
  first_.clear();
  neighbor_.clear();
  row_then_.clear();
  particles_added(particles.position.count);
  build_rows(particles, 0);
  list_close_neighbors(particles.id);
  update_density(particles);
  merge(particles, 1);
}

void TopologicalNeighborhoods::permute(View<const int> order) { permute_array(row_then_, order, spare_row_); }

void TopologicalNeighborhoods::particles_added(int count) {
  const int before = row_then_.size();
  row_then_.resize(before + count);
  launch(count, NewParticle{row_then_.view(), before});
}

void TopologicalNeighborhoods::save(StateArchive& archive, const std::string& prefix) const {
  const std::vector<unsigned char> linked = linked_.to_host();
  archive.put(prefix + "/h", &h_, 1);
  archive.put(prefix + "/first", first_.to_host());
  archive.put(prefix + "/neighbor", neighbor_.to_host());
  archive.put(prefix + "/id", id_.to_host());
  archive.put(prefix + "/row", row_then_.to_host());
  archive.put(prefix + "/linked", reinterpret_cast<const signed char*>(linked.data()), linked.size());
  archive.put(prefix + "/age", age_.to_host());
  archive.put(prefix + "/density", density_.to_host());
}

void TopologicalNeighborhoods::load(const StateArchive& archive, const std::string& prefix) {
  const auto linked = archive.get<signed char>(prefix + "/linked");
  h_ = archive.get<float>(prefix + "/h").at(0);
  first_.assign(archive.get<std::int32_t>(prefix + "/first"));
  neighbor_.assign(archive.get<std::int32_t>(prefix + "/neighbor"));
  id_.assign(archive.get<std::int32_t>(prefix + "/id"));
  row_then_.assign(archive.get<std::int32_t>(prefix + "/row"));
  linked_.assign(std::vector<unsigned char>(linked.begin(), linked.end()));
  age_.assign(archive.get<float>(prefix + "/age"));
  density_.assign(archive.get<float>(prefix + "/density"));
  if (linked_.size() != neighbor_.size() || age_.size() != neighbor_.size() ||
      id_.size() + 1 != first_.size())
    throw FileError("checkpoint: the neighborhoods' arrays under '" + prefix + "' do not belong together");
}

MERGANSER_END
