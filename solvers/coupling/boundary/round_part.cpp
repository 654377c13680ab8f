#include "solvers/coupling/boundary/round_part.h"

#include <algorithm>
#include <cmath>

#include "solvers/core/smoothing_kernels.h"

MERGANSER_BEGIN

namespace {

constexpr double least_place = 1e-3;  ///< [h] from the axis: gradients there are taken beside it

/// Midpoint sum of f over [a, b].
template <class F>
double integral(double a, double b, int parts, const F& f) {
  if (!(a < b)) return 0;
  const double width = (b - a) / parts;
  double sum = 0;
  for (int k = 0; k < parts; ++k) sum += f(a + (k + 0.5) * width);
  return width * sum;
}

RoundSample sample(double fraction, double outward, double along, double moment) {
  return {static_cast<float>(fraction), static_cast<float>(outward), static_cast<float>(along),
          static_cast<float>(moment)};
}

/// Cosine of the angle at which a circle (or sphere) of radius s about a point at `place` from the middle
/// cuts that of radius R, in [-1, 1]: -1 where it lies within, 1 where it lies without.
double cut(double s, double place, double radius) {
  return std::clamp((s * s + place * place - radius * radius) / (2 * s * place), -1.0, 1.0);
}

/// What a disc of the given radius holds of W at the height z over it, and its rim's part of the gradient and
/// the moment (see WallPart), a height.
struct Slice {
  double volume, outward, moment;
};
Slice slice(UnitKernel kernel, double place, double radius, double z, int parts) {
  const double widest = std::sqrt(std::max(0.0, fill_support * fill_support - z * z));
  const auto at = [&](double s) { return kernel(std::sqrt(s * s + z * z)); };
  Slice found{};
  found.volume = integral(0, std::min(widest, radius - place), parts, [&](double s) {
    return 2 * sph_pi * s * at(s);  // whole circles
  });
  const double first = std::abs(place - radius), beyond = std::min(widest, place + radius);
  if (first < beyond)  // arcs; s as a cosine takes the roots at both ends out of the integrand
    found.volume += integral(0, sph_pi, parts, [&](double t) {
      const double half = 0.5 * (beyond - first), s = first + half * (1 - std::cos(t));
      return half * std::sin(t) * 2 * s * at(s) * std::acos(cut(s, place, radius));
    });
  // Half of the rim, up to the angle at which it leaves the support.
  const double reach = (place * place + radius * radius - widest * widest) / (2 * place * radius);
  const double last = std::acos(std::clamp(reach, -1.0, 1.0));
  const auto rim = [&](double angle) {
    const double c = std::cos(angle);
    return at(std::sqrt(std::max(0.0, place * place + radius * radius - 2 * place * radius * c)));
  };
  found.outward = -2 * radius * integral(0, last, parts, [&](double t) { return rim(t) * std::cos(t); });
  found.moment = -2 * radius *
                 integral(0, last, parts, [&](double t) { return rim(t) * (place * std::cos(t) - radius); });
  return found;
}

double distance_at(int k, int nodes) { return -fill_support + 2 * fill_support * k / (nodes - 1); }

}  // namespace

/// Shells of radius s about the particle lie to (1 - cut)/2 in the sphere; the sphere's surface at the
/// distance s from the particle is a ring of 2 pi R s ds/place.
std::vector<RoundSample> tabulate_sphere(UnitKernel kernel, double radius) {
  std::vector<RoundSample> samples;
  constexpr int parts = 400;
  for (int k = 0; k < round_part_nodes; ++k) {
    const double place = std::max(radius + distance_at(k, round_part_nodes), least_place);
    const double fraction = integral(0, fill_support, parts, [&](double s) {
      return 2 * sph_pi * s * s * kernel(s) * (1 - cut(s, place, radius));
    });
    const double first = std::abs(place - radius), last = std::min(fill_support, place + radius);
    const auto ring = [&](double s) { return 2 * sph_pi * radius * s / place * kernel(s); };
    const auto cosine = [&](double s) {
      return (place * place + radius * radius - s * s) / (2 * place * radius);
    };
    const double outward = -integral(first, last, parts, [&](double s) { return ring(s) * cosine(s); });
    const double moment =
        -integral(first, last, parts, [&](double s) { return ring(s) * (place * cosine(s) - radius); });
    samples.push_back(sample(fraction, outward, 0, moment));
  }
  return samples;
}

std::vector<RoundSample> tabulate_cylinder(UnitKernel kernel, double radius) {
  std::vector<RoundSample> samples;
  constexpr int slices = 64, parts = 64;
  for (int k = 0; k < round_part_nodes; ++k) {
    const double place = std::max(radius + distance_at(k, round_part_nodes), least_place);
    Slice sum{};
    const double width = fill_support / slices;
    for (int z = 0; z < slices; ++z) {  // both halves alike
      const Slice one = slice(kernel, place, radius, (z + 0.5) * width, parts);
      sum.volume += 2 * width * one.volume;
      sum.outward += 2 * width * one.outward;
      sum.moment += 2 * width * one.moment;
    }
    samples.push_back(sample(sum.volume, sum.outward, 0, sum.moment));
  }
  return samples;
}

/// From the top of the support, where the end is too far below, downwards: every step of the height adds the
/// slices that came into reach. The end itself is a disc at that height.
std::vector<RoundSample> tabulate_cylinder_end(UnitKernel kernel, double radius) {
  std::vector<RoundSample> samples(size_t(end_part_nodes) * end_part_nodes);
  constexpr int parts = 64, slices = 4;
  const double cell = 2 * fill_support / (end_part_nodes - 1), width = cell / slices;
  for (int i = 0; i < end_part_nodes; ++i) {
    const double place = std::max(radius + distance_at(i, end_part_nodes), least_place);
    Slice sum{};
    for (int k = end_part_nodes - 1; k >= 0; --k) {
      const double height = distance_at(k, end_part_nodes);
      for (int z = 0; z < slices && k < end_part_nodes - 1; ++z) {
        const Slice one = slice(kernel, place, radius, height + (z + 0.5) * width, parts);
        sum.volume += width * one.volume;
        sum.outward += width * one.outward;
        sum.moment += width * one.moment;
      }
      const double end = slice(kernel, place, radius, height, parts).volume;
      samples[size_t(i) * end_part_nodes + size_t(k)] =
          sample(sum.volume, sum.outward, -end, sum.moment - height * end);
    }
  }
  return samples;
}

MERGANSER_END
