#pragma once
/// Random test data, the same in every run and on both backends.
#include <vector>

#include "device/random.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

inline RandomBits test_bits(int index, int stream = 0) {
  return random_draw(7, RandomPurpose::test, static_cast<unsigned>(index), 0, static_cast<unsigned>(stream));
}
/// Integers in [low, high].
inline std::vector<int> random_ints(int count, int low, int high, int stream = 0) {
  std::vector<int> values;
  for (int i = 0; i < count; ++i) values.push_back(uniform_int(test_bits(i, stream).word[0], low, high));
  return values;
}
/// In the cube of edge 1 around the origin.
inline Vec3 random_vector(int index, int stream = 0) {
  const RandomBits bits = test_bits(index, stream);
  return {uniform_float(bits.word[0]) - 0.5f, uniform_float(bits.word[1]) - 0.5f,
          uniform_float(bits.word[2]) - 0.5f};
}
/// Points in a cube of edge `size` around the origin.
inline std::vector<Vec3> random_points(int count, float size, int stream = 0) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) points.push_back(size * random_vector(i, stream));
  return points;
}

MERGANSER_END
