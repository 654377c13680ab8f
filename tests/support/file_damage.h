#pragma once
/// Damage to a file's bytes, drawn from a seed: flipped bits, overwritten, moved, lost and added pieces.
#include <algorithm>
#include <random>
#include <string>

namespace merganser::test {

class FileDamage {
 public:
  explicit FileDamage(unsigned seed) : engine_(seed) {}
  /// A damaged copy; `other` is a second file, of which pieces may get into the first. The first `spared`
  /// bytes stay as they are.
  std::string damage(const std::string& good, const std::string& other, size_t spared = 0) {
    std::string bad = good;
    for (size_t count = 1 + below(3); count > 0; --count) damage_once(bad, other, spared);
    return bad;
  }
  size_t below(size_t end) {
    return end == 0 ? 0 : std::uniform_int_distribution<size_t>(0, end - 1)(engine_);
  }

 private:
  void damage_once(std::string& bytes, const std::string& other, size_t spared) {
    if (bytes.size() <= spared + 1) return;
    const size_t at = spared + below(bytes.size() - spared);
    const size_t length = std::min(size_t{1} << below(9), bytes.size() - at);
    switch (below(8)) {
      case 0:
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 2:
        bytes[at] = static_cast<char>(below(256));
        break;
      case 3:
        std::fill_n(bytes.begin() + long(at), length, below(2) ? '\0' : '\xff');
        break;
      case 4:
        for (size_t k = 0; k < std::min<size_t>(length, 8); ++k)
          bytes[at + k] = static_cast<char>(below(256));
        break;
      case 5:  // a piece of the other file, or of another place
      {
        const std::string& source = below(2) ? other : bytes;
        bytes.replace(at, length, source.substr(below(source.size()), length));
        break;
      }
      case 6:
        bytes.resize(at);
        break;
      default:
        bytes.insert(at, length, static_cast<char>(below(256)));
    }
  }
  std::mt19937_64 engine_;
};

}  // namespace merganser::test
