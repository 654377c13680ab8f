#include "tests/backends/samples/primitive_samples.h"

#include <numeric>

#include "device/compact.h"
#include "device/launch.h"
#include "device/neighbor_list.h"
#include "device/particle_store.h"
#include "device/random.h"
#include "device/reduce.h"
#include "device/sort.h"

MERGANSER_BEGIN

namespace {
struct DrawWords {
  static constexpr const char* name = "sample random";
  View<std::uint32_t> words;
  MERGANSER_METHOD void operator()(int i) const {
    words[i] = random_draw(3, RandomPurpose::test, static_cast<std::uint32_t>(i / 4), 17).word[i % 4];
  }
};
struct SumVectors {
  static constexpr const char* name = "sample sum";
  using Value = Vec3d;
  View<const Vec3> values;
  MERGANSER_METHOD Vec3d operator()(int i) const { return to_double(values[i]); }
  MERGANSER_METHOD static Vec3d identity() { return {0, 0, 0}; }
  MERGANSER_METHOD static Vec3d combine(const Vec3d& a, const Vec3d& b) { return a + b; }
};
Vec3 vec3(const Float3& p) { return {p[0], p[1], p[2]}; }
std::vector<Vec3> vectors(const std::vector<Float3>& points) {
  std::vector<Vec3> result;
  for (const Float3& p : points) result.push_back(vec3(p));
  return result;
}
HostParticles host_particles(const std::vector<Vec3>& points, int first_id, int system) {
  HostParticles particles;
  for (const Vec3& x : points) {
    particles.position.push_back(x);
    particles.velocity.push_back(-x);
    particles.mass.push_back(1);
    particles.inverse_mass.push_back(1);
    particles.radius.push_back(0.1f);
    particles.id.push_back(first_id++);
    particles.body.push_back(0);
    particles.system.push_back(system);
  }
  return particles;
}
}  // namespace

std::vector<int> sample_scan(const std::vector<int>& values) {
  Array<int> in(values), out(in.size() + 1);
  Scratch scratch;
  exclusive_scan(in.const_view(), out.view(), scratch);
  return out.to_host();
}

std::vector<int> sample_sort(const std::vector<std::uint64_t>& keys, int key_bits) {
  std::vector<int> index(keys.size());
  std::iota(index.begin(), index.end(), 0);
  Array<Word64> sorted(std::vector<Word64>(keys.begin(), keys.end()));
  Array<int> values(index);
  Scratch scratch;
  stable_sort_by_key(sorted.view(), values.view(), scratch, key_bits);
  return values.to_host();
}

std::vector<int> sample_compact(const std::vector<int>& flags) {
  Array<int> in(flags), selected(in.size()), count(1), offsets;
  Scratch scratch;
  compact_indices(in.const_view(), selected.view(), count.view(), offsets, scratch);
  return to_host(selected.const_view().subview(0, read_back(count.const_view(), 0)));
}

std::vector<std::uint32_t> sample_random(int count) {
  Array<std::uint32_t> words(count);
  launch(count, DrawWords{words.view()});
  return words.to_host();
}

std::array<double, 3> sample_sum(const std::vector<Float3>& values) {
  Array<Vec3> in(vectors(values));
  Reduction<Vec3d> reduction;
  reduction.run(in.size(), SumVectors{in.const_view()});
  const Vec3d sum = reduction.read();
  return {sum.x, sum.y, sum.z};
}

NeighborSample sample_neighbors(const std::vector<Float3>& points, float radius, int reach, Float3 origin,
                                Float3 period) {
  Array<Vec3> position(vectors(points));
  UniformGrid grid;
  grid.set_periodic(vec3(origin), vec3(period));
  grid.build(position.const_view(), radius, reach);
  NeighborList list;
  list.build(grid.view(), position.const_view(), radius);
  return {to_host(grid.order()), to_host(list.view().first), to_host(list.view().neighbor)};
}

StoreSample sample_store(const std::vector<Float3>& points, const std::vector<int>& order) {
  ParticleStore store;
  const auto positions = vectors(points);
  const int count = static_cast<int>(points.size());
  store.add_system(host_particles(positions, 0, 0));
  store.add_system(host_particles(positions, count, 1));
  Array<int> on_device(order);
  store.permute(0, on_device.const_view());
  store.append(0, host_particles({positions.begin(), positions.begin() + count / 3}, 2 * count, 0));
  StoreSample sample;
  for (const Vec3& x : store.position.to_host()) sample.position.push_back({x.x, x.y, x.z});
  sample.id = store.id.to_host();
  return sample;
}

MERGANSER_END
