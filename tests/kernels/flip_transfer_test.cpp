/// Transfers between particles and the staggered grid: against brute force, and what they conserve.
#include <gtest/gtest.h>

#include "solvers/methods/flip/particle_to_grid.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace flip_transfer_test {

constexpr float dx = 0.1f;
constexpr int count = 300;

/// Particles in a ball of 0.4 m around the origin with random velocities and APIC matrices, sorted; a box
/// around.
struct Transfer {
  std::vector<Vec3> x, v, c[3];
  Array<Vec3> position, velocity, affine[3];
  UniformGrid sorted;
  FlipGrid grid;
  FaceArrays<float> u, zero;
  FaceArrays<signed char> reached;
  Array<float> weight, momentum;

  explicit Transfer(bool with_affine) : v(random_points(count, 2, 1)) {
    for (const Vec3& p : random_points(count, 0.8f)) x.push_back(p + Vec3{0.03f, -0.01f, 0.02f});
    UniformGrid first;
    first.build(Array<Vec3>(x).const_view(), dx);
    std::vector<Vec3> in_order;
    for (int i : to_host(first.order())) in_order.push_back(x[size_t(i)]);
    x = in_order;
    position.assign(x);
    velocity.assign(v);
    sorted.build(position.const_view(), dx);
    sorted.use_permuted(position.const_view());
    for (int a = 0; a < 3; ++a) {
      c[a] = random_points(count, 20, 2 + a);
      if (with_affine) affine[a].assign(c[a]);
    }
    grid.low = {-8, -8, -8};
    grid.cells = {17, 16, 16};
    grid.dx = dx;
    grid.inverse_dx = 1 / dx;
    grid.box = RedBlackBox(grid.cells);
    const int cells = grid.box.count();
    u.resize(cells), zero.resize(cells), reached.resize(cells), weight.resize(cells), momentum.resize(cells);
    for (int a = 0; a < 3; ++a)
      launch_gather(ParticlesToFaces{.grid = grid,
                                     .fluids = gathered(),
                                     .axis = a,
                                     .u = u.axis[a].view(),
                                     .reached = reached.axis[a].view(),
                                     .face_mass = {},
                                     .weight = weight.view(),
                                     .momentum = momentum.view()});
  }
  GatheredFluids gathered() const {
    const FaceViews<const Vec3> rows{
        {affine[0].const_view(), affine[1].const_view(), affine[2].const_view()}};
    return {.of = {{sorted.view(), velocity.const_view(), rows, 1}}, .count = 1};
  }
  /// Visits every face with its place and mass (particles weigh 1) by brute force.
  template <class Visit>
  void for_each_face(const Visit& visit) const {
    for (int a = 0; a < 3; ++a)
      for (int z = 1; z <= grid.cells.z; ++z)
        for (int y = 1; y <= grid.cells.y; ++y)
          for (int i = 1; i <= grid.cells.x; ++i) {
            const Vec3d face = to_double(grid.face_centre(a, i, y, z));
            double mass = 0, sum = 0;
            for (int p = 0; p < count; ++p) {
              const Vec3d d = face - to_double(x[size_t(p)]);
              const double w = spline(d.x / dx) * spline(d.y / dx) * spline(d.z / dx);
              double value = component(v[size_t(p)], a);
              if (!affine[0].empty()) value += dot(to_double(c[a][size_t(p)]), d);
              mass += w;
              sum += w * value;
            }
            visit(a, grid.flat(i, y, z), face, mass, sum);
          }
  }
  static double spline(double t) {
    t = std::abs(t);
    return t < 0.5 ? 0.75 - t * t : t < 1.5 ? 0.5 * (1.5 - t) * (1.5 - t) : 0;
  }
  /// Linear and angular momentum of the grid.
  std::pair<Vec3d, Vec3d> of_grid() const {
    std::vector<float> faces[3];
    for (int a = 0; a < 3; ++a) faces[a] = u.axis[a].to_host();
    Vec3d linear{0, 0, 0}, angular{0, 0, 0};
    for_each_face([&](int a, int f, const Vec3d& at, double mass, double) {
      const double p = mass * double(faces[a][size_t(f)]);
      const Vec3d along{a == 0 ? p : 0, a == 1 ? p : 0, a == 2 ? p : 0};
      linear += along;
      angular += cross(at, along);
    });
    return {linear, angular};
  }
  /// Of particles: x cross v, and with APIC dx^2/4 sum_a e_b cross (C_ab e_a) (Jiang et al. 2015, quadratic).
  static std::pair<Vec3d, Vec3d> of_particles(const std::vector<Vec3>& x, const std::vector<Vec3>& v,
                                              const std::vector<Vec3> (&c)[3], bool affine) {
    Vec3d linear{0, 0, 0}, angular{0, 0, 0};
    for (size_t p = 0; p < x.size(); ++p) {
      linear += to_double(v[p]);
      angular += cross(to_double(x[p]), to_double(v[p]));
      if (!affine) continue;
      const double d = double(dx) * dx / 4;
      angular += d * Vec3d{double(c[2][p].y) - c[1][p].z, double(c[0][p].z) - c[2][p].x,
                           double(c[1][p].x) - c[0][p].y};
    }
    return {linear, angular};
  }
};

