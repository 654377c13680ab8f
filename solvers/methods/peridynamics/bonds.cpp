#include "solvers/methods/peridynamics/bonds.h"

#include <cmath>

#include "device/sum_of.h"
#include "solvers/methods/peridynamics/bond_families.h"
#include "solvers/methods/peridynamics/fracture.h"
#include "solvers/methods/peridynamics/fragments.h"
#include "solvers/methods/peridynamics/pre_cracks.h"

MERGANSER_BEGIN

namespace {
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
  View<const float> values;
  MERGANSER_METHOD double operator()(int i) const { return values[i]; }
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
  View<const float> stiffness, volume;
  View<const int> material;
  View<const BondMaterial> materials;
  MERGANSER_METHOD double operator()(int i) const {
    return stiffness[i] / (double(volume[i]) * materials[material[i]].density);
  }
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
  build_families(position, material_.view(), materials_, first_, neighbor_);
#if !MERGANSER_GPU_HALF
  run_.assign(find_runs(first_.view(), neighbor_.view(), material_.view()));
#endif
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

void PeridynamicBonds::measure_families() {
  const int count = material_.size();
  sum(FamilyVolume{family_.view()});
  sum(TotalStiffness{scalar_.view()});
  Reduction<double> sum;
  sum.run(count,
          maximum_of(StiffestParticle{scalar_.view(), volume_.view(), material_.view(), materials_.view()}));
  const double stiffest = sum.read();
  stable_time_step_ = stiffest > 0 ? std::sqrt(2 / stiffest) : 1e30;
}

void PeridynamicBonds::break_pre_cracks(const SystemState& state) {
  const std::vector<Parallelogram> cracks = pre_cracks(state);
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

void PeridynamicBonds::sum_energy(Reduction<double>& energy) {
  sum(BondEnergy{scalar_.view()});
  energy.run(material_.size(), sum_of(SumFloats{scalar_.view()}));
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
  return number_fragments(first_.to_host(), neighbor_.to_host());
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
