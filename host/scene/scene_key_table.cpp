/// Keys that are not bound to a struct. Columns: kinds, name, type, unit, default, words or kind, range,
/// meaning.
#include "host/scene/scene_keys.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "host/checks/check_types.h"
#include "host/scene/scene_bodies.h"
#include "solvers/methods/all_methods.h"

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
  static constexpr KeyType types[] = {
      KeyType::number,    KeyType::integer,   KeyType::boolean, KeyType::name,    KeyType::point,
      KeyType::direction, KeyType::direction, KeyType::scale,   KeyType::corners, KeyType::choice,
      KeyType::file,      KeyType::regions,   KeyType::list};
  std::string fallback = row.fallback ? json_of(*row.fallback).dump() : "";
  if (!row.rule.empty()) fallback = row.rule == "?" ? "?" : "=" + row.rule;
  if (row.type == ParameterType::list) fallback = "[]";
  return {kind,      row.key,    types[static_cast<size_t>(row.type)],
          row.unit,  fallback,   row.type == ParameterType::list ? row.element->kind : row.words,
          row.range, row.meaning};
}

/// Adds the table, and those of what its lists hold, each once.
void add_table(const ParameterTable& table, std::vector<const ParameterTable*>& tables) {
  if (std::find(tables.begin(), tables.end(), &table) != tables.end()) return;
  tables.push_back(&table);
  for (const Parameter& row : table.rows)
    if (row.element) add_table(*row.element, tables);
}

/// Names first, then the tables of all structs, then the other keys: the order of the resolved scene.
std::vector<SceneKey> with_parameters(std::vector<SceneKey> others) {
  std::vector<const ParameterTable*> tables;
  for (const ParameterTable* table :
       {&MergeSplitParameters::table(), &PairwiseContactParameters::table(), &EmitterParameters::table()})
    add_table(*table, tables);
  std::vector<std::string> families;
  for (const Method& method : all_methods()) {
    for (const Method::Keys& of_method : method.keys) add_table(*of_method.table, tables);
    for (const BodyKind& body : method.bodies) add_table(body.table, tables);
    const std::string system = "system." + method.word, family = method.bodies.front().family;
    others.push_back(
        {system, "bodies", KeyType::list, "", method.emits ? "[]" : "", family, {}, method.bodies_meaning});
    if (method.emits)
      others.push_back({system, "emitters", KeyType::list, "", "[]", "emitter", {}, "Discs that emit fluid"});
    if (std::find(families.begin(), families.end(), family) != families.end()) continue;
    families.push_back(family);
    others.push_back(
        {family + ".*", "name", KeyType::name, "", "", "", {}, "Name, unique among all bodies and emitters"});
  }
  for (const ParameterTable& wall : WallParameters::tables()) add_table(wall, tables);
  for (const CheckType& check : check_types()) add_table(check.keys, tables);
  std::vector<SceneKey> keys;
  const auto is_name = [](const SceneKey& key) { return key.type == KeyType::name; };
  std::copy_if(others.begin(), others.end(), std::back_inserter(keys), is_name);
  for (const ParameterTable* table : tables)
    for (const Parameter& row : table->rows) keys.push_back(scene_key(table->kind, row));
  std::remove_copy_if(others.begin(), others.end(), std::back_inserter(keys), is_name);
  return keys;
}

ParameterValue parameter_value(const Json& value, const Parameter& row) {
  switch (row.type) {
    case ParameterType::number:
    case ParameterType::integer:
      return value.get<double>();
    case ParameterType::boolean:
      return value.get<bool>();
    case ParameterType::name:
    case ParameterType::choice:
    case ParameterType::file:
    case ParameterType::regions:
      return value.get<std::string>();
    case ParameterType::corners:
      return std::array{point_of(value[0]), point_of(value[1])};
    default:
      break;
  }
  Point3 point = point_of(value);
  if (row.type != ParameterType::direction) return point;
  const double length = std::hypot(point[0], point[1], point[2]);
  for (double& x : point) x /= length;
  return point;
}

}  // namespace

