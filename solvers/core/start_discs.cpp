#include "solvers/core/start_discs.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "device/errors.h"
#include "solvers/base/parameter_table.h"
#include "solvers/base/to_vec3.h"
#include "solvers/core/estimate.h"
#include "solvers/core/nearest_image.h"
#include "solvers/core/start_period.h"

namespace merganser {

using cpu::Vec3d;

namespace {

Vec3d vector_of(const Point3& p) { return {p[0], p[1], p[2]}; }

/// Points of a square lattice of spacing 1 in a circle of that squared radius.
double lattice_points(long long square) {
  const auto side = static_cast<long long>(std::sqrt(double(square)));
  double count = 0;
  for (long long a = -side; a <= side; ++a)
    count += 2 * std::floor(std::sqrt(double(std::max(0LL, square - a * a)))) + 1;
  return count;
}

/// Least squared radius of a circle with so many points.
long long ring_of(double count) {
  long long low = 0, high = 1;
  while (lattice_points(high) < count) high *= 2;
  while (low < high) {
    const long long middle = (low + high) / 2;
    if (lattice_points(middle) < count)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Whether a lattice point of the ring is nearer than `distance` to the point (x, y).
bool has_place_near(long long ring, double x, double y, double distance) {
  const auto a0 = std::llround(x), b0 = std::llround(y);
  for (long long a = a0 - 1; a <= a0 + 1; ++a)
    for (long long b = b0 - 1; b <= b0 + 1; ++b)
      if (a * a + b * b <= ring && std::hypot(x - double(a), y - double(b)) < distance) return true;
  return false;
}

}  // namespace

bool has_disc(const EmitterParameters& emitter, double spacing) {
  constexpr double most = 2e4;  // spacings of the radius, as a run allows
  return disc_particles(emitter.radius, spacing) > 0 && emitter.radius < most * spacing;
}

double EmitterDisc::reach() const { return spacing * std::sqrt(double(ring)); }

double EmitterDisc::distance_to(const Vec3d& place) const {
  const Vec3d arm = place - centre;
  const double ahead = dot(arm, normal), aside = norm(arm - ahead * normal);
  return std::hypot(ahead, std::max(0.0, aside - reach()));
}

Vec3d EmitterDisc::arm_to(const Float3& place, const Point3& period) const {
  const Vec3d arm = Vec3d{place[0], place[1], place[2]} - centre;
  return to_double(nearest_image(to_float(arm), cpu::to_vec3(period)));
}

bool EmitterDisc::comes_upon(const Vec3d& arm) const {
  constexpr double rounding = 1e-3;
  return distance_to(centre + arm) < (1 - rounding) * spacing;
}

EmitterDisc disc_of(const EmitterParameters& emitter, double spacing) {
  const Vec3d n = normalized_or_zero(vector_of(emitter.direction));
  const Vec3d across = normalized_or_zero(cross(std::abs(n.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0}, n));
  return {.centre = vector_of(emitter.position),
          .normal = n,
          .across = across,
          .up = cross(n, across),
          .spacing = spacing,
          .ring = ring_of(std::ceil(disc_particles(emitter.radius, spacing)))};
}

/// Only places between both centres can be near each other: those in a square about their middle.
bool meets_image(const EmitterDisc& disc, const Vec3d& offset) {
  constexpr double rounding = 1e-3;
  const double x = dot(offset, disc.across) / disc.spacing, y = dot(offset, disc.up) / disc.spacing,
               z = dot(offset, disc.normal) / disc.spacing;
  const double near = (1 - rounding) * (1 - rounding) - z * z, reach = std::sqrt(double(disc.ring)),
               half = 0.5 * std::hypot(x, y);
  if (near <= 0 || half >= reach + 0.5) return false;
  if (half < reach - 1)  // one pair of lattice points is as near as any
    return std::hypot(x - std::round(x), y - std::round(y)) < std::sqrt(near);
  const double square = reach * reach - std::pow(std::max(0.0, half - 1), 2);
  const auto side = static_cast<long long>(std::sqrt(std::max(0.0, square))) + 2;
  const auto a0 = std::llround(0.5 * x), b0 = std::llround(0.5 * y);
  for (long long a = a0 - side; a <= a0 + side; ++a)
    for (long long b = b0 - side; b <= b0 + side; ++b)
      if (a * a + b * b <= disc.ring &&
          has_place_near(disc.ring, double(a) - x, double(b) - y, std::sqrt(near)))
        return true;
  return false;
}

void begin_behind_own_fluid(SystemState& system, const InitialState& initial) {
  const double spacing = 2 * system.fluid.particle_radius;
  for (EmitterParameters& emitter : system.emitters) {
    if (!has_disc(emitter, spacing)) continue;
    const EmitterDisc disc = disc_of(emitter, spacing);
    for (size_t i = 0; i < system.position.size(); ++i) {
      if (system.body[i] != emitter.body) continue;
      const Vec3d arm = disc.arm_to(system.position[i], initial.periodic_length);
      if (disc.comes_upon(arm))
        emitter.start_time =
            std::max(emitter.start_time, (spacing - dot(arm, disc.normal)) / emitter.velocity);
    }
  }
}

void expect_discs_in_period(const SystemState& system, const InitialState& initial) {
  if (!is_periodic(initial)) return;
  const Point3& length = initial.periodic_length;
  const double spacing = 2 * system.fluid.particle_radius;
  for (const EmitterParameters& emitter : system.emitters) {
    if (!has_disc(emitter, spacing)) continue;
    const EmitterDisc disc = disc_of(emitter, spacing);
    for (int way = 14; way < 27; ++way) {  // of two opposite ways one
      const int i = way / 9 - 1, j = way / 3 % 3 - 1, k = way % 3 - 1;
      const Vec3d offset{i * length[0], j * length[1], k * length[2]};
      if (norm(offset) == 0 || !meets_image(disc, offset)) continue;
      throw InputError("systems." + system.name + ".emitters." + initial.bodies[size_t(emitter.body)].name +
                       ".radius: is " + number_text(emitter.radius) +
                       " m, but the disc meets its own image across the period, [" + number_text(length[0]) +
                       "," + number_text(length[1]) + "," + number_text(length[2]) +
                       "] m: particles of a layer lie nearer to each other than " + number_text(spacing) +
                       " m, a spacing; make it smaller or simulation.periodic.length longer");
    }
  }
}

}  // namespace merganser
