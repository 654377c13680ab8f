/// Surfaces that follow particles, against [ES] eq. 38 and 39 in double precision and against maps that they
/// must reproduce.
#include <gtest/gtest.h>

#include <algorithm>
#include <Eigen/Geometry>
#include <random>
#include <set>

#include "device/launch_order.h"
#include "solvers/geometry/skinning/body_skin.h"
#include "tests/support/skin_reference.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace skin_test {

using test::SkinReference;
using Vector = Eigen::Vector3d;
using Matrix = Eigen::Matrix3d;
constexpr double spacing = 0.1;

Float3 plain(const Vector& x) { return {float(x[0]), float(x[1]), float(x[2])}; }
Vector vector(const Float3& x) { return SkinReference::vector(x); }

std::vector<Float3> lattice(int nx, int ny, int nz) {
  std::vector<Float3> points;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) points.push_back(plain(spacing * (Vector(i, j, k) + Vector(.5, .5, .5))));
  return points;
}

/// A grid of triangles over the plane y = height.
TriangleMesh sheet(double length, double depth, double height, int parts) {
  TriangleMesh mesh;
  for (int j = 0; j <= parts; ++j)
    for (int i = 0; i <= parts; ++i)
      mesh.vertices.push_back({float(length * i / parts), float(height), float(depth * j / parts)});
  for (int j = 0; j < parts; ++j)
    for (int i = 0; i < parts; ++i) {
      const int a = j * (parts + 1) + i, b = a + 1, c = b + parts + 1, d = a + parts + 1;
      mesh.triangles.push_back({a, c, b});
      mesh.triangles.push_back({a, d, c});
    }
  return mesh;
}

SkinBody block(SkinMotion motion, int nx = 6, int ny = 5, int nz = 4) {
  return {0, 0, {motion}, 0, lattice(nx, ny, nz), sheet(nx * spacing, nz * spacing, ny * spacing, 11)};
}

/// x = A X + b and its rate.
struct LinearMotion {
  Matrix a, a_rate;
  Vector b, b_rate;
  Vector position(const Vector& x) const { return a * x + b; }
  Vector velocity(const Vector& x) const { return a_rate * x + b_rate; }
  SkinParticles move(const std::vector<Float3>& rest) const {
    SkinParticles now;
    for (const Float3& x : rest) {
      now.position.push_back(plain(position(vector(x))));
      now.velocity.push_back(plain(velocity(vector(x))));
    }
    return now;
  }
};

/// About a point, so that nothing is small by chance.
LinearMotion rigid_motion(double angle, const Vector& axis, const Vector& spin, const Vector& shift) {
  const Matrix r = Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
  Matrix w;
  w << 0, -spin[2], spin[1], spin[2], 0, -spin[0], -spin[1], spin[0], 0;
  return {r, w * r, shift, Vector(0.3, -2, 1)};
}

/// The greatest distance of vertices [m] and of their velocities [m/s] from where the motion takes them.
std::pair<double, double> deviation(const SkinBody& body, const SurfaceMesh& mesh,
                                    const LinearMotion& motion) {
  double place = 0, speed = 0;
  for (size_t v = 0; v < body.surface.vertices.size(); ++v) {
    const Vector x = vector(body.surface.vertices[v]);
    place = std::max(place, (vector(mesh.position[v]) - motion.position(x)).norm());
    speed = std::max(speed, (vector(mesh.velocity[v]) - motion.velocity(x)).norm());
  }
  return {place, speed};
}

SkinParticles stirred(const std::vector<Float3>& rest, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> noise(-0.1, 0.1);
  SkinParticles now;
  for (const Float3& point : rest) {
    const Vector x = vector(point);
    const Vector bent(x[0] + 0.4 * std::sin(4 * x[1]), x[1] - 0.3 * x[0] * x[0],
                      1.2 * x[2] + 0.5 * x[0] * x[1]);
    const auto draw = [&] { return Vector(noise(random), noise(random), noise(random)); };
    now.position.push_back(plain(bent + spacing * draw() + Vector(3, -2, 1)));
    now.velocity.push_back(plain(Vector(-x[1], x[0], 1) + draw()));
  }
  return now;
}