void read_parameters(const Json& object, const ParameterTable& table, void* into) {
  for (const Parameter& row : table.rows) {
    const auto found = object.find(row.key);
    if (found == object.end()) continue;  // it may be missing
    if (row.append && found->is_array())
      for (const Json& element : *found) read_parameters(element, *row.element, row.append(into));
    else
      row.set(into, parameter_value(*found, row));
  }
}

const std::vector<SceneKey>& scene_keys() {
  using enum KeyType;
  static const std::vector<SceneKey> keys = with_parameters({
      // clang-format off
      {"scene", "title", text, "", "\"\"", "", {}, "Title in the progress line and the summary; empty = name of the file"},
      {"scene", "description", text, "", "\"\"", "", {}, "Free text"},
      {"scene", "simulation", object, "", "", "simulation", {}, "Resolution, time and domain"},
      {"scene", "coupling", object, "", "{}", "coupling", {}, "Contacts between bodies and systems"},
      {"scene", "systems", list, "", "", "system", {}, "Systems of particles, each with its solver"},
      {"scene", "walls", list, "", "[]", "wall", {}, "Rigid walls"},
      {"scene", "checks", list, "", "[]", "check", {}, "Checks of the whole run, evaluated at its end"},
      {"scene", "render", free, "", "{}", "", {}, "Settings of tools/render.py: camera, section, color"},
      {"scene", "inputFiles", list, "", "[]", "inputFile", {}, "Written by merganser, not by hand: size and checksum of the files that the scene names; --resume refuses changed files"},
      {"inputFile", "file", text, "", "", "", {}, "Absolute path"},
      {"inputFile", "bytes", integer, "B", "", "", at_least(0).up_to(9e15), "Size of the file"},
      {"inputFile", "crc32", integer, "", "", "", at_least(0).up_to(4294967295.0), "CRC-32 of the content"},

      {"simulation", "particleRadius", number, "m", "", "", at_least(1e-9).up_to(1e6), "Particle radius at resolution 1, half the particle spacing"},
      {"simulation", "gravitation", point, "m/s^2", "[0, 0, -9.81]", "", {}, "Gravitational acceleration"},
      {"simulation", "endTime", number, "s", "1", "", above(0), "Simulated time at which the run ends"},
      {"simulation", "frameRate", number, "1/s", "50", "", above(0).up_to(1e9), "Frames per simulated second"},
      {"simulation", "timeStepSize", number, "s", "0", "", at_least(0), "Fixed time step; 0 = adaptive"},
      {"simulation", "maxTimeStepSize", number, "s", "0.001", "", above(0), "Upper bound of the adaptive time step"},
      {"simulation", "cflFactor", number, "", "1", "", above(0).up_to(10), "Largest displacement of a particle in a step / smallest particle radius"},
      {"simulation", "seed", integer, "", "1", "", at_least(0).up_to(4294967295.0), "Seed of all random numbers"},
      {"simulation", "statisticsInterval", integer, "", "1", "", at_least(1).up_to(1e9), "Steps between rows of statistics. The last step of a frame and of the run always has a row; with a check of every step (energyRise, energyLedger, overlapBeforeBreak) every step has one"},
      {"simulation", "resolution", number, "", "1", "", at_least(0.001).up_to(1000), "1 = particle spacing as given in the scene; 0.5 = twice the spacing"},
      {"simulation", "periodic", object, "", "{}", "periodic", {}, "Periodic domain"},
      {"periodic", "origin", point, "m", "[0, 0, 0]", "", {}, "Lower corner of the domain"},
      {"periodic", "length", point, "m", "[0, 0, 0]", "", at_least(0), "Period along each axis; 0 = open"},

      {"coupling", "reportOverlap", boolean, "", "false", "", {}, "With method none: search contacts for the column deepest_overlap (else nan); a check overlapBeforeBreak implies it"},
      {"coupling", "groupLimit", group_limit, "", "[8, 64]", "", {}, "Range from which each group's member limit is drawn, [MS] sec. 5.2"},

      {"system.*", "name", name, "", "", "", {}, "Name, unique among all systems"},

      {"emitter", "name", name, "", "", "", {}, "Name, unique among all bodies and emitters"},
      // clang-format on
  });
  return keys;
}

}  // namespace merganser
