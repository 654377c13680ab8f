#include "device/launch_order.h"

#include <atomic>
#include <charconv>
#include <cstdlib>

#include "device/errors.h"

MERGANSER_BEGIN

namespace {
std::atomic<unsigned long long> launches{0};

unsigned mixed(unsigned long long x) {  // the finalizer of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return static_cast<unsigned>((x ^ (x >> 31)) >> 16);
}
}  // namespace

IndexOrder::Setting IndexOrder::parse(const std::string& words, const std::string& where) {
  if (words == "ascending") return {Kind::ascending, 0};
  if (words == "reversed") return {Kind::reversed, 0};
  const std::string shuffled = "shuffled:";
  if (words.rfind(shuffled, 0) == 0) {
    unsigned long long seed = 0;
    const char *begin = words.data() + shuffled.size(), *end = words.data() + words.size();
    const auto read = std::from_chars(begin, end, seed);
    if (read.ec == std::errc() && read.ptr == end) return {Kind::shuffled, seed};
  }
  throw InputError(where + words +
                   ": allowed are ascending, reversed and shuffled:SEED with an integer SEED");
}

IndexOrder::Setting& IndexOrder::setting() {
  static Setting chosen = [] {
    const char* words = std::getenv("MERGANSER_LAUNCH_ORDER");
    return parse(words ? words : "ascending", "MERGANSER_LAUNCH_ORDER=");
  }();
  return chosen;
}

void set_launch_order(const std::string& order) {
  IndexOrder::setting() = IndexOrder::parse(order, "launch order ");
}

IndexOrder::IndexOrder(int count) : kind_(setting().kind), count_(count) {
  if (kind_ != Kind::shuffled) return;
  while (1ll << (2 * half_bits_) < count) ++half_bits_;
  key_ = (setting().seed + 1) * 0x9e3779b97f4a7c15ull + 0x632be59bd9b4e019ull * ++launches;
}

/// A Feistel network over numbers of twice half_bits_ bits is a permutation of them; applied again until the
/// number lies below the count it is one of [0, count).
int IndexOrder::shuffled(int k) const {
  const unsigned mask = (1u << half_bits_) - 1;
  unsigned long long x = static_cast<unsigned>(k);
  do {
    unsigned high = static_cast<unsigned>(x >> half_bits_), low = static_cast<unsigned>(x) & mask;
    for (unsigned round = 0; round < 4; ++round) {
      const unsigned next =
          high ^ (mixed(key_ + low + (static_cast<unsigned long long>(round) << 32)) & mask);
      high = low;
      low = next;
    }
    x = static_cast<unsigned long long>(high) << half_bits_ | low;
  } while (x >= static_cast<unsigned long long>(count_));
  return static_cast<int>(x);
}

MERGANSER_END
