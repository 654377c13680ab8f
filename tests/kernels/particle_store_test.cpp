/// The particle store against vectors on the host: every field, ranges, append in the middle, permutation.
#include "device/particle_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "device/timers.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace particle_store_test {

void set_value(Vec3& value, int seed) { value = {seed + 0.25f, seed + 0.5f, -1.0f * seed}; }
void set_value(float& value, int seed) { value = 3.0f * seed; }
void set_value(int& value, int seed) { value = 7 * seed + 1; }

/// Particles whose every field tells the particle and the field.
HostParticles marked_particles(int first, int count) {
  HostParticles particles;
  int field = 0;
#define FIELD(name, type, unit, meaning)                                                           \
  particles.name.resize(size_t(count));                                                            \
  for (int i = 0; i < count; ++i) set_value(particles.name[size_t(i)], 100 * (first + i) + field); \
  ++field;
#include "device/particle_fields.def"
#undef FIELD
  return particles;
}
/// The particles that stand in the store, by their marks.
void expect_particles(const ParticleStore& store, const std::vector<int>& marks) {
  ASSERT_EQ(store.count(), static_cast<int>(marks.size()));
  int field = 0;
#define FIELD(name, type, unit, meaning)                                   \
  {                                                                        \
    const auto values = store.name.to_host();                              \
    ASSERT_EQ(values.size(), marks.size()) << #name;                       \
    for (size_t i = 0; i < marks.size(); ++i) {                            \
      type expected;                                                       \
      set_value(expected, 100 * marks[i] + field);                         \
      ASSERT_TRUE(values[i] == expected) << #name << " of particle " << i; \
    }                                                                      \
    ASSERT_EQ(store.const_view().name.count, store.count());               \
    ++field;                                                               \
  }
#include "device/particle_fields.def"
#undef FIELD
}
std::vector<int> consecutive(int first, int count) {
  std::vector<int> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return values;
}
void append(std::vector<int>& marks, size_t at, const std::vector<int>& more) {
  marks.insert(marks.begin() + static_cast<long>(at), more.begin(), more.end());
}

TEST(ParticleStore, RangesFollowEachOtherWithoutGaps) {
  ParticleStore store;
  EXPECT_EQ(store.add_system(marked_particles(0, 5)), 0);
  EXPECT_EQ(store.add_system({}), 1);
  EXPECT_EQ(store.add_system(marked_particles(5, 3)), 2);
  EXPECT_EQ(store.range(0).end(), 5);
  EXPECT_EQ(store.range(1).first, 5);
  EXPECT_EQ(store.range(1).count, 0);
  EXPECT_EQ(store.range(2).first, 5);
  EXPECT_EQ(store.range(2).end(), 8);
  EXPECT_TRUE(store.range(2).contains(7));
  EXPECT_FALSE(store.range(2).contains(8));
  expect_particles(store, consecutive(0, 8));
}
TEST(ParticleStore, AppendMovesLaterSystemsUp) {
  ParticleStore store;
  store.add_system(marked_particles(0, 100));
  store.add_system({});
  store.add_system(marked_particles(100, 2000));
  std::vector<int> marks = consecutive(0, 2100);
  // Fewer and more than what has to move: old and new place of the tail overlap or not.
  int next = 2100, first_size = 100, second_size = 0;
  for (int n : {1, 7, 3000, 2}) {
    store.append(0, marked_particles(next, n));
    append(marks, size_t(first_size), consecutive(next, n));
    first_size += n;
    next += n;
    store.append(1, marked_particles(next, n));
    append(marks, size_t(first_size + second_size), consecutive(next, n));
    second_size += n;
    next += n;
    ASSERT_EQ(store.range(0).count, first_size);
    ASSERT_EQ(store.range(1).first, first_size);
    ASSERT_EQ(store.range(1).count, second_size);
    ASSERT_EQ(store.range(2).first, first_size + second_size);
    ASSERT_EQ(store.range(2).count, 2000);
    expect_particles(store, marks);
  }
  store.append(1, {});
  expect_particles(store, marks);
}
/// All fields at once, and by passes; systems beside, or none; again, into the arrays that are spare then.
TEST(ParticleStore, PermutesOneSystemOnly) {
  for (const int count : {5000, ParticleStore::most_at_once + 100})
    for (const int beside : {0, 10}) {
      ParticleStore store;
      store.add_system(marked_particles(0, beside));
      store.add_system(marked_particles(beside, count));
      store.add_system(marked_particles(beside + count, beside));
      std::vector<int> order = consecutive(0, count);
      std::sort(order.begin(), order.end(),
                [](int a, int b) { return test_bits(a).word[0] < test_bits(b).word[0]; });
      Array<int> on_device(order);
      std::vector<int> marks = consecutive(0, count + 2 * beside);
      for (int turn = 0; turn < 2; ++turn) {
        store.permute(1, on_device.const_view());
        const std::vector<int> before = marks;
        for (size_t i = 0; i < order.size(); ++i)
          marks[size_t(beside) + i] = before[size_t(beside) + size_t(order[i])];
        expect_particles(store, marks);
      }
    }
}

