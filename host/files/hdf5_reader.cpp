#include <algorithm>

#include "host/files/hdf5_handles.h"
#include "host/files/hdf5_image.h"

namespace merganser {
namespace {

/// The image without a user block of 512 bytes, so that addresses count from its beginning.
std::string_view without_user_block(std::string_view file) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  for (const size_t front : {size_t{0}, size_t{512}})
    if (file.size() > front && file.substr(front).starts_with(signature)) return file.substr(front);
  throw FileError("HDF5: not an HDF5 file");
}

hid_t open_in_memory(std::string_view image) {
  silence_hdf5();
  const Handle access(memory_access(), H5Pclose, "a property list");
  require(H5Pset_file_image(access, const_cast<char*>(image.data()), image.size()), "read a file image");
  return H5Fopen(memory_name().c_str(), H5F_ACC_RDONLY, access);
}

constexpr size_t deepest = 32;            // groups within groups
constexpr size_t least_object = 40;       // bytes of a link and of what it leads to, at the very least
constexpr size_t most_by_deflate = 1032;  // a compressed byte stands for no more bytes than this

/// A link of a group. Collected by a callback that HDF5 calls: no exception may pass through its C code.
struct Links {
  std::vector<std::pair<std::string, H5L_type_t>> found;
  size_t most;
  static herr_t collect(hid_t, const char* name, const H5L_info_t* info, void* links) noexcept {
    try {
      Links& all = *static_cast<Links*>(links);
      if (all.found.size() >= all.most) return -1;
      all.found.emplace_back(name, info->type);
      return 0;
    } catch (...) {
      return -1;
    }
  }
};

/// What every link must pass before it is followed: it leads to an object of this file.
void require_hard_link(H5L_type_t type, const std::string& path) {
  if (type != H5L_TYPE_HARD) throw FileError("HDF5: " + path + " is a link to another place or file");
}

/// True where every group on the way is there.
bool reaches(hid_t file, const std::string& path) {
  for (size_t end = path.find('/');; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    const htri_t there = H5Lexists(file, part.c_str(), H5P_DEFAULT);
    require(there, "look up " + part);
    if (there == 0) return false;
    H5L_info_t info;
    require(H5Lget_info(file, part.c_str(), &info, H5P_DEFAULT), "look up " + part);
    require_hard_link(info.type, part);
    if (end == path.npos) return true;
  }
}

/// Throws where a data set is stored in a way that Hdf5Builder does not write. Returns the number of bytes
/// that the stored ones can stand for.
size_t readable_bytes(hid_t storage, const std::vector<hsize_t>& extent, size_t stored,
                      const std::string& path) {
  const H5D_layout_t layout = H5Pget_layout(storage);
  if (layout == H5D_CONTIGUOUS && H5Pget_external_count(storage) == 0) return stored;
  if (layout != H5D_CHUNKED) throw FileError("HDF5: data set " + path + " is not kept in this file");
  std::vector<hsize_t> chunk(extent.size());
  if (H5Pget_chunk(storage, static_cast<int>(chunk.size()), chunk.data()) != static_cast<int>(chunk.size()))
    throw FileError("HDF5: data set " + path + " has chunks of another rank");
  for (size_t k = 0; k < chunk.size(); ++k)
    if (chunk[k] == 0 || chunk[k] > extent[k])
      throw FileError("HDF5: data set " + path + " has chunks larger than itself");
  for (int k = 0; k < H5Pget_nfilters(storage); ++k) {
    unsigned flags = 0, filter_settings = 0;
    size_t values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(storage, unsigned(k), &flags, &values, nullptr, 0, nullptr, &filter_settings);
    if (filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_DEFLATE)
      throw FileError("HDF5: data set " + path + " has an unknown filter");
  }
  return stored * most_by_deflate;
}

/// Reads a data set whose stored bytes are at most `most`; takes them off.
NamedArray read_dataset(hid_t parent, const std::string& path, size_t& most,
                        std::vector<hsize_t>* shape = nullptr) {
  const Handle set(H5Dopen2(parent, path.c_str(), H5P_DEFAULT), H5Dclose, "data set " + path);
  const Handle type(H5Dget_type(set), H5Tclose, path);
  const Handle space(H5Dget_space(set), H5Sclose, path);
  const Handle storage(H5Dget_create_plist(set), H5Pclose, path);
  const auto known = std::find_if(type_table().begin(), type_table().end(),
                                  [&](const TypeNames& t) { return H5Tequal(t.file, type) > 0; });
  if (known == type_table().end()) throw FileError("HDF5: data set " + path + " has an unknown type");
  const int rank = H5Sget_simple_extent_ndims(space);
  if (H5Sget_simple_extent_type(space) != H5S_SIMPLE || rank < 1 || rank > 2)
    throw FileError("HDF5: data set " + path + " is neither a list nor a table");
  std::vector<hsize_t> extent(static_cast<size_t>(rank));
  require(H5Sget_simple_extent_dims(space, extent.data(), nullptr), "measure data set " + path);
  const bool empty = std::find(extent.begin(), extent.end(), hsize_t{0}) != extent.end();
  size_t bytes = empty ? 0 : H5Tget_size(type);
  if (!empty && bytes == 0) throw FileError("HDF5: cannot measure the type of data set " + path);
  if (!empty) {
    const hsize_t stored = H5Dget_storage_size(set);
    size_t readable = 0;
    if (stored <= most) readable = readable_bytes(storage, extent, static_cast<size_t>(stored), path);
    for (const hsize_t length : extent) {
      // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): no extent is 0 here
      if (length > readable / bytes) throw FileError("HDF5: data set " + path + " is longer than the file");
      bytes *= static_cast<size_t>(length);
    }
    most -= static_cast<size_t>(stored);
  }
  NamedArray array{path, known->type, std::vector<char>(bytes)};
  if (bytes > 0)
    require(H5Dread(set, known->memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.bytes.data()),
            "read data set " + path);
  if (shape) *shape = extent;
  return array;
}

/// Everything below a group, depth first.
class Collector {
 public:
  explicit Collector(size_t image_size) : links_left_(image_size / least_object), stored_left_(image_size) {}
  void collect(hid_t group, const std::string& front, size_t depth) {
    if (depth > deepest) throw FileError("HDF5: groups lie too deep within each other");
    Links links{.found = {}, .most = links_left_};
    require(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, Links::collect, &links), "list a group");
    links_left_ -= links.found.size();
    for (const auto& [name, link] : links.found) {
      const std::string path = front + name;
      require_hard_link(link, path);
      const Handle object(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose, path);
      const H5I_type_t type = H5Iget_type(object);
      if (type == H5I_GROUP) {
        collect(object, path + "/", depth + 1);
      } else if (type == H5I_DATASET) {
        arrays.push_back(read_dataset(group, name, stored_left_));
        arrays.back().name = path;
      }
    }
  }
  std::vector<NamedArray> arrays;