/// Float sums of about 30 terms: 1e-5 of the largest values.
TEST(FlipTransfer, ParticlesToFacesAgreesWithBruteForce) {
  for (bool affine : {false, true}) {
    const Transfer t(affine);
    std::vector<float> faces[3];
    for (int a = 0; a < 3; ++a) faces[a] = t.u.axis[a].to_host();
    int reached = 0;
    t.for_each_face([&](int a, int f, const Vec3d&, double mass, double sum) {
      if (!(mass > 1e-6)) return;
      ++reached;
      EXPECT_NEAR(faces[a][size_t(f)], sum / mass, 3e-5) << a << ' ' << f;
    });
    EXPECT_GT(reached, 3000);
  }
}

/// 300 particles at about 1 m/s and 0.4 m; rounding of float velocities leaves 300 x 1e-7.
TEST(FlipTransfer, ConservesMomentumBothWays) {
  for (bool affine : {false, true}) {
    Transfer t(affine);
    const auto [linear, angular] = Transfer::of_particles(t.x, t.v, t.c, affine);
    const auto [grid_linear, grid_angular] = t.of_grid();
    EXPECT_LT(norm(linear - grid_linear), 1e-4);
    if (affine) {
      EXPECT_LT(norm(angular - grid_angular), 1e-4);
    }

    Array<Vec3> back(count);
    FaceArrays<Vec3> rows;
    if (affine) rows.resize(count);
    launch(count, FacesToParticles{.grid = t.grid,
                                   .lattice = t.sorted.view().shape,
                                   .position = t.position.const_view(),
                                   .free_velocity = t.velocity.const_view(),
                                   .u = t.u.const_view(),
                                   .change = t.zero.const_view(),
                                   .blend = affine ? 0 : 0.97f,
                                   .velocity = back.view(),
                                   .affine = rows.view()});
    const std::vector<Vec3> c[3] = {rows.axis[0].to_host(), rows.axis[1].to_host(), rows.axis[2].to_host()};
    const auto [back_linear, back_angular] = Transfer::of_particles(t.x, back.to_host(), c, affine);
    EXPECT_LT(norm(back_linear - linear), 1e-4);
    if (affine) {
      EXPECT_LT(norm(back_angular - angular), 1e-4);
    }
  }
}

/// A rigid rotation goes through APIC unchanged.
TEST(FlipTransfer, ApicKeepsRigidRotation) {
  Transfer t(true);
  const Vec3 spin{1, -2, 0.5f};
  std::vector<Vec3> v;
  for (const Vec3& x : t.x) v.push_back(cross(spin, x));
  t.velocity.assign(v);
  const Vec3 row[3] = {{0, -spin.z, spin.y}, {spin.z, 0, -spin.x}, {-spin.y, spin.x, 0}};
  const int cells = t.grid.box.count();
  t.u.resize(cells), t.reached.resize(cells);
  for (int a = 0; a < 3; ++a) t.affine[a].assign(std::vector<Vec3>(count, row[a]));
  for (int a = 0; a < 3; ++a)
    launch_gather(ParticlesToFaces{.grid = t.grid,
                                   .fluids = t.gathered(),
                                   .axis = a,
                                   .u = t.u.axis[a].view(),
                                   .reached = t.reached.axis[a].view(),
                                   .face_mass = {},
                                   .weight = t.weight.view(),
                                   .momentum = t.momentum.view()});
  Array<Vec3> back(count);
  FaceArrays<Vec3> rows;
  rows.resize(count);
  launch(count, FacesToParticles{.grid = t.grid,
                                 .lattice = t.sorted.view().shape,
                                 .position = t.position.const_view(),
                                 .free_velocity = t.velocity.const_view(),
                                 .u = t.u.const_view(),
                                 .change = t.zero.const_view(),
                                 .blend = 0,
                                 .velocity = back.view(),
                                 .affine = rows.view()});
  const auto end = back.to_host();
  for (size_t p = 0; p < end.size(); ++p) EXPECT_LT(norm(end[p] - v[p]), 1e-5f);
  for (int a = 0; a < 3; ++a)
    for (const Vec3& c : rows.axis[a].to_host()) EXPECT_LT(norm(c - row[a]), 1e-4f);
}

}  // namespace flip_transfer_test
MERGANSER_END
