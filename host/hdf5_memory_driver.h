#pragma once
/// HDF5's way to bytes in memory, for reading. The library's own driver for that copies the bytes twice and
/// passes them through a cache of metadata that a damaged address makes it read and write beyond
/// (H5F__accum_read of HDF5 1.10.8); this one does neither.
#include <cstdint>
#include <string_view>

namespace merganser {

/// Opens the image read-only; the bytes must outlive the file. Returns an HDF5 file identifier, negative
/// where HDF5 refuses the image.
std::int64_t open_hdf5_image(std::string_view image);

}  // namespace merganser
