#include "solvers/methods/elastic_sph/elastic_body.h"
#include "solvers/base/parameter_rows.h"

#include <cmath>

namespace merganser {

const std::vector<BodyKind>& SoftSolidBody::kinds() {
  using B = SoftSolidBody;
  static const std::vector<BodyKind> made = filled_body_kinds<B>(
      "elasticBody",
      ParameterRows<B>("elasticBody")
          .number("density0", &B::density0, above(0), "kg/m^3", "Rest density")
          .required()
          .include(ElasticMaterial::table(), &B::material)
          .choice("packing", &B::packing, {{"cubic", Packing::cubic}, {"hexagonal", Packing::hexagonal}},
                  "Lattice of the rest positions")
          .number("jitter", &B::jitter, at_least(0).up_to(0.5), "",
                  "Random displacement of the rest positions, fraction of the spacing")
          .number("displacement", &B::displacement, at_least(0), "m",
                  "Largest initial distance of a particle from its rest position, in a random direction per "
                  "particle")
          .point("spin", &B::spin, "rad/s", spin_about_centre)
          .number("startTime", &B::start_time, at_least(0), "s", start_time_meaning)
          .regions("pinned", &B::pinned, "none", "Particles that are held in place")
          .list("prescribed", &B::prescribed, "Particles with prescribed motion"));
  return made;
}

Sampling SoftSolidBody::sampling(const BodySite& site) const {
  return {.spacing = site.spacing(), .packing = packing, .jitter = jitter, .seed = site.seed};
}

bool SoftSolidBody::is_copy_of(const SoftSolidBody& other) const {
  return shape.is_congruent(other.shape) && density0 == other.density0 && material == other.material &&
         packing == other.packing && jitter == other.jitter;
}

bool SoftSolidBody::has_matrix_of(const SoftSolidBody& other) const {
  return is_copy_of(other) && pinned == other.pinned && prescribed == other.prescribed;
}

std::vector<Float3> SoftSolidBody::rest_points(const SystemState& system, const BodySite& site,
                                               ElasticMaterial& made) const {
  const auto& materials = system.parameters.of<ElasticSphParameters>().materials;
  for (size_t k = 0; k < site.earlier.size(); ++k) {
    const auto& original = static_cast<const SoftSolidBody&>(*site.earlier[k]);
    if (materials[k].rest_shape_of >= 0 || !is_copy_of(original)) continue;
    const RigidPlacement moved = moved_between(original.shape.placement(), shape.placement());
    made.rest_shape_of = materials[k].body;
    std::vector<Float3> points;
    for (size_t i = 0; i < system.body.size(); ++i) {
      if (system.body[i] != made.rest_shape_of) continue;
      const Float3& rest = system.rest_position[i];
      const Point3 x = moved({rest[0], rest[1], rest[2]});
      points.push_back({float(x[0]), float(x[1]), float(x[2])});
    }
    if (site.expect_count && shape.is_mesh()) site.expect_count(double(points.size()));
    return points;
  }
  return fill(site);
}

void SoftSolidBody::add_to(SystemState& system, const BodySite& site) const {
  ElasticMaterial made = material;
  const std::vector<Float3> points = rest_points(system, site, made);
  made.body = site.body;
  made.spacing = site.spacing();
  system.parameters.of<ElasticSphParameters>().materials.push_back(made);
  std::vector<char> held = held_by_boxes(pinned, points, site.particle_radius, site.path);
  add_prescribed(prescribed, points, site.particle_radius, site.path, system, held);
  std::vector<Float3> start =
      displacement > 0 ? displaced(points, displacement, site.seed + 977u * unsigned(site.body)) : points;
  for (size_t i = 0; i < points.size(); ++i)
    if (held[i]) start[i] = points[i];
  system.rest_position.insert(system.rest_position.end(), points.begin(), points.end());
  const double mass = density0 * std::pow(site.spacing(), 3);
  const size_t first = system.position.size();
  for (size_t i = 0; i < points.size(); ++i)
    add_particle(system, start[i], velocity, mass, site.particle_radius, held[i], site.body);
  add_spin(system, first, spin, centre_of_mass(system, first));
}

}  // namespace merganser