TEST(Skin, FollowsTheFormulas) {
  SkinBody body = block(SkinMotion::deforming);
  std::mt19937 random(3);
  std::uniform_real_distribution<float> noise(-0.02f, 0.02f);
  for (Float3& x : body.rest)
    for (float& c : x) c += noise(random);
  for (Float3& x : body.surface.vertices)
    for (float& c : x) c += noise(random);
  const SkinParticles now = stirred(body.rest, 5);
  const auto skin = make_body_skin(body, spacing);
  const SurfaceMesh mesh = skin->follow(now);
  const SkinReference reference{body, now, spacing};
  ASSERT_EQ(mesh.position.size(), body.surface.vertices.size());
  EXPECT_EQ(mesh.triangles, body.surface.triangles);
  EXPECT_EQ(skin->lone_vertices(), 0);
  for (size_t v = 0; v < mesh.position.size(); ++v) {
    const auto expected = reference.place(vector(body.surface.vertices[v]));
    // Positions of 3 m are rounded by 2e-7 m, and offsets of a support are some times as large.
    EXPECT_LT((vector(mesh.position[v]) - expected.position).norm(), 2e-6) << v;
    EXPECT_LT((vector(mesh.velocity[v]) - expected.velocity).norm(), 1e-5) << v;
  }
}

TEST(Skin, FollowsTheFormulasInPieces) {
  SkinBody body = block(SkinMotion::breaking, 10, 5, 4);
  body.binding.most_stretch = 1;
  SkinParticles now = stirred(body.rest, 6);
  for (const Float3& x : body.rest) now.fragment.push_back(x[0] > 0.55f);
  for (size_t j = 0; j < body.rest.size(); ++j)
    if (body.rest[j][2] > 0.2f) now.position[j][2] += 0.15f;  // a tear within both fragments
  const SurfaceMesh mesh = make_body_skin(body, spacing)->follow(now);
  const SkinReference reference{body, now, spacing};
  for (size_t v = 0; v < body.surface.vertices.size(); ++v) {
    const auto expected = reference.place(vector(body.surface.vertices[v]));
    EXPECT_LT((vector(mesh.position[v]) - expected.position).norm(), 1e-5) << v;
    EXPECT_LT((vector(mesh.velocity[v]) - expected.velocity).norm(), 1e-4) << v;
  }
}

TEST(Skin, IsExactForAffineMaps) {
  SkinBody body = block(SkinMotion::deforming);
  body.surface.vertices[0] = {-0.35f, 0.5f, -0.4f};  // outside all supports
  body.surface.vertices[1] = {3, 4, 5};
  LinearMotion motion;
  motion.a << 1.3, 0.4, -0.2, -0.7, 0.8, 0.1, 0.3, -0.5, 1.6;
  motion.a_rate << 0.2, 3, -1, 2, -2, 0.5, 1, 1, -3;
  motion.b = Vector(5, -7, 2);
  motion.b_rate = Vector(1, 2, -3);
  const auto skin = make_body_skin(body, spacing);
  const SurfaceMesh mesh = skin->follow(motion.move(body.rest));
  EXPECT_EQ(skin->lone_vertices(), 2);
  // Rounding of positions of 8 m, 5e-7 m; 50 spacings away a hundred times that.
  EXPECT_LT(deviation(body, mesh, motion).first, 3e-4);
  EXPECT_LT(deviation(body, mesh, motion).second, 3e-4);
  body.surface.vertices[1] = body.surface.vertices[2];
  const SurfaceMesh near = make_body_skin(body, spacing)->follow(motion.move(body.rest));
  EXPECT_LT(deviation(body, near, motion).first, 6e-6);
  EXPECT_LT(deviation(body, near, motion).second, 2e-5);
}

