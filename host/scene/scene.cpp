#include "host/scene/scene.h"

#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/scene/scene_keys.h"
#include "host/scene/scene_resolve.h"

namespace merganser {

namespace {

void apply_overrides(Json& scene, const SceneOverrides& overrides) {
  for (const std::string& setting : overrides.set) apply_setting(scene, setting);
  if (!scene.is_object() || !scene.contains("simulation") || !scene["simulation"].is_object())
    return;  // refused below
  Json& simulation = scene["simulation"];
  if (overrides.resolution) simulation["resolution"] = *overrides.resolution;
  if (overrides.seed) simulation["seed"] = *overrides.seed;
  if (overrides.end_time && overrides.frames)
    throw InputError("give an end time or a number of frames, not both");
  if (overrides.end_time) simulation["endTime"] = *overrides.end_time;
}

std::vector<CheckParameters> read_checks(const Json& given) {
  std::vector<CheckParameters> checks;
  for (const Json& check : given) {
    checks.push_back({.type = check["type"]});
    read_parameters(check, check_type(check["type"]).keys, &checks.back());
  }
  return checks;
}

}  // namespace

Scene load_scene(const std::filesystem::path& file, const SceneOverrides& overrides) {
  Json given = read_json_with_bases(file);
  apply_overrides(given, overrides);
  try {
    Json resolved = resolve_scene(given);
    Json& simulation = resolved["simulation"];
    if (overrides.frames) {
      if (*overrides.frames < 1)
        throw InputError("--frames: is " + std::to_string(*overrides.frames) + ", must be at least 1");
      simulation["endTime"] = static_cast<double>(*overrides.frames) / simulation["frameRate"].get<double>();
    }
    check_scene_references(resolved);
    if (resolved["title"] == "") resolved["title"] = file.stem().string();
    Scene scene;
    read_parameters(resolved, Scene::table(), &scene);
    read_parameters(simulation, SimulationParameters::table(), static_cast<SimulationParameters*>(&scene));
    scene.file = file;
    scene.checks = read_checks(resolved["checks"]);
    scene.resolved_json = resolved.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    return scene;
  } catch (const InputError& e) {
    throw InputError(file.string() + ": " + e.what());
  }
}

}  // namespace merganser
