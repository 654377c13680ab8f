#pragma once
/// Boxes around positions.
#include "device/results.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

/// Corners of the box around particles; around none, low lies above high.
struct Bounds {
  Vec3 low{3e38f, 3e38f, 3e38f}, high{-3e38f, -3e38f, -3e38f};
};

/// The box around both.
MERGANSER_FN Bounds joined(const Bounds& a, const Bounds& b) {
  // No fminf, fmaxf: library calls on the CPU.
  const auto least = [](float x, float y) { return x < y ? x : y; };
  const auto most = [](float x, float y) { return x > y ? x : y; };
  return {{least(a.low.x, b.low.x), least(a.low.y, b.low.y), least(a.low.z, b.low.z)},
          {most(a.high.x, b.high.x), most(a.high.y, b.high.y), most(a.high.z, b.high.z)}};
}

/// The box around all finite positions, for a Reduction.
struct PositionBounds {
  static constexpr const char* name = "position bounds";
  using Value = Bounds;
  View<const Vec3> position;  ///< [m]
  MERGANSER_METHOD Bounds operator()(int i) const {
    const Vec3 x = position[i];
    return is_finite(x) ? Bounds{x, x} : Bounds{};
  }
  MERGANSER_METHOD static Bounds identity() { return {}; }
  MERGANSER_METHOD static Bounds combine(const Bounds& a, const Bounds& b) { return joined(a, b); }
};

/// State of the host's box around the particles: known from the end of the last step, and what came after.
class BoundsKnowledge {
 public:
  /// They were measured, and stay where they are.
  void measured() {
    known_ = true;
    added_ = {};
  }
  /// They have moved.
  void forget() { known_ = false; }
  /// Others came, within a box.
  void add(const Bounds& box) { added_ = joined(added_, box); }
  explicit operator bool() const { return known_; }
  /// The box now, from the one that was measured.
  Bounds now(const Bounds& measured) const { return joined(measured, added_); }

 private:
  bool known_ = false;
  Bounds added_;
};

MERGANSER_END
