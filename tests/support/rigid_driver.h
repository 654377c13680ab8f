#pragma once
/// Rigid bodies that are stepped alone, and a slow double-precision reference of a body that turns freely.
#include <cmath>
#include <vector>

#include "solvers/methods/all_methods.h"
#include "solvers/methods/rigid/rigid_bodies.h"
#include "tests/support/step_driver.h"
#include "tests/support/test_namespace.h"

MERGANSER_BEGIN
namespace test {

/// A system to be, block by block.
struct RigidBlocks : SystemState {
  RigidBlocks() {
    use(*find_method("rigid"));
    name = "solid";
    self_contact = true;
  }
  RigidBodyState& last() { return parameters.of<RigidParameters>().bodies.back(); }
  /// Particles of 1000 kg/m^3 at these places [m], a spacing wide each.
  void add(const std::vector<Vec3d>& places, double spacing, const Vec3d& velocity = {0, 0, 0},
           const Vec3d& spin = {0, 0, 0}, double density0 = 1000) {
    Vec3d centre{0, 0, 0};
    for (const Vec3d& x : places) centre += x / double(places.size());
    auto& all = parameters.of<RigidParameters>().bodies;
    all.emplace_back();
    all.back().body = static_cast<int>(all.size()) - 1;
    all.back().first = static_cast<int>(position.size());
    all.back().count = static_cast<int>(places.size());
    for (const Vec3d& x : places) {
      const Vec3d v = velocity + cross(spin, x - centre);
      position.push_back({float(x.x), float(x.y), float(x.z)});
      this->velocity.push_back({float(v.x), float(v.y), float(v.z)});
      mass.push_back(static_cast<float>(density0 * std::pow(spacing, 3)));
      radius.push_back(static_cast<float>(0.5 * spacing));
      immobile.push_back(0);
      body.push_back(all.back().body);
    }
  }
  void hold_last() {
    last().joint = RigidJoint::held;
    for (int i = last().first; i < last().first + last().count; ++i) immobile[size_t(i)] = 1;
  }
  std::vector<BodyInfo> infos() const {
    return std::vector<BodyInfo>(parameters.of<RigidParameters>().bodies.size(), BodyInfo{"body", 0});
  }
};

/// nx x ny x nz places, the first one at `corner`.
inline std::vector<Vec3d> block(int nx, int ny, int nz, const Vec3d& corner, double spacing) {
  std::vector<Vec3d> places;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i)
        places.push_back(corner + spacing * Vec3d{double(i), double(j), double(k)});
  return places;
}
/// Those of a lattice around `centre` within `radius`.
inline std::vector<Vec3d> ball(double radius, const Vec3d& centre, double spacing) {
  std::vector<Vec3d> places;
  const int n = static_cast<int>(radius / spacing) + 1;
  for (int k = -n; k <= n; ++k)
    for (int j = -n; j <= n; ++j)
      for (int i = -n; i <= n; ++i) {
        const Vec3d arm = spacing * Vec3d{double(i), double(j), double(k)};
        if (norm(arm) <= radius) places.push_back(centre + arm);
      }
  return places;
}

struct RigidDriver : StepDriver<RigidBodies> {
  RigidDriver(const RigidBlocks& state, Vec3 gravity_of) : StepDriver(initial_particles(state), gravity_of) {
    system = std::make_unique<RigidBodies>(state, state.infos(), 0);
    mass = state.mass;
    body = state.body;
  }
  struct Sums {
    double mass = 0, kinetic = 0, potential = 0;
    Vec3d centre{0, 0, 0}, momentum{0, 0, 0}, angular_momentum{0, 0, 0};
  };
  /// Of one body, or of all.
  Sums sums(int of_body = -1) const {
    Sums sum;
    const auto x = positions(), v = velocities();
    for (size_t i = 0; i < x.size(); ++i) {
      if (of_body >= 0 && body[i] != of_body) continue;
      const double m = mass[i];
      const Vec3d at = to_double(x[i]), p = m * to_double(v[i]);
      sum.mass += m;
      sum.centre += m * at;
      sum.momentum += p;
      sum.angular_momentum += cross(at, p);
      sum.kinetic += 0.5 * m * norm_squared(to_double(v[i]));
      sum.potential -= m * dot(to_double(gravity), at);
    }
    sum.centre = sum.centre / sum.mass;
    return sum;
  }
  std::vector<float> mass;
  std::vector<int> body;
};

/// Euler's equations I w' = (I w) x w in the body's frame and q' = q w/2, by Runge-Kutta of fourth order with
/// steps of `dt`.
struct FreeTop {
  Vec3d inertia, omega;
  Quaternion turn;
  struct Rate {
    Vec3d omega;
    Quaternion turn;
  };
  Rate rate(const Vec3d& w, const Quaternion& q) const {
    const Vec3d i = inertia, l{i.x * w.x, i.y * w.y, i.z * w.z}, torque = cross(l, w);
    const Quaternion by = q * Quaternion{0, 0.5 * w};
    return {{torque.x / i.x, torque.y / i.y, torque.z / i.z}, by};
  }
  void step(double dt) {
    const auto moved = [&](const Rate& r, double t) {
      return Rate{omega + t * r.omega, {turn.w + t * r.turn.w, turn.v + t * r.turn.v}};
    };
    const Rate a = rate(omega, turn), at_b = moved(a, dt / 2), b = rate(at_b.omega, at_b.turn),
               at_c = moved(b, dt / 2), c = rate(at_c.omega, at_c.turn), at_d = moved(c, dt),
               d = rate(at_d.omega, at_d.turn);
    omega += (dt / 6) * (a.omega + 2.0 * b.omega + 2.0 * c.omega + d.omega);
    turn.w += dt / 6 * (a.turn.w + 2 * b.turn.w + 2 * c.turn.w + d.turn.w);
    turn.v += (dt / 6) * (a.turn.v + 2.0 * b.turn.v + 2.0 * c.turn.v + d.turn.v);
  }
};

}  // namespace test
MERGANSER_END
