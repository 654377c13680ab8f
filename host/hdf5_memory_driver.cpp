#include "host/hdf5_memory_driver.h"

#include <hdf5.h>

#include <cstring>
#include <new>

namespace merganser {
namespace {

/// An open image; `base` comes first, for HDF5 knows no more of it. All functions are called by C code: none
/// throws.
struct MemoryFile {
  H5FD_t base;
  std::string_view image;
  haddr_t end_of_use;
};

const MemoryFile* of(const H5FD_t* file) { return reinterpret_cast<const MemoryFile*>(file); }
MemoryFile* of(H5FD_t* file) { return reinterpret_cast<MemoryFile*>(file); }

H5FD_t* open(const char*, unsigned, hid_t access, haddr_t) noexcept {
  const auto* image = static_cast<const std::string_view*>(H5Pget_driver_info(access));
  if (!image) return nullptr;
  MemoryFile* file = new (std::nothrow) MemoryFile{{}, *image, 0};
  return file ? &file->base : nullptr;
}
herr_t close(H5FD_t* file) noexcept {
  delete of(file);
  return 0;
}
/// No features: no cache of metadata, no buffer for small reads.
herr_t query(const H5FD_t*, unsigned long* flags) noexcept {
  *flags = 0;
  return 0;
}
haddr_t end_of_use(const H5FD_t* file, H5FD_mem_t) noexcept { return of(file)->end_of_use; }
herr_t set_end_of_use(H5FD_t* file, H5FD_mem_t, haddr_t end) noexcept {
  of(file)->end_of_use = end;
  return 0;
}
haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) noexcept { return of(file)->image.size(); }
herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, size_t size, void* buffer) noexcept {
  const std::string_view image = of(file)->image;
  if (at > image.size() || size > image.size() - at) return -1;
  std::memcpy(buffer, image.data() + at, size);
  return 0;
}
herr_t write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, size_t, const void*) noexcept { return -1; }

hid_t register_driver() {
  static H5FD_class_t driver{};
  driver.name = "merganser_memory";
  driver.maxaddr = ~haddr_t{0} >> 1;
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(std::string_view);
  driver.open = open;
  driver.close = close;
  driver.query = query;
  driver.get_eoa = end_of_use;
  driver.set_eoa = set_end_of_use;
  driver.get_eof = end_of_file;
  driver.read = read;
  driver.write = write;
  for (H5FD_mem_t& kind : driver.fl_map) kind = H5FD_MEM_DEFAULT;
  return H5FDregister(&driver);
}

}  // namespace

std::int64_t open_hdf5_image(std::string_view image) {
  static const hid_t driver = register_driver();
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  hid_t file = -1;
  if (access >= 0 && H5Pset_driver(access, driver, &image) >= 0)
    file = H5Fopen("in memory", H5F_ACC_RDONLY, access);
  H5Pclose(access);
  return file;
}

}  // namespace merganser
