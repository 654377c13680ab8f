#include "solvers/methods/peridynamics/bonds.h"

#include <cmath>
#include <numeric>

#include "device/neighbor_list.h"
#include "solvers/methods/peridynamics/fracture.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"
#include "solvers/methods/peridynamics/pre_cracks.h"

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
struct ParticleVolume {
  static constexpr const char* name = "peridynamics volume";
  View<const float> mass;
  View<const int> material;
  View<const BondMaterial> materials;
  View<float> volume;
  MERGANSER_METHOD void operator()(int i) const { volume[i] = mass[i] / materials[material[i]].density; }
};
struct SumFloats {
  static constexpr const char* name = "peridynamics sum";
  using Value = double;
  View<const float> values;
  MERGANSER_METHOD double operator()(int i) const { return values[i]; }
  MERGANSER_METHOD static double identity() { return 0; }
  MERGANSER_METHOD static double combine(double a, double b) { return a + b; }
};
struct SumBroken {
  static constexpr const char* name = "peridynamics count";
  using Value = BrokenBonds;
  View<const int> broken;
  View<const double> energy;
  MERGANSER_METHOD BrokenBonds operator()(int i) const { return {broken[i], energy[i]}; }
  MERGANSER_METHOD static BrokenBonds identity() { return {}; }
  MERGANSER_METHOD static BrokenBonds combine(const BrokenBonds& a, const BrokenBonds& b) {
    return {a.count + b.count, a.energy + b.energy};
  }
};
/// Greatest k/m [1/s^2] of all particles.
struct StiffestParticle {
  static constexpr const char* name = "peridynamics stiffest particle";
  using Value = double;
  View<const float> stiffness, volume;
  View<const int> material;
  View<const BondMaterial> materials;
  MERGANSER_METHOD double operator()(int i) const {
    return stiffness[i] / (double(volume[i]) * materials[material[i]].density);
  }
  MERGANSER_METHOD static double identity() { return 0; }
  MERGANSER_METHOD static double combine(double a, double b) { return a > b ? a : b; }
};
}  // namespace

PeridynamicBonds::PeridynamicBonds(const SystemState& state, std::vector<BondMaterial> materials,
                                   const ParticleStore& store, Range range, std::uint32_t seed)
    : seed_(seed) {
  for (const BondMaterial& material : materials)
    breakable_ = breakable_ || (material.density > 0 && material.breakable());
  materials_.assign(materials);
  material_.assign(store.body.const_view().subview(range.first, range.count));
  broken_.resize(range.count);
  fracture_energy_.resize(range.count);
  for (Components* vectors : {&position_, &reference_, &vector_}) vectors->resize(range.count);
  for (Array<float>* scalars : {&volume_, &family_, &scalar_})
    scalars->resize(range.count + Components::padding);
  const auto position = store.position.const_view().subview(range.first, range.count);
  reference_.assign(position);
  position_.assign(position);
  launch(range.count, ParticleVolume{store.mass.const_view().subview(range.first, range.count),
                                     material_.view(), materials_.view(), volume_.view()});
  build_families(position);
  find_runs();
  if (MERGANSER_GPU_HALF) products_.arrange(first_.view());
  measure_families();
  break_pre_cracks(state);
}

BondListView PeridynamicBonds::list() const {
  return {.first = first_.view(),
          .neighbor = neighbor_.view(),
          .broken = broken_.view(),
          .material = material_.view(),
          .materials = materials_.view(),
          .run = run_.view()};
}

BondFields PeridynamicBonds::fields() const {
  return {.position = position_.view(),
          .reference = reference_.view(),
          .vector = vector_.view(),
          .volume = volume_.view(),
          .family = family_.view()};
}

void PeridynamicBonds::build_families(View<const Vec3> position) {
  float horizon = 0;
  for (const BondMaterial& material : materials_.to_host()) horizon = std::max(horizon, material.horizon);
  UniformGrid grid;
  NeighborList families;
  if (horizon > 0) grid.build(position, horizon);
  if (horizon > 0)
    families.build(grid.view(), position, horizon, WithinHorizon{material_.view(), materials_.view()});
  families.move_to(first_, neighbor_);
}

void PeridynamicBonds::find_runs() {
#if !MERGANSER_GPU_HALF
  constexpr int shortest = 3;  // below, the lanes of a run are mostly empty
  const int count = material_.size();
  Array<int> continues(count);
  launch(count, ContinuesRun{first_.view(), neighbor_.view(), material_.view(), continues.view()});
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
  run_.assign(run);
#endif
}

void PeridynamicBonds::measure_families() {
  const int count = material_.size();
  sum(FamilyVolume{family_.view()});
  sum(TotalStiffness{scalar_.view()});
  Reduction<double> sum;
  sum.run(count, StiffestParticle{scalar_.view(), volume_.view(), material_.view(), materials_.view()});
  const double stiffest = sum.read();
  stable_time_step_ = stiffest > 0 ? std::sqrt(2 / stiffest) : 1e30;
}

