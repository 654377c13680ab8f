/// What elastic solids take: most of it is the factors of their matrices.
#include <algorithm>
#include <cmath>

#include "solvers/methods/elastic_sph/elastic_estimate.h"

#include "solvers/methods/elastic_sph/elastic_body.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"

namespace merganser {

namespace {

constexpr PieceBytes particle{1100, 1560};
constexpr double matrix_row_bytes = 2200;  // of the largest body: its matrix, and the neighborhoods before it
constexpr double front_bytes = 7.5;        // a non-zero of the largest factor, in double

}  // namespace

/// A fit to nested dissections of balls of 4,000 to 64,000 particles (solvers/linear/README.md), in which
/// every particle of a compact body has a number that grows with the body's width.
double factor_nonzeros(double n, double width) {
  return std::min(n * std::max(33 * width - 226, 20 * width + 60), 0.5 * n * n);
}

/// A plate's separators are as long as the plate, at log(length) levels.
double SoftSolidBody::factor_nonzeros(const BodyEstimate& of_it) const {
  const double n = of_it.by_volume, width = std::min(of_it.thinnest, std::cbrt(n));
  const double second = std::max(width, n / (width * std::max(of_it.longest, 1.0)));
  const double levels = 1 + std::log2(std::max(1.0, second / width));
  return std::min(levels * merganser::factor_nonzeros(n, width), 0.5 * n * n);
}

void estimate_elastic_sph(const SystemState& system, double, SystemEstimate& made) {
  made.add(made.all_particles(), particle);
  const auto& p = system.parameters.of<ElasticSphParameters>();
  if (p.solve == ElasticSolve::conjugate_gradient) return;
  std::vector<const BodyEstimate*> different;
  double largest_body = 0, largest_factor = 0, stored = 0;
  for (const BodyEstimate& one : made.bodies) {
    const auto& body = static_cast<const SoftSolidBody&>(*one.parameters);
    largest_body = std::max(largest_body, one.particles);
    const bool known = std::any_of(different.begin(), different.end(), [&](const BodyEstimate* other) {
      return other->particles == one.particles &&
             static_cast<const SoftSolidBody*>(other->parameters)->has_matrix_of(body);
    });
    const double nonzeros = body.factor_nonzeros(one);
    largest_factor = std::max(largest_factor, nonzeros);
    if (known) continue;
    different.push_back(&one);
    stored += nonzeros;
  }
  made.host_bytes += matrix_row_bytes * largest_body;
  if (p.factor_memory > 0 && 4 * stored > p.factor_memory) return;  // block Jacobi
  made.device_bytes += 4 * stored;
  made.host_bytes += front_bytes * largest_factor;
}

}  // namespace merganser
