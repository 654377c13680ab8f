#pragma once
/// Per-particle numbers of elastic bodies as one array a component, so that kernels take particles that
/// follow each other at a time on the CPU, eight in float and four in double, and one on the GPU from the
/// same formula (lanes.h).
#include <cstring>

#include "device/array.h"
#include "device/float_pair.h"
#include "device/lanes.h"
#include "device/launch.h"
#include "device/matrix3.h"

MERGANSER_BEGIN

inline constexpr int block_width = 8;
#if MERGANSER_GPU_HALF
/// The numbers of a kernel's index: one particle.
using Lanes = float;
using PreciseLanes = double;
/// Storage of numbers that float is too coarse for.
using PreciseNumber = FloatPair;
template <class Real>
inline constexpr int width_of = 1;
#else
/// The numbers of a kernel's index: so many particles that follow each other; they fill a register.
typedef double Double4 __attribute__((vector_size(4 * sizeof(double))));
using Lanes = Float8;
using PreciseLanes = Double4;
using PreciseNumber = double;
template <class Real>
inline constexpr int width_of = sizeof(Real) / sizeof(Real{}[0]);
#endif
/// Kernel indices for so many particles.
template <class Real = Lanes>
constexpr int lane_items(int particles) {
  return (particles + width_of<Real> - 1) / width_of<Real>;
}
/// The first particle of a kernel index.
template <class Real = Lanes>
MERGANSER_FN int first_of_item(int item) {
  return item * width_of<Real>;
}
/// Particles of a kernel index.
template <class Real = Lanes>
MERGANSER_FN int lanes_of_item(int item, int count) {
  const int left = count - item * width_of<Real>;
  return left < width_of<Real> ? left : width_of<Real>;
}

template <class Real>
inline constexpr bool is_one_number =
    std::is_same_v<Real, float> || std::is_same_v<Real, double> || std::is_same_v<Real, FloatPair>;
template <class Real, class Number>
MERGANSER_FN Real lanes_of(Number x) {
  if constexpr (is_one_number<Real>)
    return static_cast<Real>(x);
  else
    return Real{} + static_cast<std::decay_t<decltype(Real{}[0])>>(x);
}
/// As many numbers that follow each other as Real has.
template <class Real, class Stored>
MERGANSER_FN Real load_lanes(const Stored* from) {
  if constexpr (is_one_number<Real>) {
    return static_cast<Real>(*from);
  } else {
#if !MERGANSER_GPU_HALF
    typedef Stored Lanes __attribute__((vector_size(width_of<Real> * sizeof(Stored))));
    Lanes lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return __builtin_convertvector(lanes, Real);
#endif
  }
}
template <class Real, class Stored>
MERGANSER_FN void store_lanes(Stored* to, const Real& value) {
  if constexpr (is_one_number<Real>) {
    *to = static_cast<Stored>(value);
  } else {
#if !MERGANSER_GPU_HALF
    typedef Stored Lanes __attribute__((vector_size(width_of<Real> * sizeof(Stored))));
    const Lanes lanes = __builtin_convertvector(value, Lanes);
    std::memcpy(to, &lanes, sizeof lanes);
#endif
  }
}
/// Component k of particle i is at [k * stride + padding + i]; kernels read up to a block before and after
/// the particles and find finite numbers there.
template <class T>
struct LaneView {
  View<T> data;
  int stride = 0;
  static constexpr int padding = block_width;

  template <class Real>
  MERGANSER_METHOD Real load(int component, int i) const {
    return load_lanes<Real>(data.data + (size_t(component) * size_t(stride) + size_t(padding + i)));
  }
  template <class Real>
  MERGANSER_METHOD void store(int component, int i, const Real& value) const {
    store_lanes(data.data + (size_t(component) * size_t(stride) + size_t(padding + i)), value);
  }
  /// Components k to k + 2.
  template <class Real>
  MERGANSER_METHOD Vector3<Real> load_vector(int k, int i) const {
    return {load<Real>(k, i), load<Real>(k + 1, i), load<Real>(k + 2, i)};
  }
  template <class Real>
  MERGANSER_METHOD void store_vector(int k, int i, const Vector3<Real>& v) const {
    store(k, i, v.x), store(k + 1, i, v.y), store(k + 2, i, v.z);
  }
  /// Components k to k + 8, columns.
  template <class Real>
  MERGANSER_METHOD Matrix3<Real> load_matrix(int k, int i) const {
    return {load_vector<Real>(k, i), load_vector<Real>(k + 3, i), load_vector<Real>(k + 6, i)};
  }
  template <class Real>
  MERGANSER_METHOD void store_matrix(int k, int i, const Matrix3<Real>& a) const {
    store_vector(k, i, a.x), store_vector(k + 3, i, a.y), store_vector(k + 6, i, a.z);
  }
  /// Components k to k + 5: xx, xy, xz, yy, yz, zz.
  template <class Real>
  MERGANSER_METHOD Matrix3<Real> load_symmetric(int k, int i) const {
    return symmetric_matrix(load<Real>(k, i), load<Real>(k + 1, i), load<Real>(k + 2, i),
                            load<Real>(k + 3, i), load<Real>(k + 4, i), load<Real>(k + 5, i));
  }
};

template <class T>
class LaneFieldsOf {
 public:
  void resize(int particles, int components) {
    constexpr int line = 64 / int(sizeof(T));  // numbers of a cache line
    // An odd number of lines, so that the components of a particle do not share sets of the cache.
    const int lines = (particles + 2 * block_width + 2 * LaneView<T>::padding) / line + 1;
    stride_ = (lines | 1) * line;
    if (static_cast<long long>(stride_) * components > 0x7fffffffLL)
      throw DeviceError("an elastic system of " + std::to_string(particles) +
                        " particles is too large; lower --resolution");
    data_.resize(stride_ * components);
  }
  LaneView<T> view() { return {data_.view(), stride_}; }
  LaneView<const T> view() const { return {data_.view(), stride_}; }
  /// One component of all particles.
  View<T> component(int k, int particles) {
    return data_.view().subview(k * stride_ + LaneView<T>::padding, particles);
  }
  std::vector<T> to_host(int k, int particles) const {
    return merganser::MERGANSER_BACKEND::to_host(
        data_.view().subview(k * stride_ + LaneView<T>::padding, particles));
  }
  void assign(int k, const std::vector<T>& values) {
    if (!values.empty())
      copy_to_device(component(k, static_cast<int>(values.size())).data, values.data(),
                     sizeof(T) * values.size());
  }

 private:
  Array<T> data_;
  int stride_ = 0;
};
using LaneFields = LaneFieldsOf<float>;
using PreciseFields = LaneFieldsOf<PreciseNumber>;

/// Components 0 to 2 = vectors.
struct SplitVectors {
  static constexpr const char* name = "elastic split components";
  View<const Vec3> from;
  LaneView<float> to;
  MERGANSER_METHOD void operator()(int i) const { to.store_vector(0, i, from[i]); }
};

MERGANSER_END