/// Sheets and rods of one particle across, and all motions of bodies.
TEST(Skin, IsExactForRigidMaps) {
  for (const SkinMotion kind : {SkinMotion::deforming, SkinMotion::breaking, SkinMotion::rigid})
    for (const Eigen::Vector3i& n : {Eigen::Vector3i(5, 4, 3), Eigen::Vector3i(6, 1, 5)})
      for (const double angle : {0.0, 0.7, 3.1}) {
        const SkinBody body = block(kind, n[0], n[1], n[2]);
        const LinearMotion motion = rigid_motion(angle, Vector(1, 2, -1), Vector(3, -1, 2), Vector(1, 1, 4));
        const SurfaceMesh mesh = make_body_skin(body, spacing)->follow(motion.move(body.rest));
        EXPECT_LT(deviation(body, mesh, motion).first, 4e-6) << n.transpose() << " at " << angle;
        EXPECT_LT(deviation(body, mesh, motion).second, 2e-5) << n.transpose() << " at " << angle;
      }
}

/// A row of particles does not tell a turn about its own line: it turns with its line alone.
TEST(Skin, TurnsRowsWithTheirLine) {
  for (const SkinMotion kind : {SkinMotion::deforming, SkinMotion::rigid})
    for (const double angle : {0.0, 1.0, 2.0, 3.0, 3.14159265358979}) {
      const SkinBody body = block(kind, 8, 1, 1);
      const LinearMotion motion = rigid_motion(angle, Vector(0, 0, 1), Vector(0, 0, 2), Vector(1, 0, 0));
      const SurfaceMesh mesh = make_body_skin(body, spacing)->follow(motion.move(body.rest));
      EXPECT_LT(deviation(body, mesh, motion).second, 1e-4) << angle;
      if (angle < 3.1) {
        EXPECT_LT(deviation(body, mesh, motion).first, 1e-5) << angle;
      }
      for (const Triangle& t : mesh.triangles)  // nothing is mirrored or stretched
        EXPECT_NEAR(
            (vector(mesh.position[size_t(t[0])]) - vector(mesh.position[size_t(t[1])])).norm(),
            (vector(body.surface.vertices[size_t(t[0])]) - vector(body.surface.vertices[size_t(t[1])]))
                .norm(),
            1e-5);
    }
  SkinBody lone = block(SkinMotion::rigid, 1, 1, 1);
  const LinearMotion shift{Matrix::Identity(), Matrix::Zero(), Vector(1, 2, 3), Vector(4, 5, 6)};
  for (const SkinMotion kind : {SkinMotion::deforming, SkinMotion::rigid}) {
    lone.binding.motion = kind;
    EXPECT_LT(deviation(lone, make_body_skin(lone, spacing)->follow(shift.move(lone.rest)), shift).first,
              1e-6);
  }
}

/// Vertices outside all supports are counted and move with the nearest particle, however far it is.
TEST(Skin, FarVerticesFollowTheNearestParticle) {
  SkinBody body = block(SkinMotion::deforming);
  std::mt19937 random(11);
  std::uniform_real_distribution<float> place(-6, 6);
  for (Float3& x : body.surface.vertices)
    for (float& c : x) c = place(random);
  const SkinParticles now = stirred(body.rest, 7);
  const SkinReference reference{body, now, spacing};
  const auto skin = make_body_skin(body, spacing);
  const SurfaceMesh mesh = skin->follow(now);
  int alone = 0;
  for (size_t v = 0; v < mesh.position.size(); ++v) {
    const Vector x = vector(body.surface.vertices[v]);
    const auto expected = reference.place(x);
    alone += expected.alone;
    EXPECT_LT((vector(mesh.position[v]) - expected.position).norm(), 1e-4) << v;
  }
  EXPECT_EQ(skin->lone_vertices(), alone);
  EXPECT_GT(alone, 100);
}

