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

/// Opens a gap of n elements at `at` on the device and fills it from the host.
template <class T>
void insert_elements(Array<T>& array, int at, const std::vector<T>& values, Array<unsigned char>& scratch) {
  const int n = static_cast<int>(values.size());
  const int tail = array.size() - at;
  const size_t tail_bytes = sizeof(T) * size_t(tail);
  if (tail > 0) {  // by way of scratch: old and new place overlap
    scratch.reserve(tail_bytes);
    copy_on_device(scratch.data(), array.data() + at, tail_bytes);
  }
  array.resize(array.size() + n);
  copy_to_device(array.data() + at, values.data(), sizeof(T) * values.size());
  if (tail > 0) copy_on_device(array.data() + at + n, scratch.data(), tail_bytes);
}

void require_equal_length(size_t length, int expected, const char* field) {
  if (length != static_cast<size_t>(expected))
    throw InputError("particles to add: " + std::to_string(length) + " values of '" + field + "' for " +
                     std::to_string(expected) + " positions");
}
}  // namespace

template <class T>
void permute_range(Array<T>& array, int first, View<const int> order, Array<unsigned char>& scratch) {
  const size_t bytes = sizeof(T) * size_t(order.count);
  scratch.reserve(bytes);
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
  try {
    append(system_count() - 1, particles);
  } catch (...) {
    ranges_.pop_back();
    throw;
  }
  return system_count() - 1;
}

void ParticleStore::append(int system_index, const HostParticles& particles) {
  const int n = particles.size();
#define FIELD(name, type, unit, meaning) require_equal_length(particles.name.size(), n, #name);
#include "device/particle_fields.def"
#undef FIELD
  if (n == 0) return;
  const int at = ranges_[static_cast<size_t>(system_index)].end();
#define FIELD(name, type, unit, meaning) insert_elements(name, at, particles.name, scratch_);
#include "device/particle_fields.def"
#undef FIELD
  ranges_[static_cast<size_t>(system_index)].count += n;
  for (size_t later = static_cast<size_t>(system_index) + 1; later < ranges_.size(); ++later)
    ranges_[later].first += n;
}

void ParticleStore::permute(int system_index, View<const int> order) {
  const auto [first, size] = range(system_index);
  if (order.count != size)
    throw InputError("an order of " + std::to_string(order.count) + " for a system of " +
                     std::to_string(size) + " particles");
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
