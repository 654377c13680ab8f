#include "host/files/hdf5_image.h"

#include <algorithm>

#include "host/files/hdf5_handles.h"

namespace merganser {
namespace {

const TypeNames& names_of(ElementType type) {
  return *std::find_if(type_table().begin(), type_table().end(),
                       [&](const TypeNames& t) { return t.type == type; });
}

hid_t create_in_memory() {
  silence_hdf5();
  const Handle access(memory_access(), H5Pclose, "a property list");
  // The oldest layout that will do, which old readers know; newer libraries have another default.
  require(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST), "choose a layout");
  return H5Fcreate(memory_name().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
}
/// Equal data gives equal bytes.
hid_t undated_storage() {
  const hid_t storage = H5Pcreate(H5P_DATASET_CREATE);
  require(H5Pset_obj_track_times(storage, false), "leave out the date");
  return storage;
}
/// Also creates the groups on the way. `data` is nullptr for none.
void write_dataset(hid_t file, const std::string& path, hid_t type, hid_t memory, hid_t space, hid_t storage,
                   const void* data) {
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "a property list");
  require(H5Pset_create_intermediate_group(links, 1), "create groups");
  const Handle set(H5Dcreate2(file, path.c_str(), type, space, links, storage, H5P_DEFAULT), H5Dclose,
                   "data set " + path);
  if (data) require(H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "write data set " + path);
}
template <class T>
void write_attribute(hid_t file, const std::string& group, const std::string& name, hid_t type, hid_t space,
                     const T* value) {
  const Handle object(H5Oopen(file, group.c_str(), H5P_DEFAULT), H5Oclose, "group " + group);
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "attribute " + name);
  require(H5Awrite(attribute, type, value), "write attribute " + name);
}

}  // namespace

Hdf5Builder::Hdf5Builder() : file_(create_in_memory()) {
  if (file_ < 0) throw FileError("HDF5: cannot create a file in memory");
}

Hdf5Builder::~Hdf5Builder() { H5Fclose(file_); }

void Hdf5Builder::group(const std::string& path) {
  const Handle creation(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "a property list");
  require(H5Pset_create_intermediate_group(creation, 1), "create groups");
  const Handle group(H5Gcreate2(file_, path.c_str(), creation, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
                     "group " + path);
}

void Hdf5Builder::dataset(const std::string& path, ElementType type, const std::vector<size_t>& shape,
                          const void* data, bool compress) {
  const std::vector<hsize_t> extent(shape.begin(), shape.end());
  const bool empty = std::find(extent.begin(), extent.end(), hsize_t{0}) != extent.end();
  const Handle space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose,
                     path);
  const Handle storage(undated_storage(), H5Pclose, "a property list");
  if (compress && !empty) {
    std::vector<hsize_t> chunk = extent;
    chunk[0] = std::min<hsize_t>(chunk[0], 1 << 16);
    require(H5Pset_chunk(storage, static_cast<int>(chunk.size()), chunk.data()), "set chunks");
    require(H5Pset_shuffle(storage), "set the shuffle filter");
    require(H5Pset_deflate(storage, 1), "set compression");
  }
  const TypeNames& names = names_of(type);
  write_dataset(file_, path, names.file, names.memory, space, storage, empty ? nullptr : data);
}

void Hdf5Builder::texts(const std::string& path, const std::vector<std::string>& values) {
  std::vector<const char*> pointers;
  for (const std::string& value : values) pointers.push_back(value.c_str());
  const hsize_t count = values.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, path);
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "a string type");
  require(H5Tset_size(type, H5T_VARIABLE), "set a string's length");
  write_dataset(file_, path, type, type, space, Handle(undated_storage(), H5Pclose, "a property list"),
                pointers.data());
}

void Hdf5Builder::attribute(const std::string& group, const std::string& name,
                            const std::vector<std::int64_t>& values) {
  const hsize_t count = values.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, name);
  write_attribute(file_, group, name, H5T_NATIVE_INT64, space, values.data());
}

void Hdf5Builder::attribute(const std::string& group, const std::string& name, double value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, name);
  write_attribute(file_, group, name, H5T_NATIVE_DOUBLE, space, &value);
}

void Hdf5Builder::attribute(const std::string& group, const std::string& name, const std::string& value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, name);
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "a string type");
  require(H5Tset_size(type, std::max<size_t>(value.size(), 1)), "set a string's length");
  write_attribute(file_, group, name, type, space, value.data());
}

std::vector<char> Hdf5Builder::finish() {
  require(H5Fflush(file_, H5F_SCOPE_GLOBAL), "complete a file");
  const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
  if (size < 0) throw FileError("HDF5: cannot complete a file");
  std::vector<char> image(static_cast<size_t>(size));
  if (H5Fget_file_image(file_, image.data(), image.size()) != size)
    throw FileError("HDF5: cannot copy a file");
  return image;
}

}  // namespace merganser
