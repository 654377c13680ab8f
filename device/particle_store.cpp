#include "device/particle_store.h"

#include <algorithm>

#include "device/lanes.h"
#include "device/launch.h"

MERGANSER_BEGIN

namespace {
template <class T>
struct GatherByOrder {
  static constexpr const char* name = "permute array";
  View<const T> from;
  View<const int> order;
  View<T> to;
  MERGANSER_METHOD void operator()(int i) const { to[i] = from[order[i]]; }
};

/// All fields of particles first + order[k] to places k.
struct GatherFields {
  static constexpr const char* name = "permute particles";
  ParticleConstView from;
  View<const int> order;
  int first;
  ParticleView to;
  MERGANSER_METHOD void operator()(int k) const {
    const int i = first + order[k];
#define FIELD(name, type, unit, meaning) to.name[k] = from.name[i];
#include "device/particle_fields.def"
#undef FIELD
  }
};

/// All fields of particles k to places first + k.
struct PutFieldsBack {
  static constexpr const char* name = "put permuted particles back";
  ParticleView from;
  int first;
  ParticleView to;
  MERGANSER_METHOD void operator()(int k) const {
#define FIELD(name, type, unit, meaning) to.name[first + k] = from.name[k];
#include "device/particle_fields.def"
#undef FIELD
  }
};

/// The fields of a pass, those without elements left out: of particles first + order[k] to places k; where
/// there is no order, of k to first + k.
struct MoveFields {
  static constexpr const char* name = "permute particles by passes";
  View<const int> order;
  int first;
  View<const Vec3> vectors;
  View<const float> numbers;
  View<const int> indices;
  View<Vec3> moved_vectors;
  View<float> moved_numbers;
  View<int> moved_indices;
  MERGANSER_METHOD void operator()(int k) const {
    const int from = order.empty() ? k : first + order[k], to = order.empty() ? first + k : k;
    if (!vectors.empty()) moved_vectors[to] = vectors[from];
    if (!numbers.empty()) moved_numbers[to] = numbers[from];
    if (!indices.empty()) moved_indices[to] = indices[from];
  }
};

template <class T>
View<T> view_of(Array<T>* field) {
  return field ? field->view() : View<T>{};
}

/// Opens a gap of n elements at `at`.
template <class T>
void insert_gap(Array<T>& array, int at, int n, Array<unsigned char>& scratch) {
  const int tail = array.size() - at;
  const size_t tail_bytes = sizeof(T) * size_t(tail);
  if (tail > 0) {  // by way of scratch: old and new place overlap
    scratch.reserve(tail_bytes);
    copy_on_device(scratch.data(), array.data() + at, tail_bytes);
  }
  array.resize(array.size() + n);
  if (tail > 0) copy_on_device(array.data() + at + n, scratch.data(), tail_bytes);
}

/// Takes n elements at `at` out.
template <class T>
void close_gap(Array<T>& array, int at, int n, Array<unsigned char>& scratch) {
  const int tail = array.size() - at - n;
  const size_t tail_bytes = sizeof(T) * size_t(tail);
  if (tail > 0) {  // by way of scratch: old and new place overlap
    scratch.reserve(tail_bytes);
    copy_on_device(scratch.data(), array.data() + at + n, tail_bytes);
    copy_on_device(array.data() + at, scratch.data(), tail_bytes);
  }
  array.resize(array.size() - n);
}

void require_equal_length(size_t length, int expected, const char* field) {
  if (length != static_cast<size_t>(expected))
    throw InputError("particles to add: " + std::to_string(length) + " values of '" + field + "' for " +
                     std::to_string(expected) + " positions");
}
}  // namespace

template <class T>
void permute_array(Array<T>& array, View<const int> order, Array<T>& spare) {
  if (order.count != array.size())
    throw InputError("an order of " + std::to_string(order.count) + " for an array of " +
                     std::to_string(array.size()) + " elements");
  spare.resize(array.size());
  launch(order.count, GatherByOrder<T>{array.const_view(), order, spare.view()});
  array.swap(spare);
}
template void permute_array(Array<int>&, View<const int>, Array<int>&);
template void permute_array(Array<float>&, View<const int>, Array<float>&);
template void permute_array(Array<Vec3>&, View<const int>, Array<Vec3>&);
template void permute_array(Array<Quad>&, View<const int>, Array<Quad>&);
template void permute_array(Array<signed char>&, View<const int>, Array<signed char>&);

template <class T>
void keep_elements(Array<T>& array, View<const int> kept, Array<T>& spare) {
  spare.resize(kept.count);
  launch(kept.count, GatherByOrder<T>{array.const_view(), kept, spare.view()});
  array.swap(spare);
}
template void keep_elements(Array<float>&, View<const int>, Array<float>&);
template void keep_elements(Array<Vec3>&, View<const int>, Array<Vec3>&);
template void keep_elements(Array<Quad>&, View<const int>, Array<Quad>&);

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
  const int at = open_gap(system_index, n);
#define FIELD(name, type, unit, meaning) \
  copy_to_device(name.data() + at, particles.name.data(), sizeof(type) * size_t(n));
#include "device/particle_fields.def"
#undef FIELD
  id_end_ = std::max(id_end_, 1 + *std::max_element(particles.id.begin(), particles.id.end()));
}

