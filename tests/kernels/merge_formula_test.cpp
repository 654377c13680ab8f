/// One merge and one split, and whole trees of them, against [MS] eq. 1-16 and 20.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "solvers/coupling/merge_split/merge.h"
#include "solvers/coupling/merge_split/split.h"
#include "tests/support/merge_reference.h"

MERGANSER_BEGIN
namespace merge_formula_test {

template <class Real>
using Vector = Vector3<Real>;

struct Draws {
  std::mt19937 engine{1};
  double uniform(double low, double high) { return low + (high - low) * (double(engine()) / 4294967296.0); }
  /// Log-uniform in [1, 1e4]: unlike masses as a scene may hold them.
  double mass() { return std::pow(10.0, uniform(0, 4)); }
  template <class Real>
  Vector<Real> vector(double size) {
    return {Real(uniform(-size, size)), Real(uniform(-size, size)), Real(uniform(-size, size))};
  }
};

TEST(MergeFormula, TwoParticlesFollowEquations1To5) {
  // By hand: m = 2 and 6, x = 0 and (0, 0, 4), v = (3, 0, 1) and (-1, 0, 1): m12 = 8, x12 = 6/8 * 4 = 3, v12
  // = 0, dE = 12/16 * 16 = 12.
  const auto merged = merge<double>({{0, 0, 0}, {3, 0, 1}, 0.5}, {{0, 0, 4}, {-1, 0, 1}, 1.0 / 6}, {0, 0, 0});
  EXPECT_NEAR(merged.whole.inverse_mass, 0.125, 1e-15);
  EXPECT_NEAR(merged.whole.position.z, 3, 1e-14);
  EXPECT_NEAR(norm(merged.whole.velocity - Vec3d{0, 0, 1}), 0, 1e-14);
  EXPECT_NEAR(merged.energy, 12, 1e-13);
  EXPECT_EQ(merged.direction, (Vec3d{0, 0, 1}));
}

TEST(MergeFormula, ImmobileSideIsTheLimitOfHeavySides) {
  const MetaParticle<double> light{{0, 0, 0}, {1, 2, 3}, 0.5};
  for (bool first : {true, false}) {
    MetaParticle<double> wall{{0.3, 0.4, 0}, {0.25, 0, -1}, 0}, heavy = wall;
    heavy.inverse_mass = 1e-12;
    const auto limit = first ? merge(wall, light, {0, 0, 0}) : merge(light, wall, {0, 0, 0});
    const auto close = first ? merge(heavy, light, {0, 0, 0}) : merge(light, heavy, {0, 0, 0});
    EXPECT_EQ(limit.whole.inverse_mass, 0);
    EXPECT_EQ(limit.whole.velocity, wall.velocity);
    EXPECT_NEAR(norm(limit.whole.velocity - close.whole.velocity), 0, 1e-10);
    EXPECT_NEAR(norm(limit.whole.position - close.whole.position), 0, 1e-10);
    EXPECT_NEAR(limit.energy, close.energy, 1e-10);
    const Vec3d end{0.1, -0.2, 0.7};
    const SplitSide<double> a{light.velocity, light.inverse_mass}, b{wall.velocity, 0},
        c{wall.velocity, 1e-12};
    const auto split_limit = first ? split(b, a, limit.direction, end, limit.energy)
                                   : split(a, b, limit.direction, end, limit.energy);
    const auto split_close = first ? split(c, a, limit.direction, end, limit.energy)
                                   : split(a, c, limit.direction, end, limit.energy);
    EXPECT_NEAR(norm(split_limit.side1 - split_close.side1), 0, 1e-10);
    EXPECT_NEAR(norm(split_limit.side2 - split_close.side2), 0, 1e-10);
    EXPECT_EQ(first ? split_limit.side1 : split_limit.side2, end);  // an immobile side moves as prescribed
  }
}

TEST(MergeFormula, CoincidentCentresStillConserve) {
  const auto merged = merge<double>({{1, 1, 1}, {1, 0, 0}, 1}, {{1, 1, 1}, {-1, 0, 0}, 1}, {0, 0, 0});
  EXPECT_NEAR(norm(merged.direction), 1, 1e-15);
  const auto after =
      split<double>({{1, 0, 0}, 1}, {{-1, 0, 0}, 1}, merged.direction, {0, 0, 0}, merged.energy);
  EXPECT_NEAR(norm_squared(after.side1) + norm_squared(after.side2), 2, 1e-14);
  const auto at_rest = merge<double>({{1, 1, 1}, {1, 0, 0}, 1}, {{1, 1, 1}, {1, 0, 0}, 1}, {0, 0, 0});
  EXPECT_NEAR(norm(at_rest.direction), 1, 1e-15);
  EXPECT_EQ(at_rest.energy, 0);
}

TEST(MergeFormula, NearestImageAcrossAPeriodicBorder) {
  const auto merged = merge<double>({{0.9, 0, 0}, {1, 0, 0}, 1}, {{-0.9, 0, 0}, {-1, 0, 0}, 1}, {2, 0, 0});
  EXPECT_NEAR(merged.direction.x, 1, 1e-15);
  EXPECT_NEAR(merged.whole.position.x, 1.0, 1e-15);
}

TEST(SplitFormula, ClosedFormEqualsThePapersRoots) {
  Draws draw;
  int with_roots = 0, without_roots = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    double m1 = draw.mass(), m2 = draw.mass();
    if (m1 > m2) std::swap(m1, m2);  // the paper's side 1 is ours: the lighter
    const MetaParticle<double> a{draw.vector<double>(1), draw.vector<double>(1), 1 / m1};
    const MetaParticle<double> b{draw.vector<double>(1), draw.vector<double>(1), 1 / m2};
    const auto merged = merge(a, b, {0, 0, 0});
    const Vec3d end = merged.whole.velocity + draw.vector<double>(trial % 2 ? 0.3 : 3.0);
    const double energy = (trial % 3) * 0.5 * merged.energy;
    if (energy == 0) continue;
    const auto ours = split<double>({a.velocity, a.inverse_mass}, {b.velocity, b.inverse_mass},
                                    merged.direction, end, energy);
    const auto paper = reference_split(m1, m2, a.velocity, b.position - a.position, end, energy);
    EXPECT_NEAR(norm(ours.side1 - paper.v1), 0, 1e-10);
    EXPECT_NEAR(norm(ours.side2 - paper.v2), 0, 1e-10);
    (paper.has_roots ? with_roots : without_roots)++;
    const auto exchanged = split<double>({b.velocity, b.inverse_mass}, {a.velocity, a.inverse_mass},
                                         -merged.direction, end, energy);
    EXPECT_EQ(exchanged.side1, ours.side2);
    EXPECT_EQ(exchanged.side2, ours.side1);
  }
  EXPECT_GT(with_roots, 300);
  EXPECT_GT(without_roots, 300);
}

