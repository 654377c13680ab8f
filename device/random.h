#pragma once
/// Counter-based random numbers: every draw is a pure function of (seed, purpose, particle, step), so it
/// depends neither on the order of threads nor on what was drawn before. Generator: Philox 4x32-10, Salmon,
/// Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, SC 2011.
#include <cstdint>

#include "device/backend.h"

MERGANSER_BEGIN

/// The one list of what is drawn; two purposes never share draws.
enum class RandomPurpose : std::uint32_t {
  group_limit = 1,       ///< size limit of a merge group
  pair_priority = 2,     ///< order in which colliding pairs are merged
  jitter = 3,            ///< offsets of initial positions
  test = 4,              ///< random cases in tests
  critical_stretch = 5,  ///< of a bond; the smaller id is the particle, the larger the step
  reseeding = 6,         ///< exchanges between cells of a FLIP fluid, and places in them
};

struct RandomBits {
  std::uint32_t word[4];
};

MERGANSER_FN void philox_round(RandomBits& c, std::uint32_t k0, std::uint32_t k1) {
  const std::uint64_t a = 0xD2511F53ull * c.word[0], b = 0xCD9E8D57ull * c.word[2];
  c = {{static_cast<std::uint32_t>(b >> 32) ^ c.word[1] ^ k0, static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ c.word[3] ^ k1, static_cast<std::uint32_t>(a)}};
}

/// 128 random bits of a key and a counter.
MERGANSER_FN RandomBits random_bits(std::uint32_t key0, std::uint32_t key1, RandomBits counter) {
  for (int round = 0; round < 10; ++round) {
    philox_round(counter, key0, key1);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

/// 128 bits for (seed, purpose, particle id, step); `extra` tells apart several draws of one particle in one
/// step.
MERGANSER_FN RandomBits random_draw(std::uint32_t seed, RandomPurpose purpose, std::uint32_t particle,
                                    std::uint64_t step, std::uint32_t extra = 0) {
  return random_bits(
      seed, static_cast<std::uint32_t>(purpose),
      {{particle, static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32), extra}});
}

/// Uniform in [0, 1), 24 bits.
MERGANSER_FN float uniform_float(std::uint32_t bits) {
  return static_cast<float>(bits >> 8) * (1.0f / 16777216.0f);
}

/// Uniform integer in [low, high], both ends included.
MERGANSER_FN int uniform_int(std::uint32_t bits, int low, int high) {
  const std::uint64_t range = static_cast<std::uint64_t>(static_cast<std::int64_t>(high) - low + 1);
  return static_cast<int>(low + static_cast<std::int64_t>((static_cast<std::uint64_t>(bits) * range) >> 32));
}

MERGANSER_END
