/// HDF5 files that Hdf5Builder does not write: all of it that a reader must refuse before it allocates or
/// follows anything.
#include <gtest/gtest.h>

#include <functional>

#include "host/files/hdf5_handles.h"
#include "host/files/hdf5_image.h"

namespace merganser {
namespace foreign_hdf5_test {

/// The bytes of a file with a group "g", which `fill` fills by HDF5's own functions.
std::string file_with(const std::function<void(hid_t)>& fill) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "access");
  require(H5Pset_fapl_core(access, size_t{1} << 16, false), "core");
  const Handle file(H5Fcreate("foreign", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, "file");
  {
    const Handle group(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "group");
    fill(group);
  }
  require(H5Fflush(file, H5F_SCOPE_GLOBAL), "flush");
  std::string bytes(static_cast<size_t>(H5Fget_file_image(file, nullptr, 0)), '\0');
  H5Fget_file_image(file, bytes.data(), bytes.size());
  return bytes;
}

Handle space_of(const std::vector<hsize_t>& extent) {
  return Handle(H5Screate_simple(int(extent.size()), extent.data(), nullptr), H5Sclose, "space");
}
void create(hid_t group, hid_t type, const std::vector<hsize_t>& extent, hid_t storage = H5P_DEFAULT) {
  const Handle set(H5Dcreate2(group, "x", type, space_of(extent), H5P_DEFAULT, storage, H5P_DEFAULT),
                   H5Dclose, "data set");
}
void create_stored(hid_t group, const std::vector<hsize_t>& extent,
                   const std::function<void(hid_t)>& set_storage) {
  const Handle storage(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "storage");
  set_storage(storage);
  create(group, H5T_IEEE_F32LE, extent, storage);
}

std::string message_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}
/// What both ways to read say of the data set g/x.
void expect_refused(const std::string& words, const std::function<void(hid_t)>& fill) {
  const std::string bytes = file_with(fill);
  const Hdf5Reader reader(bytes);
  const std::string one = message_of([&] { reader.dataset("g/x", ElementType::float32); });
  EXPECT_NE(one.find(words), one.npos) << "dataset: " << one;
  const std::string all = message_of([&] { reader.datasets("g"); });
  EXPECT_NE(all.find(words), all.npos) << "datasets: " << all;
}

TEST(ForeignHdf5, LengthsBeyondTheFileAreRefused) {
  const hsize_t huge = hsize_t{1} << 62;
  expect_refused("longer than the file", [&](hid_t g) { create(g, H5T_IEEE_F32LE, {1000}); });  // not stored
  expect_refused("longer than the file", [&](hid_t g) { create(g, H5T_IEEE_F32LE, {hsize_t{1} << 40}); });
  const auto chunks_of_ten = [](hid_t storage) {
    const hsize_t chunk = 10;
    require(H5Pset_chunk(storage, 1, &chunk), "chunk");
  };
  expect_refused("longer than the file", [&](hid_t g) { create_stored(g, {huge / 4}, chunks_of_ten); });
}

TEST(ForeignHdf5, LinksToElsewhereAreRefused) {
  expect_refused("link to another place or file",
                 [](hid_t g) { H5Lcreate_soft("/g", g, "x", H5P_DEFAULT, H5P_DEFAULT); });
  expect_refused("link to another place or file",
                 [](hid_t g) { H5Lcreate_external("/dev/zero", "/x", g, "x", H5P_DEFAULT, H5P_DEFAULT); });
  expect_refused("not kept in this file", [](hid_t g) {
    create_stored(g, {10}, [](hid_t storage) { H5Pset_external(storage, "/dev/zero", 0, 40); });
  });
  expect_refused("not kept in this file", [](hid_t g) {
    create_stored(g, {10}, [](hid_t storage) {
      H5Pset_virtual(storage, space_of({10}), "other.h5", "x", space_of({10}));
    });
  });
}

TEST(ForeignHdf5, OtherTypesShapesAndFiltersAreRefused) {
  expect_refused("unknown type", [](hid_t g) { create(g, H5T_C_S1, {4}); });
  expect_refused("unknown type", [](hid_t g) { create(g, H5T_IEEE_F32BE, {4}); });
  expect_refused("neither a list nor a table", [](hid_t g) { create(g, H5T_IEEE_F32LE, {1, 1, 1}); });
  expect_refused("unknown filter", [](hid_t g) {
    create_stored(g, {10}, [](hid_t storage) {
      const hsize_t chunk = 10;
      H5Pset_chunk(storage, 1, &chunk);
      H5Pset_fletcher32(storage);
      H5Pset_alloc_time(storage, H5D_ALLOC_TIME_EARLY);
    });
  });
  Hdf5Builder builder;
  const std::vector<float> values(12);
  builder.dataset("x", ElementType::float32, {4, 3}, values.data());
  const std::vector<char> bytes = builder.finish();
  const Hdf5Reader reader({bytes.data(), bytes.size()});
  EXPECT_EQ(reader.dataset("x", ElementType::float32, 3).size(), 48u);
  EXPECT_THROW(reader.dataset("x", ElementType::float32), FileError);
  EXPECT_THROW(reader.dataset("x", ElementType::float32, 4), FileError);
  EXPECT_THROW(reader.dataset("x", ElementType::int32, 3), FileError);
  EXPECT_THROW(reader.dataset("y", ElementType::float32), FileError);
  EXPECT_THROW(reader.dataset("x/y", ElementType::float32), FileError);
}

TEST(ForeignHdf5, GroupsWithinThemselvesEnd) {
  const std::string cycle = file_with([](hid_t g) {
    H5Lcreate_hard(g, ".", g, "again", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(g, ".", g, "and_again", H5P_DEFAULT, H5P_DEFAULT);
  });
  EXPECT_THROW(Hdf5Reader(cycle).datasets("g"), FileError);
  Hdf5Builder builder;
  std::string path = "g";
  for (int depth = 0; depth < 500; ++depth) path += "/g";
  builder.group(path);
  const std::vector<char> deep = builder.finish();
  EXPECT_THROW(Hdf5Reader({deep.data(), deep.size()}).datasets("g"), FileError);
}

TEST(ForeignHdf5, AttributesOfAnotherTypeAreRefused) {
  Hdf5Builder builder;
  builder.attribute("/", "text", std::string(100, 'a'));
  builder.attribute("/", "number", 1.5);
  builder.attribute("/", "numbers", std::vector<std::int64_t>{1, 2, 3});
  const std::vector<char> bytes = builder.finish();
  const Hdf5Reader reader({bytes.data(), bytes.size()});
  EXPECT_THROW(reader.integer_attribute("numbers"), FileError);
  EXPECT_THROW(reader.real_attribute("numbers"), FileError);
  EXPECT_THROW(reader.real_attribute("text"), FileError);
  EXPECT_THROW(reader.integer_attribute("number"), FileError);
  EXPECT_THROW(reader.text_attribute("number"), FileError);
  EXPECT_THROW(reader.text_attribute("none"), FileError);
}

}  // namespace foreign_hdf5_test
}  // namespace merganser