TEST(SplitFormula, OneRootWhereTheRayTouchesTheSphere) {
  // s = 1 (m1 = m2 = 1, E = 1) and |w| = 1: mu = w0.n and v1' = v1 + mu n, v2' = v'12 + w.
  const auto after = split<double>({{0, 0, 0}, 1}, {{5, 5, 5}, 1}, {0, 0, 1}, {1, 0, 0.5}, 1.0);
  EXPECT_NEAR(norm(after.side1 - Vec3d{0, 0, 0.5}), 0, 1e-14);
  EXPECT_NEAR(norm(after.side2 - Vec3d{2, 0, 0.5}), 0, 1e-14);
}

TEST(SplitFormula, HeadOnPairSeparatesWithSquareRootOfAlpha) {
  Draws draw;
  for (double alpha : {0.0, 0.25, 0.5, 1.0})
    for (int trial = 0; trial < 20; ++trial) {
      const Vec3d n = normalized_or_zero(draw.vector<double>(1)), common = draw.vector<double>(2);
      const double approach = draw.uniform(0.1, 3);
      const MetaParticle<double> a{{0, 0, 0}, common + approach * n, 1 / draw.mass()},
          b{n, common, 1 / draw.mass()};
      const auto merged = merge(a, b, {0, 0, 0});
      const auto after = split<double>({a.velocity, a.inverse_mass}, {b.velocity, b.inverse_mass},
                                       merged.direction, merged.whole.velocity, alpha * merged.energy);
      EXPECT_NEAR(dot(after.side2 - after.side1, n), std::sqrt(alpha) * approach, 1e-10 * approach);
    }
}

/// A random binary tree over particles, merged and split again.
template <class Real>
struct Tree {
  std::vector<double> mass;
  std::vector<MetaParticle<Real>> vertex;
  std::vector<Merged<Real>> node;
  std::vector<int> left, right;
  std::vector<Vector<Real>> after;