Range ParticleStore::add_room(int system_index, int n) {
  id_end_ += n;
  return {open_gap(system_index, n), n};
}

int ParticleStore::open_gap(int system_index, int n) {
  const int at = ranges_[static_cast<size_t>(system_index)].end();
#define FIELD(name, type, unit, meaning) insert_gap(name, at, n, scratch_);
#include "device/particle_fields.def"
#undef FIELD
  ranges_[static_cast<size_t>(system_index)].count += n;
  for (size_t later = static_cast<size_t>(system_index) + 1; later < ranges_.size(); ++later)
    ranges_[later].first += n;
  return at;
}

void ParticleStore::permute(int system_index, View<const int> order) {
  const auto [first, size] = range(system_index);
  if (order.count != size)
    throw InputError("an order of " + std::to_string(order.count) + " for a system of " +
                     std::to_string(size) + " particles");
  if (size > most_at_once) return move_by_passes({first, size}, order);
  const bool whole = size == count();
  ParticleView fields, spare;
#define FIELD(name, type, unit, meaning)                                    \
  if (whole || spare_##name##_.size() < size) spare_##name##_.resize(size); \
  fields.name = name.view();                                                \
  spare.name = spare_##name##_.view();
#include "device/particle_fields.def"
#undef FIELD
  launch(size, GatherFields{const_view(), order, first, spare});
  if (!whole) return launch(size, PutFieldsBack{spare, first, fields});
#define FIELD(name, type, unit, meaning) name.swap(spare_##name##_);
#include "device/particle_fields.def"
#undef FIELD
}

std::vector<ParticleStore::FieldsOfPass> ParticleStore::passes() {
  std::vector<FieldsOfPass> made;
  size_t vectors = 0, numbers = 0, indices = 0;
  const auto add = [&](size_t& used, auto FieldsOfPass::*of_type, auto& field) {
    if (used == made.size()) made.emplace_back();
    made[used++].*of_type = &field;
  };
  for_each_field([&](const char*, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, Array<Vec3>>)
      add(vectors, &FieldsOfPass::vectors, field);
    else if constexpr (std::is_same_v<Field, Array<float>>)
      add(numbers, &FieldsOfPass::numbers, field);
    else
      add(indices, &FieldsOfPass::indices, field);
  });
  return made;
}

void ParticleStore::move_by_passes(Range own, View<const int> chosen) {
  const int size = chosen.count;
  const bool whole = size == count();
  const auto have_spare = [&](auto& spare) {
    if (whole || spare.size() < size) spare.resize(size);
    return spare.view();
  };
  for (const FieldsOfPass& fields : passes()) {
    const View<Vec3> vectors = view_of(fields.vectors);
    const View<float> numbers = view_of(fields.numbers);
    const View<int> indices = view_of(fields.indices);
    const View<Vec3> moved_vectors = have_spare(spare_position_);
    const View<float> moved_numbers = have_spare(spare_mass_);
    const View<int> moved_indices = have_spare(spare_id_);
    launch(size, MoveFields{chosen, own.first, vectors, numbers, indices, moved_vectors, moved_numbers,
                            moved_indices});
    if (!whole) {
      launch(size, MoveFields{{},
                              own.first,
                              fields.vectors ? moved_vectors : View<Vec3>{},
                              fields.numbers ? moved_numbers : View<float>{},
                              fields.indices ? moved_indices : View<int>{},
                              vectors,
                              numbers,
                              indices});
      continue;
    }
    if (fields.vectors) fields.vectors->swap(spare_position_);
    if (fields.numbers) fields.numbers->swap(spare_mass_);
    if (fields.indices) fields.indices->swap(spare_id_);
  }
}

ParticleView ParticleStore::gather(int system_index, View<const int> chosen) {
  ParticleView spare;
#define FIELD(name, type, unit, meaning)                                           \
  if (spare_##name##_.size() < chosen.count) spare_##name##_.resize(chosen.count); \
  spare.name = spare_##name##_.view().subview(0, chosen.count);
#include "device/particle_fields.def"
#undef FIELD
  launch(chosen.count, GatherFields{const_view(), chosen, range(system_index).first, spare});
  return spare;
}

void ParticleStore::keep(int system_index, View<const int> kept) {
  const auto [first, size] = range(system_index);
  if (kept.count > most_at_once) {
    move_by_passes({first, size}, kept);
  } else {
    const ParticleView gathered = gather(system_index, kept);
    launch(kept.count, PutFieldsBack{gathered, first, view()});
  }
  const int gone = size - kept.count;
#define FIELD(name, type, unit, meaning) close_gap(name, first + kept.count, gone, scratch_);
#include "device/particle_fields.def"
#undef FIELD
  ranges_[static_cast<size_t>(system_index)].count = kept.count;
  for (size_t later = static_cast<size_t>(system_index) + 1; later < ranges_.size(); ++later)
    ranges_[later].first -= gone;
}

ParticleView ParticleStore::view() {
  ParticleView view;
#define FIELD(field, type, unit, meaning) view.field = field.view();
#include "device/particle_fields.def"
#undef FIELD
  return view;
}

ParticleConstView ParticleStore::const_view() const {
  ParticleConstView view;
#define FIELD(name, type, unit, meaning) view.name = name.const_view();
#include "device/particle_fields.def"
#undef FIELD
  return view;
}

MERGANSER_END
