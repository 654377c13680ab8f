/// Memory estimate of elastic solids: most of it is the factors of their matrices.
#include <algorithm>
#include <cmath>

#include "solvers/methods/elastic_sph/elastic_estimate.h"

#include "solvers/methods/elastic_sph/elastic_body.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"

namespace merganser {

namespace {

constexpr PieceBytes particle{1100, 1560};
constexpr PieceBytes of_split_walls{260, 0};  // a particle, once one is near a wall (split_walls.h)
constexpr double matrix_row_bytes = 2200;  // of the largest body: its matrix, and the neighborhoods before it
constexpr double front_bytes = 7.5;        // a non-zero of the largest factor, in double
constexpr double function_bytes = 20;      // of the functions of its part, a row
constexpr double tile_zeros = 1.45;        // numbers stored of small fronts, over non-zeros
constexpr double part_rows = 128;          // of automatic choice; half or twice as many take as long
constexpr double most_whole = 900;         // [non-zeros a row] beyond which parts take less time

}  // namespace

/// A fit to nested dissections of balls of 4,000 to 64,000 particles (solvers/linear/README.md), in which
/// every particle of a compact body has a number that grows with the body's width.
double factor_nonzeros(double n, double width) {
  return std::min(n * std::max(33 * width - 226, 20 * width + 60), 0.5 * n * n);
}

int factor_parts(int wanted, double n, double nonzeros, bool cheap) {
  const double most = std::max(1.0, std::floor(n / 2));
  if (wanted > 0) return int(std::min(double(wanted), most));
  if (!cheap && nonzeros <= most_whole * n) return 1;
  return int(std::clamp(std::round(n / part_rows), 1.0, most));
}

/// Fits to cubes cut into parts of 64 to 1000 rows, and to what 250 to 2000 parts make of a coarse level.
double numbers_in_parts(double n, int parts) {
  const double width = std::cbrt(n / parts), coarse = 4.0 * parts;
  const double nonzeros = n * std::max(6 * width, 28 * width - 106);
  return tile_zeros * (nonzeros + factor_nonzeros(coarse, std::cbrt(coarse)));
}

/// A plate's separators are as long as the plate, at log(length) levels.
double SoftSolidBody::factor_nonzeros(const BodyEstimate& of_it) const {
  const double n = of_it.by_volume, width = std::min(of_it.thinnest, std::cbrt(n));
  const double second = std::max(width, n / (width * std::max(of_it.longest, 1.0)));
  const double levels = 1 + std::log2(std::max(1.0, second / width));
  return std::min(levels * merganser::factor_nonzeros(n, width), 0.5 * n * n);
}

namespace {

struct Factors {
  double bytes = 0, largest = 0;  ///< stored in float, of all and of the largest
  double fronts = 0;              ///< while the largest is made, on the host
};
Factors factors_of(const std::vector<const BodyEstimate*>& bodies, const ElasticSphParameters& p,
                   bool cheap) {
  Factors made;
  for (const BodyEstimate* one : bodies) {
    const double n = one->particles;
    const double nonzeros = static_cast<const SoftSolidBody*>(one->parameters)->factor_nonzeros(*one);
    const int parts = p.solve == ElasticSolve::split ? 1 : factor_parts(p.factor_parts, n, nonzeros, cheap);
    const double bytes = parts > 1 ? 4 * numbers_in_parts(n, parts) + function_bytes * n : 4 * nonzeros;
    made.bytes += bytes;
    made.largest = std::max(made.largest, bytes);
    made.fronts = std::max(made.fronts, parts > 1 ? 0 : front_bytes * nonzeros);
  }
  return made;
}
bool fits(const Factors& factors, const ElasticSphParameters& p) {
  return p.factor_memory == 0 || factors.bytes <= p.factor_memory;
}

}  // namespace

void estimate_elastic_sph(const SystemState& system, double, SystemEstimate& made) {
  made.add(made.all_particles(), particle);
  const auto& p = system.parameters.of<ElasticSphParameters>();
  if (p.solve == ElasticSolve::conjugate_gradient) return;
  if (p.solve == ElasticSolve::split) made.add(made.all_particles(), of_split_walls);
  std::vector<const BodyEstimate*> different;
  double largest_body = 0;
  for (const BodyEstimate& one : made.bodies) {
    const auto& body = static_cast<const SoftSolidBody&>(*one.parameters);
    largest_body = std::max(largest_body, one.particles);
    const bool known = std::any_of(different.begin(), different.end(), [&](const BodyEstimate* other) {
      return other->particles == one.particles &&
             static_cast<const SoftSolidBody*>(other->parameters)->has_matrix_of(body);
    });
    if (known) continue;
    different.push_back(&one);
  }
  made.host_bytes += matrix_row_bytes * largest_body;
  const Factors whole = factors_of(different, p, false);
  const Factors factors = fits(whole, p) ? whole : factors_of(different, p, true);
  if (!fits(factors, p)) return;  // block Jacobi
  // In half precision once they are made, one after the other.
  const bool half = p.solve != ElasticSolve::split && p.factor_precision == FactorPrecision::half;
  made.device_bytes += half ? 0.5 * factors.bytes + factors.largest : factors.bytes;
  made.host_bytes += factors.fronts;
}

}  // namespace merganser