  Tree(Draws& draw, int members) {
    std::vector<int> roots;
    for (int i = 0; i < members; ++i) {
      const Real m = Real(draw.mass());
      mass.push_back(double(m));
      vertex.push_back({draw.vector<Real>(1), draw.vector<Real>(1), Real(1) / m});
      roots.push_back(i);
    }
    while (roots.size() > 1) {
      for (int side = 0; side < 2; ++side) {
        const size_t k = draw.engine() % roots.size();
        (side == 0 ? left : right).push_back(roots[k]);
        roots.erase(roots.begin() + long(k));
      }
      node.push_back(merge(vertex[size_t(left.back())], vertex[size_t(right.back())], Vector<Real>{0, 0, 0}));
      roots.push_back(int(vertex.size()));
      vertex.push_back(node.back().whole);
    }
  }
  /// Splits in inverse order; `synchronization` is beta dEk of the root. Checks eq. 14 at every node.
  void split_all(const Vector<Real>& end, Real alpha, Real synchronization) {
    after.assign(vertex.size(), {0, 0, 0});
    after.back() = end;
    for (size_t k = node.size(); k-- > 0;) {
      const auto &a = vertex[size_t(left[k])], &b = vertex[size_t(right[k])];
      const Vector<Real> v = after[mass.size() + k];
      const Real energy = alpha * node[k].energy + (k + 1 == node.size() ? synchronization : Real(0));
      const auto sides = split<Real>({a.velocity, a.inverse_mass}, {b.velocity, b.inverse_mass},
                                     node[k].direction, v, energy);
      after[size_t(left[k])] = sides.side1;
      after[size_t(right[k])] = sides.side2;
      const Vector<Real> relative = sides.side2 - sides.side1;
      EXPECT_GE(dot(relative, node[k].direction),
                -Real(8) * std::numeric_limits<Real>::epsilon() * (norm(relative) + norm(v)));
    }
  }
};

template <class Real>
void expect_tree_conserves(double energy_tolerance) {
  Draws draw;
  for (int members = 2; members <= 64; ++members)
    for (Real alpha : {Real(0), Real(0.5), Real(1)})
      for (double kick : {0.0, 0.1, 3.0}) {
        Tree<Real> tree(draw, members);
        const Vector<Real> end = tree.vertex.back().velocity + draw.vector<Real>(kick);
        const Real synchronization = kick > 1 ? Real(0.3) * tree.node.back().energy : Real(0);
        tree.split_all(end, alpha, synchronization);
        double mass = 0, energy = 0, magnitude = 0, given = double(synchronization);
        Vec3d momentum{0, 0, 0};
        for (size_t i = 0; i < tree.mass.size(); ++i) {
          const Vec3d v = vector_cast<double>(tree.after[i]);
          mass += tree.mass[i];
          momentum += tree.mass[i] * v;
          magnitude += tree.mass[i] * norm(v);
          energy += 0.5 * tree.mass[i] * norm_squared(v);
        }
        const Vec3d v = vector_cast<double>(end);
        given += 0.5 * mass * norm_squared(v);  // eq. 9 and 20, summed over the tree
        for (const auto& node : tree.node) given += double(alpha) * double(node.energy);
        const double epsilon = double(std::numeric_limits<Real>::epsilon());
        // Each of at most 63 levels rounds velocities and mass ratios a few times; errors of either sign.
        EXPECT_NEAR(norm(momentum - mass * v), 0, 16 * epsilon * (magnitude + mass * norm(v)))
            << members << " members";
        EXPECT_NEAR(energy, given, energy_tolerance * given)
            << members << " members, alpha " << alpha << ", kick " << kick;
      }
}
TEST(MergeTree, MomentumAndEnergyBalanceInFloat) { expect_tree_conserves<float>(1e-5); }
TEST(MergeTree, MomentumAndEnergyBalanceInDouble) { expect_tree_conserves<double>(1e-12); }

TEST(MergeTree, MergingKeepsMomentumAndStoresTheLostEnergy) {
  Draws draw;
  for (int members : {2, 3, 17, 64}) {
    const Tree<double> tree(draw, members);
    double mass = 0, before = 0, stored = 0;
    Vec3d momentum{0, 0, 0}, centre{0, 0, 0};
    for (size_t i = 0; i < tree.mass.size(); ++i) {
      mass += tree.mass[i];
      momentum += tree.mass[i] * tree.vertex[i].velocity;
      centre += tree.mass[i] * tree.vertex[i].position;
      before += 0.5 * tree.mass[i] * norm_squared(tree.vertex[i].velocity);
    }
    for (const auto& node : tree.node) stored += node.energy;
    const auto& whole = tree.vertex.back();
    EXPECT_NEAR(1 / whole.inverse_mass, mass, 1e-12 * mass);
    EXPECT_NEAR(norm(whole.velocity - momentum / mass), 0, 1e-13);
    EXPECT_NEAR(norm(whole.position - centre / mass), 0, 1e-13);
    EXPECT_NEAR(0.5 * mass * norm_squared(whole.velocity) + stored, before, 1e-12 * before);
  }
}

}  // namespace merge_formula_test
MERGANSER_END
