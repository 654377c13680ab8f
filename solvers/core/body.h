#pragma once
/// Bodies: what a scene's lists of bodies hold, as plain parameters that become particles of a system.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/base/parameter_rows.h"
#include "solvers/core/estimate.h"
#include "solvers/core/initial_state.h"
#include "solvers/geometry/sampling/shape_parameters.h"
#include "solvers/geometry/sampling/skin_body.h"

namespace merganser {

struct BodyParameters;

/// Share of a body's mass by which its particles may be off without a note (notes_on_masses).
inline constexpr double usual_mass_error = 0.05;

/// [m^3] of a closed mesh that so many particles of spacing^3 fill. Where these miss its volume by more than
/// that, parts that overlap count once; 0 where the mesh is too small for its parts to be united.
double volume_to_fill(TriangleMesh mesh, double spacing, double particles);

/// Where and how finely a body is made.
struct BodySite {
  double particle_radius = 0;  ///< [m] at the wanted resolution
  double resolution = 1;
  std::uint32_t seed = 1;
  int body = 0;          ///< index into InitialState::bodies
  std::string path;      ///< of the body, for messages
  double looked_at = 0;  ///< lattice points that may be looked at to count particles
  std::function<void(double particles)> expect_count = {};  ///< throws where so many are too many
  std::vector<const BodyParameters*> earlier = {};  ///< bodies of the same system that are made, in order
  /// Particles that fill a closed mesh with "sampling": "relaxed".
  std::function<std::vector<Float3>(const TriangleMesh& mesh, double spacing)> relax = {};
  double spacing() const { return 2 * particle_radius; }
};

/// Parameters of a body of any kind.
struct BodyParameters {
  virtual ~BodyParameters() = default;
  /// Appends the body's particles to the system. Throws InputError that names the key.
  virtual void add_to(SystemState& system, const BodySite& site) const = 0;
  /// About how many particles it will have, without making them; 0 where only its mesh tells.
  virtual double expected_particles(const BodySite& site) const = 0;
  /// What it will take; `system` holds the keys of its system. A mesh was measured before.
  virtual BodyEstimate estimate(const BodySite& site, const SystemState& system) const = 0;
  /// Where its mesh, which a file holds, is to be read into; nullptr without one. Whether it must be closed.
  virtual ShapeParameters* meshed_shape() { return nullptr; }
  virtual bool fills_its_mesh() const { return false; }
  /// [kg] Density times volume of what its particles fill, which together weigh `of_particles`; 0 where they
  /// have just that, or fill nothing.
  virtual double mass_of_shape(const SystemState&, const BodySite&, double /*of_particles*/) const {
    return 0;
  }
  /// How the surface that it was made from follows its particles in a system with these keys; nothing: bodies
  /// of its kind have no skin.
  virtual std::optional<SkinBinding> skin_binding(const SystemState&, const BodySite&) const { return {}; }
  /// That surface at its place, closed forms in triangles with sides of about `edge` [m].
  virtual TriangleMesh surface(double /*edge*/) const { return {}; }
  bool operator==(const BodyParameters&) const = default;

  Point3 velocity{0, 0, 0};  ///< [m/s] at the start
  Point3 spin{0, 0, 0};      ///< [rad/s] angular velocity at the start
  double start_time = 0;     ///< [s] see LateBody
};

/// A kind of body: the family that a system's list holds, a word under "shape", and its keys.
struct BodyKind {
  std::string family;  ///< such as "brittleBody"
  std::string word;    ///< such as "torus"
  ParameterTable table;
  std::function<std::unique_ptr<BodyParameters>()> make;
};
/// Kinds of a family whose bodies fill a shape: one for each shape, its keys and then those of `rows`, the
/// table of Body, which has a ShapeParameters `shape`.
template <class Body>
std::vector<BodyKind> filled_body_kinds(const std::string& family, const ParameterTable& rows) {
  std::vector<BodyKind> kinds;
  for (const ParameterTable& shape : ShapeParameters::tables()) {
    ParameterTable table = ParameterRows<Body>(family + "." + shape.kind)
                               .include(shape, &Body::shape)
                               .include(ShapeParameters::sampling_table(), &Body::shape)
                               .point("velocity", &Body::velocity, "m/s", "Initial velocity");
    table.append(rows);
    kinds.push_back({family, shape.kind, std::move(table), [word = shape.kind] {
                       auto body = std::make_unique<Body>();
                       body->shape.word = word;
                       return body;
                     }});
  }
  return kinds;
}

/// A body that fills a shape or a closed mesh.
struct FilledBody : BodyParameters {
  ShapeParameters shape;
  ShapeParameters* meshed_shape() override { return shape.is_mesh() ? &shape : nullptr; }
  bool fills_its_mesh() const override { return true; }
  TriangleMesh surface(double edge) const override;
  double expected_particles(const BodySite& site) const override;
  BodyEstimate estimate(const BodySite& site, const SystemState& system) const override;
  double mass_of_shape(const SystemState& system, const BodySite& site, double of_particles) const override;
  virtual Sampling sampling(const BodySite& site) const = 0;
  virtual double density(const SystemState& system) const = 0;  ///< [kg/m^3]
  bool operator==(const FilledBody&) const = default;
  bool is_relaxed() const { return shape.sampling == SamplingMethod::relaxed; }
  /// Its particles' positions [m].
  std::vector<Float3> fill(const BodySite& site) const;

 private:
  std::vector<Float3> fill_relaxed(const BodySite& site) const;
  /// Throws InputError where a mesh holds too many particles.
  void expect_count_of_mesh(const BodySite& site) const;
};

/// Bytes for relaxing the particles of a mesh: its distances, and the boxes and sums of the relaxation.
double bytes_of_relaxing(const MeshSize& mesh, double spacing);

/// Adds spin x (x - centre) to the velocities of the particles from `first` on that are not held.
void add_spin(SystemState& system, size_t first, const Point3& spin, const Point3& centre);
/// Their centre of mass, held ones included [m].
Point3 centre_of_mass(const SystemState& system, size_t first);
/// What the spin of fluids, soft and brittle solids and cloths says of itself in schemas.
inline constexpr const char* spin_about_centre =
    "Initial angular velocity about the centre of mass; it adds to velocity";

/// What the start time of soft and rigid solids says of itself in schemas.
inline constexpr const char* start_time_meaning =
    "Time at which the body appears, with its velocity and spin; before it acts on nothing. It waits longer "
    "while others are in its place";

/// Appends one particle; a held one at rest.
void add_particle(SystemState& system, const Float3& position, const Point3& velocity, double mass,
                  double radius, bool held, int body);

}  // namespace merganser
