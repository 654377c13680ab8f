#include "solvers/methods/rigid/rigid_body.h"

#include <algorithm>
#include <cmath>

#include "solvers/base/parameter_rows.h"
#include "solvers/base/point_arithmetic.h"
#include "solvers/geometry/signed_distance/mesh_soundness.h"
#include "solvers/methods/rigid/point_masses.h"

namespace merganser {

namespace {

using namespace point_arithmetic;

Point3 point_of(const Float3& x) { return {x[0], x[1], x[2]}; }
bool is_zero(const Point3& a) { return a == Point3{0, 0, 0}; }

/// To rounding; `axis` has length 1.
bool is_along(const Point3& a, const Point3& axis) { return length(cross(a, axis)) <= 1e-6 * length(a); }

/// [m] Of a mesh whose vertices lie on a sphere about this point (0.5 %), with faces close to it (3 %); 0 of
/// others.
double radius_of_ball(const TriangleMesh& mesh, const Point3& centre) {
  double least = 1e30, most = 0;
  for (const Float3& x : mesh.vertices) {
    const double r = length(point_of(x) - centre);
    least = std::min(least, r);
    most = std::max(most, r);
  }
  if (!(least > 0.995 * most)) return 0;
  for (const Triangle& t : mesh.triangles) {
    Point3 arm[3];
    for (size_t k = 0; k < 3; ++k) arm[k] = point_of(mesh.vertices[size_t(t[k])]) - centre;
    const Point3 normal = cross(arm[1] - arm[0], arm[2] - arm[0]);
    if (!(std::abs(dot(normal, arm[0])) > 0.97 * most * length(normal))) return 0;
  }
  return most;
}

/// Balls and cylinders touch walls with their own surface.
void find_roundness(const ShapeParameters& shape, const Point3& centre, RigidBodyState& state) {
  if (shape.is_mesh()) {
    state.round_radius = radius_of_ball(shape.mesh, centre);
  } else if (shape.word == "sphere") {
    state.round_radius = shape.radius;
  } else if (shape.word == "cylinder") {
    state.round_radius = shape.radius;
    const Point3 along = shape.end - shape.start;
    state.round_axis = (1 / length(along)) * along;
  }
}

}  // namespace

const std::vector<BodyKind>& RigidBody::kinds() {
  using B = RigidBody;
  static const std::vector<BodyKind> made = filled_body_kinds<B>(
      "rigidBody",
      ParameterRows<B>("rigidBody")
          .number("density0", &B::density0, at_least(0), "kg/m^3", "Density; give density0 or mass")
          .number("mass", &B::mass, at_least(0), "kg", "Mass of the whole body; give density0 or mass")
          .point("spin", &B::spin, "rad/s",
                 "Initial angular velocity about the centre of mass or, with a joint, about its point. It "
                 "lies along the axis of a hinge; a slider has none")
          .number("startTime", &B::start_time, at_least(0), "s", start_time_meaning)
          .choice("joint", &B::joint,
                  {{"free", RigidJoint::free},
                   {"ball", RigidJoint::ball},
                   {"hinge", RigidJoint::hinge},
                   {"slider", RigidJoint::slider}},
                  "How it may move: freely; about jointPoint; about the axis jointAxis through jointPoint; "
                  "along jointAxis without turning")
          .direction("jointAxis", &B::axis, "", "Axis of a hinge, direction of a slider")
          .point("jointPoint", &B::point, "m", "Fixed point of a ball joint, point on the axis of a hinge")
          .boolean("kinematic", &B::kinematic, "Nothing moves the body but its motions")
          .list("motions", &B::motions, "How a kinematic body moves; it is at rest otherwise")
          .rule(
              "density0", [](const B& b) { return (b.density0 > 0) != (b.mass > 0); },
              " and mass is {mass}; one of them, and only one, must be greater than 0")
          .rule(
              "startTime", [](const B& b) { return b.start_time == 0 || !b.kinematic; },
              ", must be 0 where kinematic is true: give its motions a startTime instead")
          .rule(
              "motions", [](const B& b) { return b.motions.empty() || b.kinematic; },
              ", must be left out where kinematic is false: give a velocity and a spin instead")
          .rule(
              "joint", [](const B& b) { return !b.kinematic || b.joint == RigidJoint::free; },
              ", must be free where kinematic is true")
          .rule(
              "velocity", [](const B& b) { return !b.kinematic || is_zero(b.velocity); },
              ", must be left out where kinematic is true: give motions with a velocity instead")
          .rule(
              "spin", [](const B& b) { return !b.kinematic || is_zero(b.spin); },
              ", must be left out where kinematic is true: give motions with an angularVelocity instead")
          .rule(
              "jointPoint",
              [](const B& b) { return b.joint != RigidJoint::free || b.point == RigidBody{}.point; },
              ", does nothing without a joint; give \"joint\": \"ball\" or \"hinge\", or leave it out")
          .rule(
              "jointAxis",
              [](const B& b) { return b.joint != RigidJoint::free || b.axis == RigidBody{}.axis; },
              ", does nothing without a joint; give \"joint\": \"hinge\" or \"slider\", or leave it out")
          .rule(
              "spin", [](const B& b) { return b.joint != RigidJoint::slider || is_zero(b.spin); },
              ", must be left out where joint is \"slider\", which does not turn; give a velocity along "
              "jointAxis")
          .rule(
              "spin", [](const B& b) { return b.joint != RigidJoint::hinge || is_along(b.spin, b.axis); },
              ", must be along jointAxis, {jointAxis}, where joint is \"hinge\", which turns about no other "
              "axis")
          .rule(
              "velocity",
              [](const B& b) { return b.joint != RigidJoint::slider || is_along(b.velocity, b.axis); },
              ", must be along jointAxis, {jointAxis}, where joint is \"slider\", which moves no other way")
          .rule(
              "velocity",
              [](const B& b) {
                return (b.joint != RigidJoint::ball && b.joint != RigidJoint::hinge) || is_zero(b.velocity);
              },
              ", must be left out where joint is {joint}, which only turns about jointPoint; give a spin"));
  return made;
}

BodyEstimate RigidBody::estimate(const BodySite& site, const SystemState& system) const {
  BodyEstimate made = FilledBody::estimate(site, system);
  made.mass = mass > 0 ? mass : density0 * mass_properties(shape).volume;
  return made;
}

void RigidBody::add_to(SystemState& system, const BodySite& site) const {
  const std::vector<Float3> points = fill(site);
  const int first = static_cast<int>(system.position.size()), count = static_cast<int>(points.size());
  system.parameters.of<RigidParameters>().bodies.push_back({.body = site.body,
                                                            .first = first,
                                                            .count = count,
                                                            .joint = kinematic ? RigidJoint::held : joint,
                                                            .axis = axis,
                                                            .point = point,
                                                            .motions = motions});
  const MassProperties solid =
      shape.is_mesh() ? mass_properties(solid_surface(shape.mesh, relaxed_surface_cell * site.spacing()))
                      : mass_properties(shape);
  find_roundness(shape, solid.centre, system.parameters.of<RigidParameters>().bodies.back());
  const std::vector<double> masses = point_masses(points, solid, mass > 0 ? mass : density0 * solid.volume);
  const Point3 turns_about = joint == RigidJoint::free ? solid.centre : point;
  for (size_t i = 0; i < points.size(); ++i) {
    const Float3& x = points[i];
    const Point3 arm{x[0] - turns_about[0], x[1] - turns_about[1], x[2] - turns_about[2]};
    const Point3 v{velocity[0] + spin[1] * arm[2] - spin[2] * arm[1],
                   velocity[1] + spin[2] * arm[0] - spin[0] * arm[2],
                   velocity[2] + spin[0] * arm[1] - spin[1] * arm[0]};
    add_particle(system, x, v, masses[i], site.particle_radius, kinematic, site.body);
  }
}

}  // namespace merganser
