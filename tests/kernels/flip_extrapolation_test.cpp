/// Layers of faces beyond the known ones against a reference that makes one layer after the other.
#include <gtest/gtest.h>

#include <algorithm>

#include "solvers/methods/flip/projection.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace flip_extrapolation_test {

/// One layer more: the mean of known neighbors.
void add_layer(const FlipGrid& grid, std::vector<float>& value, std::vector<signed char>& known) {
  const std::vector<float> value_before = value;
  const std::vector<signed char> known_before = known;
  for (int z = 1; z <= grid.cells.z; ++z)
    for (int y = 1; y <= grid.cells.y; ++y)
      for (int x = 1; x <= grid.cells.x; ++x) {
        const size_t f = size_t(grid.flat(x, y, z));
        if (known_before[f]) continue;
        float sum = 0;
        int count = 0;
        for (int axis = 0; axis < 3; ++axis)
          for (int step : {-grid.stride(axis), grid.stride(axis)})
            if (known_before[f + size_t(step)]) sum += value_before[f + size_t(step)], ++count;
        if (count == 0) continue;
        value[f] = sum / float(count);
        known[f] = 1;
      }
}

/// Two and four layers around a few known faces; a face that stays unknown keeps its value.
TEST(FlipExtrapolation, LayersAreMeansOfTheLayersBefore) {
  FlipGrid grid;
  grid.cells = {13, 9, 10};
  grid.box = RedBlackBox(grid.cells);
  const int count = grid.box.count();
  std::vector<float> value(size_t(count), 99.0f);
  std::vector<signed char> known(size_t(count), 0);
  const std::vector<int> draw = random_ints(count, 0, 99);
  for (int z = 1; z <= grid.cells.z; ++z)
    for (int y = 1; y <= grid.cells.y; ++y)
      for (int x = 1; x <= grid.cells.x; ++x) {
        const size_t f = size_t(grid.flat(x, y, z));
        if (draw[f] > 1) continue;
        known[f] = 1;
        value[f] = uniform_float(test_bits(int(f), 1).word[0]);
      }
  Array<float> values(value);
  Array<signed char> flags(known), between(count);
  const auto faces = [](const std::vector<signed char>& flag) {
    return std::count_if(flag.begin(), flag.end(), [](signed char f) { return f != 0; });
  };
  const auto at_first = faces(known);
  for (int layers = 2; layers <= 4; layers += 2) {
    extrapolate_two_layers(grid, values, flags, between);
    add_layer(grid, value, known);
    add_layer(grid, value, known);
    EXPECT_EQ(values.to_host(), value);
    EXPECT_EQ(flags.to_host(), known);
    EXPECT_GT(faces(known), layers * 3 * at_first);
    if (layers == 2) {
      EXPECT_LT(faces(known), grid.cells.x * grid.cells.y * grid.cells.z);
    }
  }
}

}  // namespace flip_extrapolation_test
MERGANSER_END
