#include "host/surface/surface_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/files/atomic_file.h"
#include "solvers/base/text_encoding.h"

namespace merganser {
namespace {

using Json = nlohmann::ordered_json;

/// FLIP has no smoothing length; its particles are as far apart as those of SPH with this factor.
constexpr double flip_smoothing_factor = 1.2;

/// A name becomes part of a file's name.
std::string name_of(const Json& named) {
  std::string name = named.at("name");
  const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
  if (name.empty() || !std::all_of(name.begin(), name.end(), allowed))
    throw InputError("'" + name + "' is not a name of letters, digits, _ and -");
  return name;
}

SurfaceFluid read_fluid(const Json& system, int index, double spacing) {
  SurfaceFluid fluid;
  fluid.name = name_of(system);
  fluid.system = index;
  fluid.spacing = spacing;
  fluid.h = spacing * (system.at("type") == "sph" ? system.at("smoothingLengthFactor").get<double>()
                                                  : flip_smoothing_factor);
  fluid.mass = system.at("density0").get<double>() * std::pow(spacing, 3);
  fluid.fusion_time = system.value("topologyFusionTime", fluid.fusion_time);
  for (const double value : {fluid.spacing, fluid.h, fluid.mass})
    if (!(value > 0 && value < std::numeric_limits<float>::max()))
      throw InputError("system '" + fluid.name + "' has a length or mass that is not positive");
  if (!(fluid.fusion_time >= 0))
    throw InputError("system '" + fluid.name + "' has a negative topologyFusionTime");
  return fluid;
}

}  // namespace

SurfaceScene read_surface_scene(const std::filesystem::path& run) {
  const std::filesystem::path file = run / "scene.json";
  std::error_code none;
  if (!std::filesystem::exists(file, none))
    throw InputError(fmt::format(
        "'{}' holds no run (there is no scene.json); give the folder that 'merganser run -o DIR' wrote",
        run.string()));
  SurfaceScene scene;
  const auto text = read_file(file);
  try {
    const Json json = Json::parse(text.begin(), text.end());
    const Json& simulation = json.at("simulation");
    const double spacing =
        2 * simulation.at("particleRadius").get<double>() / simulation.at("resolution").get<double>();
    if (simulation.contains("periodic"))
      for (const Json& length : simulation["periodic"].at("length"))
        scene.periodic = scene.periodic || length.get<double>() > 0;
    const Json& systems = json.at("systems");
    for (size_t s = 0; s < systems.size(); ++s) {
      const std::string type = systems[s].at("type");
      if (type == "sph" || type == "dfsph" || type == "flip")
        scene.fluids.push_back(read_fluid(systems[s], int(s), spacing));
      for (const char* list : {"bodies", "emitters"})  // numbered in this order, system by system
        if (systems[s].contains(list))
          for (const Json& body : systems[s][list]) {
            scene.bodies.push_back(name_of(body));
            if (body.value("shape", "") == "rope")
              scene.ropes += (scene.ropes.empty() ? "" : ", ") + scene.bodies.back();
          }
    }
  } catch (const std::exception& error) {
    throw InputError(fmt::format("'{}' is not a resolved scene ({}); run the scene again", file.string(),
                                 without_tag(error.what())));
  }
  return scene;
}

}  // namespace merganser
