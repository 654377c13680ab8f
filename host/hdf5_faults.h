#pragma once
/// Damage that HDF5 1.10.8 does not notice but crashes on, looked for before the library gets there. Layouts:
/// HDF5 File Format Specification 2.0, sections III.D (local heap), IV.A.1.a (object header) and IV.A.2.i
/// (data layout), with offsets and lengths of eight bytes, as files of superblock version 0 have them here.
#include <cstdint>
#include <string_view>

namespace merganser {

/// Throws FileError where a local heap, in which a group keeps names, leaves its own bytes: in its list of
/// free places or by a name without an end.
void check_local_heaps(std::string_view image);
/// Throws FileError where the object header at this address is of another version than Hdf5Builder writes, or
/// says that chunks have no length on some axis, or another rank than their data set.
void check_chunks(std::string_view image, std::uint64_t object_header);

}  // namespace merganser
