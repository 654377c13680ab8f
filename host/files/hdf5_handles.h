#pragma once
/// HDF5 identifiers, errors and element types, shared by writing and reading of images.
#include <hdf5.h>

#include <atomic>
#include <string>
#include <vector>

#include "solvers/base/state_archive.h"

namespace merganser {

/// An HDF5 identifier that closes itself.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(id), close_(close) {
    if (id < 0) throw FileError("HDF5: cannot open or create " + what);
  }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

inline void require(herr_t status, const std::string& what) {
  if (status < 0) throw FileError("HDF5: cannot " + what);
}

struct TypeNames {
  ElementType type;
  hid_t file, memory;
};
inline const std::vector<TypeNames>& type_table() {
  static const std::vector<TypeNames> table{{ElementType::float32, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT},
                                            {ElementType::float64, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE},
                                            {ElementType::int8, H5T_STD_I8LE, H5T_NATIVE_INT8},
                                            {ElementType::int32, H5T_STD_I32LE, H5T_NATIVE_INT32},
                                            {ElementType::int64, H5T_STD_I64LE, H5T_NATIVE_INT64}};
  return table;
}
/// Properties of a file that is kept in memory alone.
inline hid_t memory_access() {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  require(H5Pset_fapl_core(access, size_t{1} << 22, false), "keep a file in memory");
  return access;
}
/// A name for such a file: HDF5 takes two open files of one name for the same.
inline std::string memory_name() {
  static std::atomic<long> number{0};
  return "in memory " + std::to_string(number++);
}
/// Errors are reported once, by the exceptions of these files.
inline void silence_hdf5() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

}  // namespace merganser