 private:
  size_t links_left_, stored_left_;
};

/// Throws where an attribute is not one value of this class, or a text of any length.
void require_one(hid_t attribute, hid_t type, H5T_class_t wanted, const std::string& name) {
  const Handle space(H5Aget_space(attribute), H5Sclose, name);
  if (H5Sget_simple_extent_npoints(space) != 1 || H5Tget_class(type) != wanted ||
      (wanted == H5T_STRING && H5Tis_variable_str(type) != 0))
    throw FileError("HDF5: attribute " + name + " is not one " + (wanted == H5T_STRING ? "text" : "number"));
}

template <class T>
T number_attribute(hid_t file, const std::string& name, H5T_class_t wanted, hid_t memory) {
  T value{};
  const Handle attribute(H5Aopen(file, name.c_str(), H5P_DEFAULT), H5Aclose, "attribute " + name);
  const Handle type(H5Aget_type(attribute), H5Tclose, name);
  require_one(attribute, type, wanted, name);
  require(H5Aread(attribute, memory, &value), "read attribute " + name);
  return value;
}

}  // namespace

Hdf5Reader::Hdf5Reader(std::string_view file)
    : image_(without_user_block(file)), file_(open_in_memory(image_)) {
  if (file_ < 0) throw FileError("HDF5: not a whole HDF5 file");
}

Hdf5Reader::~Hdf5Reader() { H5Fclose(file_); }

std::int64_t Hdf5Reader::integer_attribute(const std::string& name) const {
  return number_attribute<std::int64_t>(file_, name, H5T_INTEGER, H5T_NATIVE_INT64);
}

double Hdf5Reader::real_attribute(const std::string& name) const {
  return number_attribute<double>(file_, name, H5T_FLOAT, H5T_NATIVE_DOUBLE);
}

std::string Hdf5Reader::text_attribute(const std::string& name) const {
  const Handle attribute(H5Aopen(file_, name.c_str(), H5P_DEFAULT), H5Aclose, "attribute " + name);
  const Handle type(H5Aget_type(attribute), H5Tclose, name);
  require_one(attribute, type, H5T_STRING, name);
  const size_t length = H5Tget_size(type);
  if (length > image_.size()) throw FileError("HDF5: attribute " + name + " is longer than the file");
  std::string value(length, '\0');
  require(H5Aread(attribute, type, value.data()), "read attribute " + name);
  return value;
}

bool Hdf5Reader::holds(const std::string& path) const { return reaches(file_, path); }

std::vector<char> Hdf5Reader::dataset(const std::string& path, ElementType type, size_t columns) const {
  if (!reaches(file_, path)) throw FileError("there is no " + path);
  size_t most = image_.size();
  std::vector<hsize_t> shape;
  NamedArray array = read_dataset(file_, path, most, &shape);
  if (array.type != type || shape.size() != (columns > 1 ? 2 : 1) || (columns > 1 && shape[1] != columns))
    throw FileError(path + " has another type or shape");
  return std::move(array.bytes);
}

std::vector<NamedArray> Hdf5Reader::datasets(const std::string& group) const {
  if (!reaches(file_, group)) throw FileError("there is no " + group);
  const Handle root(H5Gopen2(file_, group.c_str(), H5P_DEFAULT), H5Gclose, "group " + group);
  Collector collector(image_.size());
  collector.collect(root, "", 0);
  return std::move(collector.arrays);
}

}  // namespace merganser