/// Few passes take less memory: 28 bytes a particle.
TEST(ParticleStore, ManyParticlesHaveThreeSpareArrays) {
  const auto bytes_of_spares = [](int count) {
    ParticleStore store;
    store.add_system(marked_particles(0, count));
    const Array<int> order(consecutive(0, count));
    const size_t before = allocated_bytes();
    store.permute(0, order.const_view());
    return double(allocated_bytes() - before) / count;
  };
  EXPECT_NEAR(bytes_of_spares(ParticleStore::most_at_once), 48, 0.5);
  EXPECT_NEAR(bytes_of_spares(ParticleStore::most_at_once + 1), 20, 0.5);
}
TEST(ParticleStore, KeepsSomeOfOneSystem) {
  for (const auto& [every, count] : {std::pair{2, 5000}, {50, 5000}, {6000, 5000}, {50, 70000}}) {
    // Few and many particles move into a gap that is wide or narrow; all fields at once, and by passes.
    ParticleStore store;
    store.add_system(marked_particles(0, 10));
    store.add_system(marked_particles(10, count));
    store.add_system(marked_particles(10 + count, 700));
    std::vector<int> kept, marks = consecutive(0, 10);
    for (int i = 0; i < count; ++i)
      if (i % every != 1) kept.push_back(i);
    for (int i : kept) marks.push_back(10 + i);
    append(marks, marks.size(), consecutive(10 + count, 700));
    const Array<int> kept_on_device(kept);
    store.keep(1, kept_on_device.const_view());
    expect_particles(store, marks);
    EXPECT_EQ(store.range(1).count, int(kept.size()));
    EXPECT_EQ(store.range(2).first, 10 + int(kept.size()));
  }
}
TEST(ParticleStore, UnequalLengthsAreAnErrorThatLeavesTheStoreAsItWas) {
  ParticleStore store;
  store.add_system(marked_particles(0, 4));
  HostParticles wrong = marked_particles(4, 3);
  wrong.radius.pop_back();
  EXPECT_THROW(store.append(0, wrong), InputError);
  EXPECT_THROW(store.add_system(wrong), InputError);
  EXPECT_EQ(store.system_count(), 1);
  expect_particles(store, consecutive(0, 4));
  Array<int> short_order(std::vector<int>{0, 1});
  EXPECT_THROW(store.permute(0, short_order.const_view()), InputError);
}
TEST(ParticleStore, VisitsEveryFieldByName) {
  ParticleStore store;
  store.add_system(marked_particles(0, 4));
  std::vector<std::string> names;
  store.for_each_field([&](const char* name, auto& array) {
    names.push_back(name);
    EXPECT_EQ(array.size(), 4);
  });
  std::vector<std::string> expected;
#define FIELD(name, type, unit, meaning) expected.push_back(#name);
#include "device/particle_fields.def"
#undef FIELD
  EXPECT_EQ(names, expected);
}
TEST(PermuteArray, FieldsBeyondTheStore) {
  Array<signed char> flags(std::vector<signed char>{1, 2, 3}), spare;
  Array<int> order(std::vector<int>{2, 0, 1});
  permute_array(flags, order.const_view(), spare);
  EXPECT_EQ(flags.to_host(), (std::vector<signed char>{3, 1, 2}));
  permute_array(flags, order.const_view(), spare);
  EXPECT_EQ(flags.to_host(), (std::vector<signed char>{2, 3, 1}));
  Array<int> too_short(std::vector<int>{0, 1});
  EXPECT_THROW(permute_array(flags, too_short.const_view(), spare), InputError);
}
/// One kernel where the system is the whole store, two where it is a part.
TEST(ParticleStore, AllFieldsArePermutedAtOnce) {
  for (int systems : {1, 2}) {
    ParticleStore store;
    for (int s = 0; s < systems; ++s) store.add_system(marked_particles(10 * s, 4));
    Array<int> order(std::vector<int>{3, 1, 0, 2});
    store.permute(0, order.const_view());  // makes the second set of arrays
    const DeviceTraffic before = device_traffic();
    store.permute(0, order.const_view());
    const DeviceTraffic after = device_traffic();
    EXPECT_EQ(after.kernels - before.kernels, systems * MERGANSER_GPU_HALF);
    EXPECT_EQ(after.copies - before.copies, 0);
    std::vector<int> marks = {2, 1, 3, 0};
    if (systems == 2)
      for (int k = 0; k < 4; ++k) marks.push_back(10 + k);
    expect_particles(store, marks);
  }
}

}  // namespace particle_store_test
MERGANSER_END
