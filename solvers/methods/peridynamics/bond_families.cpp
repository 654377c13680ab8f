#include "solvers/methods/peridynamics/bond_families.h"

#include <algorithm>

#include "device/neighbor_list.h"

MERGANSER_BEGIN

namespace {
/// Keeps pairs of one body within its horizon.
struct WithinHorizon {
  View<const int> material;
  View<const BondMaterial> materials;
  MERGANSER_METHOD bool operator()(int i, int j, const Vec3&, float r2) const {
    if (i == j || material[i] != material[j]) return false;
    const float horizon = materials[material[i]].horizon;
    return r2 < horizon * horizon;
  }
};
#if !MERGANSER_GPU_HALF
/// 1 where a particle has the bonds of the one before it, moved on by one.
struct ContinuesRun {
  static constexpr const char* name = "peridynamics find runs";
  View<const int> first, neighbor, material;
  View<int> continues;
  MERGANSER_METHOD void operator()(int i) const {
    continues[i] = 0;
    if (i == 0 || material[i] != material[i - 1]) return;
    const int begin = first[i], size = first[i + 1] - begin, before = first[i - 1];
    if (size == 0 || begin - before != size) return;
    for (int k = 0; k < size; ++k)
      if (neighbor[begin + k] != neighbor[before + k] + 1) return;
    continues[i] = 1;
  }
};
#endif
}  // namespace

void build_families(View<const Vec3> position, View<const int> material, const Array<BondMaterial>& materials,
                    Array<int>& first, Array<int>& neighbor) {
  float horizon = 0;
  for (const BondMaterial& one : materials.to_host()) horizon = std::max(horizon, one.horizon);
  UniformGrid grid;
  NeighborList families;
  if (horizon > 0) grid.build(position, horizon);
  if (horizon > 0) families.build(grid.view(), position, horizon, WithinHorizon{material, materials.view()});
  families.move_to(first, neighbor);
}

#if !MERGANSER_GPU_HALF
std::vector<int> find_runs(View<const int> first, View<const int> neighbor, View<const int> material) {
  constexpr int shortest = 3;  // below, the lanes of a run are mostly empty
  const int count = material.count;
  Array<int> continues(count);
  launch(count, ContinuesRun{first, neighbor, material, continues.view()});
  const auto follows = continues.to_host();
  std::vector<int> run;
  for (int i = 0; i < count;) {
    int end = i + 1;
    while (end < count && end - i < lane_count && follows[size_t(end)]) ++end;
    if (end - i < shortest) end = i + 1;
    run.push_back(i);
    i = end;
  }
  run.push_back(count);
  return run;
}
#endif

MERGANSER_END
