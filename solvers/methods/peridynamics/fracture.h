#pragma once
/// Fracture of bonds: for good, at the moment their stretch exceeds s0 in tension.
#include "device/random.h"
#include "solvers/methods/peridynamics/bond_terms.h"

MERGANSER_BEGIN

/// 1 + s0 of the bond between the particles with ids a and b, s0 drawn from critical_stretch (1 +-
/// stretch_scatter); the same from both sides.
MERGANSER_FN double breaking_ratio(const BondMaterial& material, std::uint32_t seed, int a, int b) {
  const double s0 = material.critical_stretch;
  if (!(material.stretch_scatter > 0)) return 1.0 + s0;
  const int low = a < b ? a : b, high = a < b ? b : a;
  const RandomBits bits = random_draw(seed, RandomPurpose::critical_stretch, static_cast<std::uint32_t>(low),
                                      static_cast<std::uint64_t>(high));
  const double offset = 2.0 * uniform_float(bits.word[0]) - 1.0;
  return fma(s0, fma(double(material.stretch_scatter), offset, 1.0), 1.0);
}

/// Breaks the bonds with |y| > (1 + s0) |xi|. The sum over bonds only finds particles that may have one, by a
/// limit that is lower by more than rounding. The decision is made in double, with every product and sum
/// rounded as written: both ends, in whatever walk, get the same bits.
struct BreakBonds {
  static constexpr const char* name = "peridynamics break bonds";
  static constexpr bool reads_position = true, reads_vector = false, reads_family = false;
  static constexpr bool counts_broken = false;
  static constexpr int components = 1;
  View<const int> first;
  View<const int> id;  ///< of the particles
  BondFields fields;
  std::uint32_t seed;
  View<int> neighbor, broken;  ///< row of the particle updated
  View<double> energy;         ///< [J] half of k e^2/2 of the particle's bonds that break now, written
  MERGANSER_METHOD bool skip() const { return false; }

  template <class Real>
  MERGANSER_METHOD BondValue<Real> pair(const BondMaterial& material, const BondEnd<Real>& i,
                                        const BondEnd<Real>& j) const {
    const float least = 1 + material.critical_stretch * (1 - material.stretch_scatter);
    const float limit = least * least * 0.99999f;
    const Real excess =
        norm_squared(j.position - i.position) - norm_squared(j.reference - i.reference) * limit;
    const Real none = Real{};
    BondValue<Real> value{};
    value.a.x = excess > none ? excess : none;
    return value;
  }
  MERGANSER_METHOD void finish(int i, const BondMaterial& material, const BondValue<float>& sum) const {
    energy[i] = 0;
    if (!(sum.a.x > 0)) return;
    int count = 0;
    double released = 0;
    for (int e = first[i]; e < first[i + 1]; ++e) {
      const int j = neighbor[e];
      if (j < 0) continue;
      const double limit = breaking_ratio(material, seed, id[i], id[j]);
      const double length = sqrt(distance_squared(fields.position, i, j));
      const double rest = sqrt(distance_squared(fields.reference, i, j));
      if (length > limit * rest) {
        neighbor[e] = ~j;
        ++count;
        released += half_energy(material, i, j, rest, length - rest);
      }
    }
    broken[i] += count;
    energy[i] = released;
  }

 private:
  MERGANSER_METHOD double half_energy(const BondMaterial& material, int i, int j, double rest,
                                      double elongation) const {
    BondEnd<float> a{}, b{};
    a.volume = fields.volume[i];
    b.volume = fields.volume[j];
    const double strength = bond_strength(material, a, b, float(rest));
    const double surface = double(fields.family[i]) + fields.family[j];
    return 0.25 * strength / (rest * surface) * elongation * elongation;
  }
  MERGANSER_METHOD static double distance_squared(const ComponentsView& at, int i, int j) {
    const double x = double(at.x[j]) - at.x[i], y = double(at.y[j]) - at.y[i], z = double(at.z[j]) - at.z[i];
    return fma(x, x, fma(y, y, z * z));
  }
};

MERGANSER_END
