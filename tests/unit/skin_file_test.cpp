/// skins.h5: what was written is read, and damage is named.
#include <gtest/gtest.h>

#include <cmath>

#include "device/errors.h"
#include "host/output/skin_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/unit_cube.h"

namespace merganser {
namespace skin_file_test {

SkinRecord example() {
  SkinRecord record{.spacing = 0.25, .bodies = {}};
  record.bodies.push_back({2, 1, {SkinMotion::breaking, 0.25f}, 70, {{1, 2, 3}, {4, 5, 6}}, test::cube()});
  record.bodies.push_back({5, 3, {SkinMotion::rigid}, 99, {{-1, 0, 1}}, test::cube()});
  record.bodies[1].surface.triangles.pop_back();
  return record;
}

std::string message_of(const std::filesystem::path& file) {
  try {
    read_skin_file(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SkinFile, IsReadAsItWasWritten) {
  const test::TemporaryFolder folder;
  const SkinRecord written = example();
  write_skin_file(folder / "skins.h5", written);
  const SkinRecord read = read_skin_file(folder / "skins.h5");
  EXPECT_EQ(read.spacing, written.spacing);
  ASSERT_EQ(read.bodies.size(), 2u);
  for (size_t b = 0; b < 2; ++b) {
    const SkinBody &x = read.bodies[b], &y = written.bodies[b];
    EXPECT_EQ(x.body, y.body);
    EXPECT_EQ(x.system, y.system);
    EXPECT_EQ(x.binding.motion, y.binding.motion);
    EXPECT_EQ(x.binding.most_stretch, y.binding.most_stretch);
    EXPECT_EQ(x.first_id, y.first_id);
    EXPECT_EQ(x.rest, y.rest);
    EXPECT_EQ(x.surface, y.surface);
  }
  write_skin_file(folder / "again.h5", written);
  EXPECT_EQ(test::text_of(folder / "again.h5"), test::text_of(folder / "skins.h5"));
}

TEST(SkinFile, DamageIsNamed) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder / "skins.h5";
  write_skin_file(file, example());
  const std::string good = test::text_of(file);
  for (const size_t at : {size_t{3}, size_t{30}, size_t{600}, good.size() / 2, good.size() - 1}) {
    std::string bad = good;
    bad[at] = char(bad[at] ^ 4);
    test::write_text(file, bad);
    EXPECT_NE(message_of(file).find("skins.h5' is not a whole file"), std::string::npos) << at;
    test::write_text(file, good.substr(0, at));
    EXPECT_NE(message_of(file).find("skins.h5' is not a whole file"), std::string::npos) << at;
  }
  // A sound checksum over content that does not fit together.
  const auto expect_refused = [&](const auto& spoil) {
    SkinRecord record = example();
    spoil(record);
    write_skin_file(file, record);
    EXPECT_NE(message_of(file).find("skins.h5' is not a whole file"), std::string::npos);
  };
  expect_refused([](SkinRecord& r) { r.bodies[0].surface.triangles[3][1] = 8; });
  expect_refused([](SkinRecord& r) { r.bodies[0].surface.triangles[3][1] = -1; });
  expect_refused([](SkinRecord& r) { r.bodies[1].rest[0][2] = NAN; });
  expect_refused([](SkinRecord& r) { r.bodies[1].first_id = -1; });
  expect_refused([](SkinRecord& r) { r.bodies[1].binding.motion = SkinMotion(int(SkinMotion::sheet) + 1); });
  expect_refused([](SkinRecord& r) { r.bodies[1].binding.most_stretch = NAN; });
  expect_refused([](SkinRecord& r) { r.bodies[1].rest.clear(); });
  expect_refused([](SkinRecord& r) { r.spacing = 0; });
  std::filesystem::remove(file);
  EXPECT_THROW(read_skin_file(file), FileError);
}

}  // namespace skin_file_test
}  // namespace merganser
