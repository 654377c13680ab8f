#pragma once
/// All particles of a simulation in one structure of arrays. Each system owns one contiguous range; ranges
/// follow each other in the order of the systems without gaps. A system may permute its own range (fluids:
/// into cell order, every step).
#include <string>
#include <vector>

#include "device/array.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

/// Particles [first, first + count).
struct Range {
  int first = 0;
  int count = 0;
  MERGANSER_METHOD int end() const { return first + count; }
  MERGANSER_METHOD bool contains(int i) const { return i >= first && i < first + count; }
};

/// Read-only views of every field, for kernels.
struct ParticleConstView {
#define FIELD(name, type, unit, meaning) View<const type> name;
#include "device/particle_fields.def"
#undef FIELD
};

/// The same to write to.
struct ParticleView {
#define FIELD(name, type, unit, meaning) View<type> name;
#include "device/particle_fields.def"
#undef FIELD
};

/// Host-side copy of a set of particles, one vector a field.
struct HostParticles {
#define FIELD(name, type, unit, meaning) std::vector<type> name;
#include "device/particle_fields.def"
#undef FIELD
  int size() const { return static_cast<int>(position.size()); }
};

class ParticleStore {
 public:
  int count() const { return position.size(); }
  int system_count() const { return static_cast<int>(ranges_.size()); }
  Range range(int system_index) const { return ranges_[static_cast<size_t>(system_index)]; }
  /// Above all ids that particles have had, those of removed ones included: what is kept by id has so many
  /// places. New particles take their ids from here on.
  int id_end() const { return id_end_; }

  /// Appends a system with its initial particles; all vectors of `particles` must have equal length. Returns
  /// its index.
  int add_system(const HostParticles& particles);
  /// Adds particles at the end of a system's range (emitters); later systems move up.
  void append(int system_index, const HostParticles& particles);
  /// Room for particles at the end of a system's range; later systems move up. The caller writes all fields
  /// of the particles in the range that is returned, their ids from id_end() before the call on.
  Range add_room(int system_index, int count);
  /// New order of a system's particles: new particle k is old particle order[k], local indices. Into spare
  /// arrays, which take the place of the first where there is but one system: views of the fields end here.
  /// All fields at once up to most_at_once particles, with a spare array each; more by passes over one field
  /// of each type, which share three: 28 bytes a particle less for two launches more.
  void permute(int system_index, View<const int> order);
  static constexpr int most_at_once = 1 << 16;

  /// Keeps of a system's particles those of the local indices `kept`, ascending; later systems move down.
  void keep(int system_index, View<const int> kept);

  ParticleView view();
  ParticleConstView const_view() const;

  /// Calls visit(name, array) for every field; checkpoints and frames use it.
  template <class Visit>
  void for_each_field(const Visit& visit) {
#define FIELD(name, type, unit, meaning) visit(#name, name);
#include "device/particle_fields.def"
#undef FIELD
  }
  /// Replaces the ranges after a checkpoint has replaced the fields' contents.
  void set_ranges(std::vector<Range> ranges) { ranges_ = std::move(ranges); }
  void set_id_end(int id_end) { id_end_ = id_end; }
  const std::vector<Range>& ranges() const { return ranges_; }

#define FIELD(name, type, unit, meaning) Array<type> name;  ///< [unit] meaning
#include "device/particle_fields.def"
#undef FIELD

 private:
  /// A field of each type; nullptr: no more of them.
  struct FieldsOfPass {
    Array<Vec3>* vectors = nullptr;
    Array<float>* numbers = nullptr;
    Array<int>* indices = nullptr;
  };
  std::vector<FieldsOfPass> passes();
  /// At the end of a system's range; returns its first place.
  int open_gap(int system_index, int count);
  /// Particles own.first + chosen[k] to own.first + k.
  void move_by_passes(Range own, View<const int> chosen);
  /// Copies of a system's particles of the given local indices, in spare arrays.
  ParticleView gather(int system_index, View<const int> chosen);
  std::vector<Range> ranges_;
  int id_end_ = 0;
  Array<unsigned char> scratch_;
#define FIELD(name, type, unit, meaning) Array<type> spare_##name##_;
#include "device/particle_fields.def"
#undef FIELD
};

/// Reorders an array: new[k] = old[order[k]]. `spare` takes the old elements' place: views of the array end
/// here. Instantiated for int, float, Vec3 and signed char.
template <class T>
void permute_array(Array<T>& array, View<const int> order, Array<T>& spare);
/// Keeps of an array the elements of the indices `kept`, in the same way.
template <class T>
void keep_elements(Array<T>& array, View<const int> kept, Array<T>& spare);

MERGANSER_END
