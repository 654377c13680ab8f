#pragma once
/// How the particles of an emitter's layer fill its disc.
#include <cstdint>


namespace merganser {

/// A square lattice of `count` points whose cells fill the disc's area: its spacing is sqrt(pi r^2/count),
/// and layers are as far apart as the rest density asks for, count spacing^3/(pi r^2). So the volume flow of
/// an emitter is pi r^2 v whatever the radius. Of the lattices about a point and about the middle of a cell,
/// and of the numbers of their points, the one is taken that is stretched least.
struct EmitterDisc {
  double lattice = 0;       ///< [m] between neighbors of a layer
  double layer = 0;         ///< [m] between layers
  double offset = 0;        ///< of the points from the disc's centre, both ways, in lattice spacings
  std::int64_t count = 0;   ///< points of a layer; 0: the disc is smaller than a particle
  std::int64_t reach2 = 0;  ///< points are those whose distance, in half spacings, has at most this square

  /// `radius`, `spacing` [m].
  EmitterDisc(double radius, double spacing);
  /// Calls visit(a, b) for the points, their places in the plane [m].
  template <class Visit>
  void for_each(const Visit& visit) const {
    const int even = offset > 0 ? 1 : 0;
    int most = 0;
    while (square(2 * most + even) <= reach2) ++most;
    for (int b = -most; b <= most; ++b)
      for (int a = -most; a <= most; ++a)
        if (square(2 * a + even) + square(2 * b + even) <= reach2)
          visit((a + offset) * lattice, (b + offset) * lattice);
  }

 private:
  static std::int64_t square(std::int64_t k) { return k * k; }
};

}  // namespace merganser
