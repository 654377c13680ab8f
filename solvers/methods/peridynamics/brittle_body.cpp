#include "solvers/methods/peridynamics/brittle_body.h"
#include "solvers/base/parameter_rows.h"

#include <cmath>

namespace merganser {

const ParameterTable& BrittleBody::Crack::table() {
  static const ParameterTable made =
      ParameterRows<Crack>("preCrack")
          .point("corner", &Crack::corner, "m", "Corner of the parallelogram")
          .required()
          .edge("edgeU", &Crack::edge_u, "m", "First edge, from the corner")
          .required()
          .edge("edgeV", &Crack::edge_v, "m", "Second edge, from the same corner")
          .required()
          .spanning_edges(&Crack::edge_u, &Crack::edge_v);
  return made;
}

const ParameterTable& BrittleBody::Load::table() {
  static const ParameterTable made =
      ParameterRows<Load>("load")
          .point("acceleration", &Load::acceleration, "m/s^2",
                 "Force / mass; for a traction: traction / (density0 * thickness of the layer in the box)")
          .required()
          .corners("box", &Load::box, "m",
                   "Opposite corners; selects the particles centred inside at the start, or if there are "
                   "none, those that reach inside")
          .required()
          .number("startTime", &Load::start_time, at_least(0), "s", "Start of the load")
          .number("endTime", &Load::end_time, at_least(0), "s", "End of the load")
          .ordered_times(&Load::start_time, &Load::end_time);
  return made;
}

const std::vector<BodyKind>& BrittleBody::kinds() {
  using B = BrittleBody;
  static const std::vector<BodyKind> made = filled_body_kinds<B>(
      "brittleBody",
      ParameterRows<B>("brittleBody")
          .number("density0", &B::density0, above(0), "kg/m^3", "Rest density")
          .required()
          .number("youngsModulus", &B::youngs_modulus, above(0), "Pa",
                  "Young's modulus; Poisson's ratio is 1/4")
          .required()
          .number("fractureEnergy", &B::fracture_energy, at_least(0), "J/m^2",
                  "Critical energy release rate G0, gives the critical stretch; see criticalStretch")
          .number("criticalStretch", &B::critical_stretch, at_least(0).up_to(10), "",
                  "Stretch at which a bond breaks; give criticalStretch or fractureEnergy; without both the "
                  "body is unbreakable")
          .number("criticalStretchScatter", &B::stretch_scatter, at_least(0).up_to(0.99), "",
                  "Relative scatter s. The critical stretch of each bond is drawn from (1 - s) to (1 + s) "
                  "times the mean")
          .point("spin", &B::spin, "rad/s", spin_about_centre)
          .regions("pinned", &B::pinned, "none", "Particles that are held in place")
          .list("prescribed", &B::prescribed, "Particles with prescribed motion")
          .list("preCracks", &B::pre_cracks,
                "Initial cracks: parallelograms that break every bond across them")
          .list("loads", &B::loads, "Body forces on some of the particles")
          .rule(
              "criticalStretch",
              [](const B& body) { return !(body.critical_stretch > 0 && body.fracture_energy > 0); },
              " and fractureEnergy is {fractureEnergy}; one follows from the other: give only one of them"));
  return made;
}

PeridynamicMaterial BrittleBody::material(const BodySite& site) const {
  PeridynamicMaterial made;
  made.body = site.body;
  made.density = density0;
  made.spacing = site.spacing();
  made.bulk_modulus = youngs_modulus / 1.5;
  made.fracture_energy = fracture_energy;
  if (critical_stretch > 0 || fracture_energy > 0) made.critical_stretch = critical_stretch;
  made.stretch_scatter = stretch_scatter;
  return made;
}

/// Bonds that are stretched further than the strongest can bear are broken. Their strength is looked at after
/// the advance; what moves particles after that stays within a tenth of it.
std::optional<SkinBinding> BrittleBody::skin_binding(const SystemState& system, const BodySite& site) const {
  const double horizon = system.parameters.of<PeridynamicsParameters>().horizon_factor * site.spacing();
  const double most = mean_critical_stretch(material(site), horizon) * (1 + stretch_scatter);
  if (!(most < 1e30)) return SkinBinding{};  // unbreakable
  return SkinBinding{SkinMotion::breaking, static_cast<float>(1.1 * most)};
}

void BrittleBody::add_to(SystemState& system, const BodySite& site) const {
  const std::vector<Float3> points = fill(site);
  const double radius = site.particle_radius;
  std::vector<char> held = held_by_boxes(pinned, points, radius, site.path);
  add_prescribed(prescribed, points, radius, site.path, system, held);
  auto& of_system = system.parameters.of<PeridynamicsParameters>();
  of_system.materials.push_back(material(site));
  for (const Crack& crack : pre_cracks)
    of_system.pre_cracks.push_back(
        {site.body, sum_of(crack.corner, shape.translation), crack.edge_u, crack.edge_v});
  const int offset = static_cast<int>(system.position.size());
  for (size_t l = 0; l < loads.size(); ++l) {
    PeridynamicLoad load{
        .particles = particles_in(loads[l].box, points, radius, site.path + ".loads." + std::to_string(l)),
        .acceleration = loads[l].acceleration,
        .start_time = loads[l].start_time,
        .end_time = loads[l].end_time};
    for (int& i : load.particles) i += offset;
    of_system.loads.push_back(std::move(load));
  }
  const double mass = density0 * std::pow(site.spacing(), 3);
  for (size_t i = 0; i < points.size(); ++i)
    add_particle(system, points[i], velocity, mass, radius, held[i], site.body);
  add_spin(system, size_t(offset), spin, centre_of_mass(system, size_t(offset)));
}

}  // namespace merganser
