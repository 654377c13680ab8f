#pragma once
/// Bond-based peridynamics by brute force in double: every pair of particles, equations as in
/// solvers/methods/peridynamics/README.md.
#include <cmath>
#include <vector>

#include "device/vector_math.h"
#include "solvers/core/initial_state.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"
#include "tests/support/test_namespace.h"

MERGANSER_BEGIN
namespace test {

struct ReferenceBond {
  int i, j;
  double length, stiffness;  ///< [m] at rest, [N/m]
  bool broken = false;
};

class PeridynamicsReference {
 public:
  /// The particles of `state` in their reference positions. `surface`: the volume method's correction.
  explicit PeridynamicsReference(const SystemState& state, bool surface = true) {
    const PeridynamicsParameters& p = state.parameters.of<PeridynamicsParameters>();
    const size_t count = state.position.size();
    for (const Float3& x : state.position) reference_.push_back({x[0], x[1], x[2]});
    auto material = [&](size_t i) -> const PeridynamicMaterial& {
      for (const PeridynamicMaterial& m : p.materials)
        if (m.body == state.body[i]) return m;
      return p.materials.at(0);
    };
    auto share = [&](double r, double spacing) {
      const double horizon = p.horizon_factor * spacing;
      if (r >= horizon) return 0.0;
      return std::fmin(1.0, (horizon + 0.5 * spacing - r) / spacing);
    };
    std::vector<double> volume(count), family(count, 0.0);
    for (size_t i = 0; i < count; ++i) volume[i] = state.mass[i] / material(i).density;
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < count; ++j)
        if (i != j && state.body[i] == state.body[j])
          family[i] += volume[j] * share(norm(reference_[j] - reference_[i]), material(i).spacing);
    for (size_t i = 0; i < count; ++i)
      for (size_t j = i + 1; j < count; ++j) {
        if (state.body[i] != state.body[j]) continue;
        const PeridynamicMaterial& m = material(i);
        const double r = norm(reference_[j] - reference_[i]), part = share(r, m.spacing);
        if (part == 0) continue;
        double full = 0, weighted = 0;
        const int reach = int(std::ceil(p.horizon_factor));
        for (int z = -reach; z <= reach; ++z)
          for (int y = -reach; y <= reach; ++y)
            for (int x = -reach; x <= reach; ++x)
              if (x != 0 || y != 0 || z != 0) {
                const double at = m.spacing * std::sqrt(double(x * x + y * y + z * z));
                full += share(at, m.spacing) * std::pow(m.spacing, 3);
                weighted += at * share(at, m.spacing) * std::pow(m.spacing, 3);
              }
        // An expansion of the whole lattice by s stores c s^2 (sum r V)/4 = 9 K s^2/2 a volume.
        const double c = 18 * m.bulk_modulus / weighted;
        const double correction = surface ? 2 * full / (family[i] + family[j]) : 1;
        bonds.push_back({int(i), int(j), r, c * volume[i] * volume[j] * part * correction / r});
      }
  }

  /// [N] per particle at the given positions.
  std::vector<Vec3d> forces(const std::vector<Vec3d>& position) const {
    std::vector<Vec3d> force(reference_.size(), Vec3d{0, 0, 0});
    for (const ReferenceBond& bond : bonds) {
      if (bond.broken) continue;
      const Vec3d y = position[size_t(bond.j)] - position[size_t(bond.i)];
      const Vec3d f = (bond.stiffness * (norm(y) - bond.length) / norm(y)) * y;
      force[size_t(bond.i)] += f;
      force[size_t(bond.j)] -= f;
    }
    return force;
  }
  /// [J]
  double energy(const std::vector<Vec3d>& position) const {
    double sum = 0;
    for (const ReferenceBond& bond : bonds) {
      if (bond.broken) continue;
      const double e = norm(position[size_t(bond.j)] - position[size_t(bond.i)]) - bond.length;
      sum += 0.5 * bond.stiffness * e * e;
    }
    return sum;
  }
  std::vector<double> damage() const {
    std::vector<double> whole(reference_.size(), 0.0), all(reference_.size(), 0.0);
    for (const ReferenceBond& bond : bonds)
      for (int end : {bond.i, bond.j}) {
        all[size_t(end)] += 1;
        whole[size_t(end)] += bond.broken ? 0 : 1;
      }
    std::vector<double> damage;
    for (size_t i = 0; i < all.size(); ++i) damage.push_back(all[i] > 0 ? 1 - whole[i] / all[i] : 0);
    return damage;
  }
  const std::vector<Vec3d>& reference() const { return reference_; }

  std::vector<ReferenceBond> bonds;  ///< i < j

 private:
  std::vector<Vec3d> reference_;
};

}  // namespace test
MERGANSER_END