/// A block that is cut across x, and pieces that move away from each other.
struct Broken {
  SkinBody body = block(SkinMotion::breaking, 12, 3, 4);
  SkinParticles now;
  std::vector<LinearMotion> motion;
  explicit Broken(int pieces) {
    now.position.resize(body.rest.size());
    now.velocity.resize(body.rest.size());
    for (int p = 0; p < pieces; ++p)
      motion.push_back(rigid_motion(0.4 * p, Vector(0, 1, p), Vector(p, 0, 1), Vector(p, 0.5 * p, 0)));
    for (size_t j = 0; j < body.rest.size(); ++j) {
      const int piece = std::min(int(body.rest[j][0] / (12 * spacing) * float(pieces)), pieces - 1);
      now.fragment.push_back(7 * piece + 1);
      const Vector x = vector(body.rest[j]);
      now.position[j] = plain(motion[size_t(piece)].position(x));
      now.velocity[j] = plain(motion[size_t(piece)].velocity(x));
    }
  }
};

/// Whether every triangle moves rigidly with one of the pieces: none spans a crack. Also whether all pieces
/// have some.
void expect_pieces(const Broken& broken, const SurfaceMesh& mesh) {
  const TriangleMesh& rest = broken.body.surface;
  ASSERT_EQ(mesh.triangles.size(), rest.triangles.size());
  EXPECT_EQ(mesh.velocity.size(), mesh.position.size());
  std::set<size_t> used;
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    double least = 1e9;
    size_t piece = 0;
    for (size_t p = 0; p < broken.motion.size(); ++p) {
      double worst = 0;
      for (size_t k = 0; k < 3; ++k) {
        const Vector x = vector(rest.vertices[size_t(rest.triangles[t][k])]);
        const size_t v = size_t(mesh.triangles[t][k]);
        worst = std::max({worst, (vector(mesh.position[v]) - broken.motion[p].position(x)).norm(),
                          (vector(mesh.velocity[v]) - broken.motion[p].velocity(x)).norm()});
      }
      if (worst < least) piece = p;
      least = std::min(least, worst);
    }
    EXPECT_LT(least, 3e-5) << "triangle " << t << " of " << broken.motion.size() << " pieces";
    used.insert(piece);
  }
  EXPECT_EQ(used.size(), broken.motion.size());
}

TEST(Skin, PiecesKeepTheirPiece) {
  for (const int pieces : {1, 2, 3, 12}) {
    const Broken broken(pieces);
    const auto skin = make_body_skin(broken.body, spacing);
    const SurfaceMesh mesh = skin->follow(broken.now);
    expect_pieces(broken, mesh);
    const TriangleMesh& rest = broken.body.surface;
    EXPECT_EQ(mesh.position.size() > rest.vertices.size(), pieces > 1);
    // A body whose frames speak of no fragments has no copies.
    const SurfaceMesh whole = skin->follow({broken.now.position, broken.now.velocity, {}});
    EXPECT_EQ(whole.position.size(), rest.vertices.size());
    EXPECT_EQ(whole.triangles, rest.triangles);
  }
}

/// Where no number of a fragment tells, for a crack may end within one, the distance of the particles does.
TEST(Skin, BrokenBondsAreNotBridged) {
  for (const int pieces : {1, 2, 3}) {
    Broken broken(pieces);
    broken.now.fragment.assign(broken.body.rest.size(), 4);
    broken.body.binding.most_stretch = 0.05f;
    expect_pieces(broken, make_body_skin(broken.body, spacing)->follow(broken.now));
  }
}

