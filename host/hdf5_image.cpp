#include "host/hdf5_image.h"

#include <hdf5.h>

#include <algorithm>

namespace merganser {
namespace {

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

void require(herr_t status, const std::string& what) {
  if (status < 0) throw FileError("HDF5: cannot " + what);
}

struct TypeNames {
  ElementType type;
  hid_t file, memory;
};
const std::vector<TypeNames>& type_table() {
  static const std::vector<TypeNames> table{{ElementType::float32, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT},
                                            {ElementType::float64, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE},
                                            {ElementType::int8, H5T_STD_I8LE, H5T_NATIVE_INT8},
                                            {ElementType::int32, H5T_STD_I32LE, H5T_NATIVE_INT32},
                                            {ElementType::int64, H5T_STD_I64LE, H5T_NATIVE_INT64}};
  return table;
}
const TypeNames& names_of(ElementType type) {
  return *std::find_if(type_table().begin(), type_table().end(),
                       [&](const TypeNames& t) { return t.type == type; });
}

/// Opens an image, or creates an empty file where there is none.
hid_t open_in_memory(const std::string_view* image) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are reported once, by the exceptions of this file
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "a property list");
  require(H5Pset_fapl_core(access, size_t{1} << 22, false), "keep a file in memory");
  if (!image) return H5Fcreate("in memory", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  require(H5Pset_file_image(access, const_cast<char*>(image->data()), image->size()), "read a file image");
  return H5Fopen("in memory", H5F_ACC_RDONLY, access);
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

Hdf5Builder::Hdf5Builder() : file_(open_in_memory(nullptr)) {
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
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "a property list");
  require(H5Pset_create_intermediate_group(links, 1), "create groups");
  const Handle storage(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "a property list");
  require(H5Pset_obj_track_times(storage, false), "leave out the date");  // equal data, equal bytes
  if (compress && !empty) {
    std::vector<hsize_t> chunk = extent;
    chunk[0] = std::min<hsize_t>(chunk[0], 1 << 16);
    require(H5Pset_chunk(storage, static_cast<int>(chunk.size()), chunk.data()), "set chunks");
    require(H5Pset_shuffle(storage), "set the shuffle filter");
    require(H5Pset_deflate(storage, 1), "set compression");
  }
  const TypeNames& names = names_of(type);
  const Handle set(H5Dcreate2(file_, path.c_str(), names.file, space, links, storage, H5P_DEFAULT), H5Dclose,
                   "data set " + path);
  if (!empty)
    require(H5Dwrite(set, names.memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "write data set " + path);
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

Hdf5Reader::Hdf5Reader(std::string_view image) : file_(open_in_memory(&image)) {
  if (file_ < 0) throw FileError("HDF5: not an HDF5 file");
}

Hdf5Reader::~Hdf5Reader() { H5Fclose(file_); }

std::int64_t Hdf5Reader::integer_attribute(const std::string& name) const {
  std::int64_t value = 0;
  const Handle attribute(H5Aopen(file_, name.c_str(), H5P_DEFAULT), H5Aclose, "attribute " + name);
  const Handle space(H5Aget_space(attribute), H5Sclose, name);
  if (H5Sget_simple_extent_npoints(space) != 1)
    throw FileError("HDF5: attribute " + name + " is not one number");
  require(H5Aread(attribute, H5T_NATIVE_INT64, &value), "read attribute " + name);
  return value;
}

double Hdf5Reader::real_attribute(const std::string& name) const {
  double value = 0;
  const Handle attribute(H5Aopen(file_, name.c_str(), H5P_DEFAULT), H5Aclose, "attribute " + name);
  require(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value), "read attribute " + name);
  return value;
}

std::string Hdf5Reader::text_attribute(const std::string& name) const {
  const Handle attribute(H5Aopen(file_, name.c_str(), H5P_DEFAULT), H5Aclose, "attribute " + name);
  const Handle type(H5Aget_type(attribute), H5Tclose, name);
  std::string value(H5Tget_size(type), '\0');
  require(H5Aread(attribute, type, value.data()), "read attribute " + name);
  return value;
}

bool Hdf5Reader::holds(const std::string& group) const {
  for (size_t end = group.find('/'); end != group.npos; end = group.find('/', end + 1))
    if (H5Lexists(file_, group.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
  return H5Lexists(file_, group.c_str(), H5P_DEFAULT) > 0;
}

std::vector<NamedArray> Hdf5Reader::datasets(const std::string& group) const {
  const Handle root(H5Gopen2(file_, group.c_str(), H5P_DEFAULT), H5Gclose, "group " + group);
  std::vector<std::string> paths;
  const auto collect = [](hid_t parent, const char* path, const H5L_info_t*, void* found) -> herr_t {
    const Handle object(H5Oopen(parent, path, H5P_DEFAULT), H5Oclose, path);
    if (H5Iget_type(object) == H5I_DATASET) static_cast<std::vector<std::string>*>(found)->push_back(path);
    return 0;
  };
  require(H5Lvisit(root, H5_INDEX_NAME, H5_ITER_INC, collect, &paths), "list group " + group);
  std::vector<NamedArray> arrays;
  for (const std::string& path : paths) {
    const Handle set(H5Dopen2(root, path.c_str(), H5P_DEFAULT), H5Dclose, "data set " + path);
    const Handle type(H5Dget_type(set), H5Tclose, path);
    const Handle space(H5Dget_space(set), H5Sclose, path);
    const auto known = std::find_if(type_table().begin(), type_table().end(),
                                    [&](const TypeNames& t) { return H5Tequal(t.file, type) > 0; });
    if (known == type_table().end()) throw FileError("HDF5: data set " + path + " has an unknown type");
    const size_t count = static_cast<size_t>(H5Sget_simple_extent_npoints(space));
    NamedArray array{path, known->type, std::vector<char>(count * H5Tget_size(type))};
    if (count > 0)
      require(H5Dread(set, known->memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.bytes.data()),
              "read data set " + path);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace merganser
