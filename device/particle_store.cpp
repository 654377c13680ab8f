#include "device/particle_store.h"

#include "device/launch.h"

MERGANSER_BEGIN

namespace {
template <class T>
struct GatherByOrder {
  static constexpr const char* name = "permute particles";
  View<const T> from;
  View<const int> order;
  View<T> to;
  MERGANSER_METHOD void operator()(int i) const { to[i] = from[order[i]]; }
};

/// Opens a gap of n elements at `at` and fills it from the host.
template <class T>
void insert_elements(Array<T>& array, int at, const std::vector<T>& values) {
  const int old_count = array.size();
  const int n = static_cast<int>(values.size());
  std::vector<T> tail = to_host(array.const_view().subview(at, old_count - at));
  array.resize(old_count + n);
  copy_to_device(array.data() + at, values.data(), sizeof(T) * values.size());
  if (!tail.empty()) copy_to_device(array.data() + at + n, tail.data(), sizeof(T) * tail.size());
}
}  // namespace

template <class T>
void permute_range(Array<T>& array, int first, View<const int> order, Array<unsigned char>& scratch) {
  const size_t bytes = sizeof(T) * size_t(order.count);
  scratch.resize(std::max(scratch.size(), static_cast<int>(bytes)));
  View<T> copy(reinterpret_cast<T*>(scratch.data()), order.count);
  launch(order.count, GatherByOrder<T>{array.const_view().subview(first, order.count), order, copy});
  copy_on_device(array.data() + first, copy.data, bytes);
}
template void permute_range(Array<int>&, int, View<const int>, Array<unsigned char>&);
template void permute_range(Array<float>&, int, View<const int>, Array<unsigned char>&);
template void permute_range(Array<Vec3>&, int, View<const int>, Array<unsigned char>&);
template void permute_range(Array<signed char>&, int, View<const int>, Array<unsigned char>&);

int ParticleStore::add_system(const HostParticles& particles) {
  ranges_.push_back({count(), 0});
  append(system_count() - 1, particles);
  return system_count() - 1;
}

void ParticleStore::append(int system_index, const HostParticles& particles) {
  const int n = particles.size();
  if (n == 0) return;
  const int at = ranges_[static_cast<size_t>(system_index)].end();
#define FIELD(name, type, unit, meaning) insert_elements(name, at, particles.name);
#include "device/particle_fields.def"
#undef FIELD
  ranges_[static_cast<size_t>(system_index)].count += n;
  for (size_t later = static_cast<size_t>(system_index) + 1; later < ranges_.size(); ++later) ranges_[later].first += n;
}

void ParticleStore::permute(int system_index, View<const int> order) {
  const int first = range(system_index).first;
#define FIELD(name, type, unit, meaning) permute_range(name, first, order, scratch_);
#include "device/particle_fields.def"
#undef FIELD
}

ParticleConstView ParticleStore::const_view() const {
  ParticleConstView view;
#define FIELD(name, type, unit, meaning) view.name = name.const_view();
#include "device/particle_fields.def"
#undef FIELD
  return view;
}

MERGANSER_END