/// A crack from above that ends in the middle: below, the surface stays as it is.
TEST(Skin, ACrackMayEndInTheBody) {
  SkinBody body = block(SkinMotion::breaking, 8, 3, 8);
  body.binding.most_stretch = 0.3f;
  LinearMotion still{Matrix::Identity(), Matrix::Zero(), Vector::Zero(), Vector::Zero()};
  SkinParticles now = still.move(body.rest);
  for (size_t j = 0; j < body.rest.size(); ++j)  // opens from z = 0.4 upwards
    if (body.rest[j][0] > 0.4f) now.position[j][0] += std::max(0.0f, 2 * (body.rest[j][2] - 0.4f));
  const auto skin = make_body_skin(body, spacing);
  const SurfaceMesh mesh = skin->follow(now);
  ASSERT_EQ(mesh.triangles.size(), body.surface.triangles.size());
  EXPECT_GT(mesh.position.size(), body.surface.vertices.size());
  for (size_t t = 0; t < mesh.triangles.size(); ++t)
    for (size_t k = 0; k < 3; ++k) {
      const size_t a = size_t(mesh.triangles[t][k]), b = size_t(mesh.triangles[t][(k + 1) % 3]);
      const Vector rest = vector(body.surface.vertices[size_t(body.surface.triangles[t][k])]);
      if (rest[2] < 0.15) {
        EXPECT_LT((vector(mesh.position[a]) - rest).norm(), 1e-6);
      }
      // An edge at rest is at most 0.103 long; the shear of 2 on the right makes it 0.27, the gap 0.8.
      EXPECT_LT((vector(mesh.position[a]) - vector(mesh.position[b])).norm(), 0.35) << t;
    }
}

/// Triangles that share a vertex and a piece share the copy: a piece has no cracks of its own.
TEST(Skin, PiecesAreConnected) {
  const Broken broken(3);
  const SurfaceMesh mesh = make_body_skin(broken.body, spacing)->follow(broken.now);
  std::set<int> used;
  for (const Triangle& t : mesh.triangles) used.insert(t.begin(), t.end());
  std::set<Float3> distinct;
  for (const int v : used) distinct.insert(mesh.position[size_t(v)]);
  EXPECT_EQ(distinct.size(), used.size());
  // Two cuts. At each of them, of every pair of triangles between two columns of 12 vertices one goes left
  // and takes a copy from the right, and one goes right and takes a copy from the left.
  EXPECT_EQ(mesh.position.size(), broken.body.surface.vertices.size() + 2 * (11 + 11));
}

TEST(Skin, HasTheSameBitsInEveryOrder) {
  const Broken broken(5);
  SkinBody soft = block(SkinMotion::deforming), stiff = block(SkinMotion::rigid);
  soft.surface.vertices[3] = {2, 2, 2};
  const SkinParticles now = stirred(soft.rest, 9);
  const auto all = [&] {
    std::vector<SurfaceMesh> meshes;
    meshes.push_back(make_body_skin(broken.body, spacing)->follow(broken.now));
    meshes.push_back(make_body_skin(soft, spacing)->follow(now));
    meshes.push_back(make_body_skin(stiff, spacing)->follow(now));
    return meshes;
  };
  const auto expected = all();
  const auto expect_equal = [&](const std::vector<SurfaceMesh>& found) {
    for (size_t k = 0; k < found.size(); ++k) {
      EXPECT_EQ(found[k].position, expected[k].position);
      EXPECT_EQ(found[k].velocity, expected[k].velocity);
      EXPECT_EQ(found[k].normal, expected[k].normal);
      EXPECT_EQ(found[k].triangles, expected[k].triangles);
    }
  };
  for (const char* order : {"reversed", "shuffled:3"}) {
    set_launch_order(order);
    expect_equal(all());
  }
  set_launch_order("ascending");
  for (const int threads : {1, 3}) expect_equal(with_threads(threads, all));
}

/// Frames of one body are made one after the other, in any order: none depends on the one before.
TEST(Skin, FramesAreIndependent) {
  const Broken broken(4);
  const auto skin = make_body_skin(broken.body, spacing);
  const SurfaceMesh first = skin->follow(broken.now);
  skin->follow({stirred(broken.body.rest, 2).position, broken.now.velocity, {}});
  const SurfaceMesh again = skin->follow(broken.now);
  EXPECT_EQ(first.position, again.position);
  EXPECT_EQ(first.triangles, again.triangles);
}

}  // namespace skin_test
MERGANSER_END
