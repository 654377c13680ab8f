/// Keys that are not bound to a struct. Columns: kinds, name, type, unit, default, words or kind, range,
/// meaning.
#include "host/scene_keys.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "solvers/core/method.h"

namespace merganser {

namespace {

Json json_of(const ParameterValue& value) {
  if (const double* number = std::get_if<double>(&value)) {
    const bool whole = *number == std::floor(*number) && std::abs(*number) < 1e15;
    return whole ? Json(static_cast<long long>(*number)) : Json(*number);
  }
  if (const Point3* point = std::get_if<Point3>(&value)) {
    Json list = Json::array();
    for (double x : *point) list.push_back(json_of(x));
    return list;
  }
  if (const bool* flag = std::get_if<bool>(&value)) return *flag;
  return std::get<std::string>(value);
}

SceneKey scene_key(const std::string& kind, const Parameter& row) {
  static constexpr KeyType types[] = {KeyType::number, KeyType::integer,   KeyType::boolean,
                                      KeyType::point,  KeyType::direction, KeyType::choice};
  return {kind,
          row.key,
          types[static_cast<size_t>(row.type)],
          row.unit,
          row.fallback ? json_of(*row.fallback).dump() : "",
          row.words,
          row.range,
          row.meaning};
}

/// Names first, then the tables of all structs, then the other keys: the order of the resolved scene.
std::vector<SceneKey> with_parameters(std::vector<SceneKey> others) {
  std::vector<const ParameterTable*> tables = {
      &MergeSplitParameters::table(), &PairwiseContactParameters::table(), &EmitterParameters::table()};
  for (const Method& method : all_methods())
    for (const Method::Keys& of_method : method.keys)
      if (std::find(tables.begin(), tables.end(), of_method.table) == tables.end())
        tables.push_back(of_method.table);
  for (const ParameterTable& wall : WallParameters::tables()) tables.push_back(&wall);
  std::vector<SceneKey> keys;
  const auto is_name = [](const SceneKey& key) { return key.type == KeyType::name; };
  std::copy_if(others.begin(), others.end(), std::back_inserter(keys), is_name);
  for (const ParameterTable* table : tables)
    for (const Parameter& row : table->rows) keys.push_back(scene_key(table->kind, row));
  std::remove_copy_if(others.begin(), others.end(), std::back_inserter(keys), is_name);
  return keys;
}

ParameterValue parameter_value(const Json& object, const Parameter& row) {
  const Json& value = object[row.key];
  switch (row.type) {
    case ParameterType::number:
    case ParameterType::integer:
      return value.get<double>();
    case ParameterType::boolean:
      return value.get<bool>();
    case ParameterType::choice:
      return value.get<std::string>();
    default:
      break;
  }
  Point3 point{value[0].get<double>(), value[1].get<double>(), value[2].get<double>()};
  if (row.type == ParameterType::point) return point;
  const double length = std::hypot(point[0], point[1], point[2]);
  for (double& x : point) x /= length;
  return point;
}

}  // namespace

void read_parameters(const Json& object, const ParameterTable& table, void* into) {
  for (const Parameter& row : table.rows) row.set(into, parameter_value(object, row));
}

const std::vector<SceneKey>& scene_keys() {
  using enum KeyType;
  static const std::vector<SceneKey> keys = with_parameters({
      // clang-format off
      {"scene", "title", text, "", "\"\"", "", {}, "shown in the progress line and the summary; the file's name where empty"},
      {"scene", "description", text, "", "\"\"", "", {}, "free text"},
      {"scene", "simulation", object, "", "", "simulation", {}, "resolution, time and domain"},
      {"scene", "coupling", object, "", "{}", "coupling", {}, "contacts between bodies and systems"},
      {"scene", "systems", list, "", "", "system", {}, "what is simulated: one entry per solver"},
      {"scene", "walls", list, "", "[]", "wall", {}, "rigid boundaries"},
      {"scene", "checks", list, "", "[]", "check", {}, "statements about the whole run, evaluated at its end"},
      {"scene", "render", free, "", "{}", "", {}, "hints for tools/render.py: camera, section, color"},
      {"scene", "inputFiles", list, "", "[]", "inputFile", {}, "written by merganser: the files that the scene names, so that --resume finds a changed one; leave it out"},
      {"inputFile", "file", text, "", "", "", {}, "absolute path"},
      {"inputFile", "bytes", integer, "B", "", "", at_least(0).up_to(9e15), "its size"},
      {"inputFile", "crc32", integer, "", "", "", at_least(0).up_to(4294967295.0), "checksum of its content"},

      {"simulation", "particleRadius", number, "m", "", "", at_least(1e-9).up_to(1e6), "half the particle spacing at resolution 1"},
      {"simulation", "gravitation", point, "m/s^2", "[0, 0, -9.81]", "", {}, "acceleration of everything that is not held"},
      {"simulation", "endTime", number, "s", "1", "", above(0), "simulated time of the run"},
      {"simulation", "frameRate", number, "1/s", "50", "", above(0).up_to(1e9), "frames per simulated second"},
      {"simulation", "timeStepSize", number, "s", "0", "", at_least(0), "fixed step; 0 = adaptive"},
      {"simulation", "maxTimeStepSize", number, "s", "0.001", "", above(0), "upper bound of the adaptive step"},
      {"simulation", "cflFactor", number, "", "1", "", above(0).up_to(10), "share of the least particle radius that a particle may move in a step"},
      {"simulation", "seed", integer, "", "1", "", at_least(0).up_to(4294967295.0), "of every random draw"},
      {"simulation", "resolution", number, "", "1", "", at_least(0.001).up_to(1000), "1 = the spacing stated here, 0.5 = twice the spacing"},
      {"simulation", "periodic", object, "", "{}", "periodic", {}, "periodic domain"},
      {"periodic", "origin", point, "m", "[0, 0, 0]", "", {}, "lower corner of the domain"},
      {"periodic", "length", point, "m", "[0, 0, 0]", "", at_least(0), "period per axis, 0 = open"},

      {"coupling", "groupLimit", group_limit, "", "[8, 64]", "", {}, "limit of a group's members, drawn per group between the two, [MS] sec. 5.2"},

      {"system.*", "name", name, "", "", "", {}, "unique among the systems"},
      {"system.peridynamics", "bodies", list, "", "", "brittleBody", {}, "brittle or unbreakable solids"},
      {"system.elasticSph", "bodies", list, "", "", "elasticBody", {}, "soft solids"},
      {"system.massSpring system.peridynamics system.elasticSph", "selfContact", boolean, "", "true", "", {}, "its own particles collide with each other"},
      {"system.massSpring", "bodies", list, "", "", "solidBody", {}, "cloths and ropes"},
      {"system.sph system.flip", "bodies", list, "", "[]", "fluidBody", {}, "initial fluid"},
      {"system.sph system.flip", "emitters", list, "", "[]", "emitter", {}, "discs that emit fluid"},

      {"solidBody.* fluidBody.* emitter brittleBody.* elasticBody.*", "name", name, "", "", "", {}, "unique among all bodies and emitters"},
      {"solidBody.sheet", "origin", point, "m", "", "", {}, "first corner"},
      {"solidBody.sheet", "edgeU", direction, "m", "", "", {}, "from the first corner along one edge"},
      {"solidBody.sheet", "edgeV", direction, "m", "", "", {}, "and along the other"},
      {"solidBody.clothMesh fluidBody.mesh brittleBody.mesh elasticBody.mesh", "geometryFile", file, "", "", "", {}, "triangle mesh: OBJ, PLY or STL; fluid: closed"},
      {"fluidBody.box brittleBody.box elasticBody.box", "start", point, "m", "", "", {}, "lower corner"},
      {"fluidBody.box brittleBody.box elasticBody.box", "end", point, "m", "", "", {}, "upper corner"},
      {"fluidBody.sphere brittleBody.sphere elasticBody.sphere", "centre", point, "m", "", "", {}, "centre"},
      {"fluidBody.sphere brittleBody.sphere elasticBody.sphere", "radius", number, "m", "", "", above(0), "radius"},
      {"fluidBody.sphere brittleBody.sphere elasticBody.sphere", "geometryFile", file, "", "?", "", {}, "a closed mesh to take the sphere's place: centred like it, its longest side the diameter"},
      {"solidBody.clothMesh fluidBody.mesh brittleBody.mesh elasticBody.mesh", "fitSize", number, "m", "0", "", at_least(0), "0 = off; else first centred at the origin and scaled so that the longest side is this"},
      {"solidBody.clothMesh fluidBody.mesh brittleBody.mesh elasticBody.mesh", "scale", scale, "", "[1, 1, 1]", "", {}, "of the mesh"},
      {"solidBody.clothMesh fluidBody.mesh fluidBody.sphere brittleBody.mesh brittleBody.sphere elasticBody.mesh elasticBody.sphere", "rotationAxis", direction, "", "[0, 0, 1]", "", {}, "of the mesh"},
      {"solidBody.clothMesh fluidBody.mesh fluidBody.sphere brittleBody.mesh brittleBody.sphere elasticBody.mesh elasticBody.sphere", "rotationAngle", number, "rad", "0", "", {}, "of the mesh, after scaling"},
      {"solidBody.rope fluidBody.cylinder brittleBody.cylinder elasticBody.cylinder", "start", point, "m", "", "", {}, "one end (of the axis)"},
      {"solidBody.rope fluidBody.cylinder brittleBody.cylinder elasticBody.cylinder", "end", point, "m", "", "", {}, "the other end"},
      {"fluidBody.cylinder brittleBody.cylinder elasticBody.cylinder", "radius", number, "m", "", "", above(0), "radius"},
      {"fluidBody.torus brittleBody.torus elasticBody.torus", "centre", point, "m", "", "", {}, "centre"},
      {"fluidBody.torus brittleBody.torus elasticBody.torus", "axis", direction, "", "[0, 0, 1]", "", {}, "axis of symmetry"},
      {"fluidBody.torus brittleBody.torus elasticBody.torus", "majorRadius", number, "m", "", "", above(0), "from the centre to the middle of the tube"},
      {"fluidBody.torus brittleBody.torus elasticBody.torus", "minorRadius", number, "m", "", "", above(0), "of the tube"},
      {"fluidBody.bowl brittleBody.bowl elasticBody.bowl", "centre", point, "m", "", "", {}, "centre of the spherical shell, open upwards (z)"},
      {"fluidBody.bowl brittleBody.bowl elasticBody.bowl", "outerRadius", number, "m", "", "", above(0), "of the shell"},
      {"fluidBody.bowl brittleBody.bowl elasticBody.bowl", "thickness", number, "m", "", "", above(0), "of the shell"},
      {"fluidBody.bowl brittleBody.bowl elasticBody.bowl", "rimHeight", number, "m", "=1*outerRadius", "", above(0), "of the rim above the lowest point"},
      {"solidBody.sheet solidBody.rope", "spacing", number, "m", "=2*particleRadius", "", at_least(1e-9).up_to(1e6), "between neighboring particles at resolution 1"},
      {"solidBody.sheet solidBody.clothMesh", "arealDensity", number, "kg/m^2", "", "", above(0), "mass per area"},
      {"solidBody.rope", "lineDensity", number, "kg/m", "", "", above(0), "mass per length"},
      {"solidBody.*", "stretchStiffness", number, "N/m", "", "", above(0), "of the springs between neighbors"},
      {"solidBody.sheet", "shearStiffness", number, "N/m", "=0.5*stretchStiffness", "", at_least(0), "of the springs across the cells"},
      {"solidBody.*", "bendingStiffness", number, "N m", "0", "", at_least(0), "of the springs across two edges: their stiffness is this / spacing^2"},
      {"solidBody.sheet", "pinned", regions, "", "\"none\"", "none edges corners", {}, "particles that never move"},
      {"solidBody.clothMesh", "pinned", regions, "", "\"none\"", "none edges", {}, "particles that never move"},
      {"solidBody.rope", "pinned", regions, "", "\"none\"", "none start ends", {}, "particles that never move"},
      {"solidBody.*", "prescribed", list, "", "[]", "prescribedMotion", {}, "particles that are moved"},
      {"solidBody.* fluidBody.* brittleBody.* elasticBody.*", "velocity", point, "m/s", "[0, 0, 0]", "", {}, "initial velocity"},
      {"solidBody.* fluidBody.* brittleBody.* elasticBody.*", "translation", point, "m", "[0, 0, 0]", "", {}, "moves the whole body"},
      {"fluidBody.*", "packing", choice, "", "\"cubic\"", "cubic hexagonal", {}, "lattice of the initial particles"},
      {"fluidBody.*", "jitter", number, "", "0", "", at_least(0).up_to(0.5), "random displacement, share of the spacing"},
      {"brittleBody.* elasticBody.*", "density0", number, "kg/m^3", "", "", above(0), "of the solid"},
      {"brittleBody.*", "youngsModulus", number, "Pa", "", "", above(0), "Young's modulus; Poisson's ratio is 1/4"},
      {"brittleBody.*", "fractureEnergy", number, "J/m^2", "0", "", at_least(0), "energy release rate G0, from which the critical stretch follows; see criticalStretch"},
      {"brittleBody.*", "criticalStretch", number, "", "0", "", at_least(0).up_to(10), "a bond stretched by more breaks; give this or fractureEnergy, with neither the body is unbreakable"},
      {"brittleBody.*", "criticalStretchScatter", number, "", "0", "", at_least(0).up_to(0.99), "the critical stretch of each bond is drawn from 1 - this to 1 + this times the mean"},
      {"brittleBody.* elasticBody.*", "pinned", regions, "", "\"none\"", "none", {}, "particles that never move"},
      {"brittleBody.* elasticBody.*", "prescribed", list, "", "[]", "prescribedMotion", {}, "particles that are moved"},
      {"brittleBody.*", "preCracks", list, "", "[]", "preCrack", {}, "parallelograms; bonds across them are broken from the beginning"},
      {"brittleBody.*", "loads", list, "", "[]", "load", {}, "forces on some of its particles"},
      {"elasticBody.*", "youngsModulus", number, "Pa", "", "", above(0), "Young's modulus"},
      {"elasticBody.*", "poissonRatio", number, "", "0.33", "", at_least(0).up_to(0.499), "Poisson's ratio"},
      {"elasticBody.*", "alpha", number, "", "1", "", at_least(0).up_to(1e6), "stiffness of the zero-energy control relative to the shear modulus, [ES] eq. 20; 0 = none"},
      {"elasticBody.*", "packing", choice, "", "\"cubic\"", "cubic hexagonal", {}, "lattice of the particles"},
      {"elasticBody.*", "jitter", number, "", "0", "", at_least(0).up_to(0.5), "random displacement of the rest shape's particles, share of the spacing"},
      {"elasticBody.*", "displacement", number, "m", "0", "", at_least(0), "the particles start this far off the rest shape at most, each in a random direction of its own"},
      {"preCrack", "corner", point, "m", "", "", {}, "of the parallelogram"},
      {"preCrack", "edgeU", direction, "m", "", "", {}, "from the corner along one edge"},
      {"preCrack", "edgeV", direction, "m", "", "", {}, "and along the other"},
      {"load", "acceleration", point, "m/s^2", "", "", {}, "force / mass: a traction over density0 times the thickness of the layer in the box"},
      {"region prescribedMotion load", "box", corners, "m", "", "", {}, "the particles that are in it at the start, or where none is those that reach into it"},
      {"prescribedMotion", "velocity", point, "m/s", "[0, 0, 0]", "", {}, "between the two times; they stand still otherwise"},
      {"prescribedMotion", "angularVelocity", point, "rad/s", "[0, 0, 0]", "", {}, "of a turn about the centre, between the two times"},
      {"prescribedMotion", "centre", point, "m", "[0, 0, 0]", "", {}, "that they turn about, at the start time; it moves with the velocity"},
      {"prescribedMotion load", "startTime", number, "s", "0", "", at_least(0), "begins then"},
      {"prescribedMotion load", "endTime", number, "s", "1e30", "", at_least(0), "ends then"},


      {"check.noCrossing check.reportCrossings", "system", name, "", "", "", {}, "name of the system whose particles may or may not cross (SPH or peridynamics)"},
      {"check.noCrossing check.reportCrossings", "sheet", name, "", "", "", {}, "name of a body with a surface (sheet, clothMesh)"},
      {"check.energyRise", "limit", number, "", "0.01", "", above(0), "share of the kinetic energy by which total energy may rise in a step"},
      {"check.maxSpeed", "limit", number, "m/s", "", "", above(0), "of any particle"},
      {"check.momentumDrift", "limit", number, "", "", "", above(0), "change of momentum relative to the largest"},
      {"check.energyLedger", "limit", number, "", "0.01", "", above(0), "energy that the ledger cannot account for, relative to the largest kinetic + elastic energy; not for scenes with SPH"},
      {"check.breaks", "least", number, "", "", "", above(0).up_to(1), "share of the bonds of all peridynamic solids that must break"},
      {"check.travels", "body", name, "", "", "", {}, "name of a body"},
      {"check.travels", "least", number, "m", "", "", above(0), "distance of its centre from where it started that must be reached"},
      {"check.returnsToShape", "body", name, "", "", "", {}, "name of a body of an elasticSph system"},
      {"check.returnsToShape", "limit", number, "", "0.01", "", above(0), "mean distance of its particles at the end from the rest shape laid over them, relative to its longest side"},
      {"check.overlapBeforeBreak", "limit", number, "", "0.25", "", above(0).up_to(1), "share of the two radii's sum by which particles may overlap before the first bond breaks"},
      {"check.sameMotion check.noLinks", "body", name, "", "", "", {}, "name of a body of an SPH system"},
      {"check.sameMotion", "copy", name, "", "", "", {}, "name of a body of the same system: the first one moved by its translation"},
      {"check.sameMotion", "limit", number, "", "1e-6", "", above(0), "smoothing lengths by which a particle may move otherwise than its copy"},
      {"check.noLinks", "other", name, "", "", "", {}, "name of another body of the same system, whose neighborhood is topological"},
      // clang-format on
  });
  return keys;
}

}  // namespace merganser