void PeridynamicBonds::break_pre_cracks(const SystemState& state) {
  std::vector<Parallelogram> cracks;
  for (const PreCrack& crack : state.parameters.of<PeridynamicsParameters>().pre_cracks) {
    auto vector = [](const Point3& p) { return Vec3d{p[0], p[1], p[2]}; };
    const Parallelogram shape{crack.body, vector(crack.corner), vector(crack.edge_u), vector(crack.edge_v)};
    const std::string which = "system '" + state.name + "', pre-crack " + std::to_string(cracks.size());
    if (std::find(state.body.begin(), state.body.end(), crack.body) == state.body.end())
      throw InputError(which + ": body " + std::to_string(crack.body) + " has no particles in this system");
    if (!(norm_squared(cross(shape.u, shape.v)) > 0))
      throw InputError(which + ": its edges span no area; give two edges that are not parallel");
    cracks.push_back(shape);
  }
  if (cracks.empty()) return;
  const Array<Parallelogram> on_device(cracks);
  launch(material_.size(), BreakCrossingBonds{.cracks = on_device.view(),
                                              .first = first_.view(),
                                              .body = material_.view(),
                                              .reference = reference_.view(),
                                              .neighbor = neighbor_.view(),
                                              .broken = broken_.view()});
  broken_sum_.run(broken_.size(), SumBroken{broken_.view(), fracture_energy_.view()});
  broken_at_start_ = broken_sum_.read().count;
}

void PeridynamicBonds::measure_stiffness(View<SymmetricMatrix3> diagonal) {
  stiffness_kept_ = MERGANSER_GPU_HALF;
  if (stiffness_kept_)
    products_.keep(list(), fields(), diagonal);
  else
    sum(StiffnessDiagonal{diagonal});
}

void PeridynamicBonds::multiply(const BondProduct& term) {
  if (stiffness_kept_) return products_.multiply(term);
  set_vector(term.u);
  sum(term);
}

void PeridynamicBonds::fracture(View<const int> id) {
  stiffness_kept_ = false;
  sum(BreakBonds{.first = first_.view(),
                 .id = id,
                 .fields = fields(),
                 .seed = seed_,
                 .neighbor = neighbor_.view(),
                 .broken = broken_.view(),
                 .energy = fracture_energy_.view()});
}

void PeridynamicBonds::count_broken() {
  if (breakable_) broken_sum_.run(broken_.size(), SumBroken{broken_.view(), fracture_energy_.view()});
}

BrokenBonds PeridynamicBonds::broken() const {
  if (!breakable_) return {};
  const BrokenBonds entries = broken_sum_.fetched();
  return {(entries.count - broken_at_start_) / 2, entries.energy};
}

void PeridynamicBonds::sum_energy(Reduction<double>& sum_of) {
  sum(BondEnergy{scalar_.view()});
  sum_of.run(material_.size(), SumFloats{scalar_.view()});
}

std::vector<float> PeridynamicBonds::damage() const {
  const auto first = first_.to_host(), broken = broken_.to_host();
  std::vector<float> damage;
  for (size_t i = 0; i < broken.size(); ++i) {
    const int size = first[i + 1] - first[i];
    damage.push_back(size > 0 ? float(broken[i]) / float(size) : 0.0f);
  }
  return damage;
}

std::vector<float> PeridynamicBonds::fragments() const {
  const auto first = first_.to_host(), neighbor = neighbor_.to_host();
  std::vector<int> root(static_cast<size_t>(material_.size()));
  std::iota(root.begin(), root.end(), 0);
  auto find = [&](int i) {
    while (root[size_t(i)] != i) i = root[size_t(i)] = root[size_t(root[size_t(i)])];
    return i;
  };
  for (int i = 0; i < material_.size(); ++i)
    for (int e = first[size_t(i)]; e < first[size_t(i) + 1]; ++e) {
      if (neighbor[size_t(e)] < i) continue;  // broken, or seen from the other end
      const int a = find(i), b = find(neighbor[size_t(e)]);
      root[size_t(std::max(a, b))] = std::min(a, b);
    }
  std::vector<float> fragment(root.size());
  float next = 0;
  for (int i = 0; i < material_.size(); ++i) {
    const int of = find(i);
    fragment[size_t(i)] = of == i ? next++ : fragment[size_t(of)];
  }
  return fragment;
}

void PeridynamicBonds::save(StateArchive& archive, const std::string& prefix) const {
  const size_t count = static_cast<size_t>(material_.size());
  const ComponentsView reference = reference_.view();
  archive.put(prefix + "/bond_neighbor", neighbor_.to_host());
  archive.put(prefix + "/broken_bonds", broken_.to_host());
  archive.put(prefix + "/broken_at_start", std::vector<std::int64_t>{broken_at_start_});
  archive.put(prefix + "/reference_x", to_host(reference.x).data(), count);
  archive.put(prefix + "/reference_y", to_host(reference.y).data(), count);
  archive.put(prefix + "/reference_z", to_host(reference.z).data(), count);
}

void PeridynamicBonds::load(const StateArchive& archive, const std::string& prefix) {
  const auto neighbor = archive.get<std::int32_t>(prefix + "/bond_neighbor");
  const auto broken = archive.get<std::int32_t>(prefix + "/broken_bonds");
  const auto x = archive.get<float>(prefix + "/reference_x"), y = archive.get<float>(prefix + "/reference_y"),
             z = archive.get<float>(prefix + "/reference_z");
  if (neighbor.size() != size_t(neighbor_.size()) || broken.size() != size_t(broken_.size()) ||
      x.size() != broken.size())
    throw FileError("checkpoint: the bonds under '" + prefix + "' are of another scene");
  stiffness_kept_ = false;
  neighbor_.assign(neighbor);
  broken_.assign(broken);
  broken_at_start_ = archive.get<std::int64_t>(prefix + "/broken_at_start").at(0);
  std::vector<Vec3> reference(x.size());
  for (size_t i = 0; i < x.size(); ++i) reference[i] = {x[i], y[i], z[i]};
  reference_.assign(Array<Vec3>(reference).const_view());
  measure_families();
}

MERGANSER_END
