#pragma once
/// The complete state of a simulation as named arrays, for checkpoints. Plain host data.
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "device/errors.h"

namespace merganser {

enum class ElementType { float32, float64, int8, int32, int64 };

struct NamedArray {
  std::string name;  ///< path such as "particles/position" or "systems/water/density"
  ElementType type;
  std::vector<char> bytes;  ///< elements in native order
};

/// Arrays by name; get() throws FileError where one is missing or has another type.
class StateArchive {
 public:
  template <class T>
  void put(const std::string& name, const T* data, size_t count) {
    NamedArray array{name, element_type<T>(), std::vector<char>(count * sizeof(T))};
    if (count > 0) std::memcpy(array.bytes.data(), data, array.bytes.size());
    arrays_.push_back(std::move(array));
  }
  template <class T>
  void put(const std::string& name, const std::vector<T>& values) {
    put(name, values.data(), values.size());
  }
  template <class T>
  std::vector<T> get(const std::string& name) const {
    for (const NamedArray& array : arrays_)
      if (array.name == name) {
        if (array.type != element_type<T>())
          throw FileError("checkpoint: array '" + name + "' has another type");
        std::vector<T> values(array.bytes.size() / sizeof(T));
        if (!values.empty()) std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
        return values;
      }
    throw FileError("checkpoint: array '" + name +
                    "' is missing; it was written by another version or scene");
  }
  void add(NamedArray array) { arrays_.push_back(std::move(array)); }
  const std::vector<NamedArray>& arrays() const { return arrays_; }

 private:
  template <class T>
  static ElementType element_type() {
    if constexpr (std::is_same_v<T, float>)
      return ElementType::float32;
    else if constexpr (std::is_same_v<T, double>)
      return ElementType::float64;
    else if constexpr (std::is_same_v<T, signed char>)
      return ElementType::int8;
    else if constexpr (std::is_same_v<T, std::int32_t>)
      return ElementType::int32;
    else if constexpr (std::is_same_v<T, std::int64_t>)
      return ElementType::int64;
    else
      static_assert(!sizeof(T), "element type without a checkpoint format");
  }
  std::vector<NamedArray> arrays_;
};

}  // namespace merganser
