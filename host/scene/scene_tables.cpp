/// Keys of a scene itself, and of its checks.
#include "host/scene/input_files.h"
#include "host/scene/scene.h"
#include "solvers/base/parameter_rows.h"

namespace merganser {

const ParameterTable& InputFile::table() {
  using F = InputFile;
  static const ParameterTable made =
      ParameterRows<F>("inputFile")
          .text("file", &F::file, "Absolute path")
          .required()
          .integer("bytes", &F::bytes, at_least(0).up_to(9e15), "B", "Size of the file")
          .required()
          .integer("crc32", &F::crc32, at_least(0).up_to(4294967295.0), "", "CRC-32 of the content")
          .required();
  return made;
}

namespace {

/// What tools/render.py reads; the program itself only looks at the types.
struct RenderSettings {
  struct Camera {
    static const ParameterTable& table();
    Point3 position{0, 0, 0}, focus{0, 0, 0}, up{0, 0, 1};  ///< [m], [m], direction
  };
  static const ParameterTable& table();
  std::string section, wall_section, color, title;
};

const ParameterTable& RenderSettings::Camera::table() {
  using C = Camera;
  static const ParameterTable made = ParameterRows<C>("renderCamera")
                                         .point("position", &C::position, "m", "Where the camera stands")
                                         .required()
                                         .point("focus", &C::focus, "m", "What it looks at")
                                         .required()
                                         .point("up", &C::up, "", "Direction that is upward in the picture");
  return made;
}

const ParameterTable& RenderSettings::table() {
  using R = RenderSettings;
  static const ParameterTable made =
      ParameterRows<R>("render")
          .unbound("camera", ParameterType::object, "Place of the camera", &Camera::table())
          .optional()
          .text("section", &R::section,
                "With --particles: cut away what lies before this plane: x, y, z, y=0.1 or none")
          .optional()
          .text("wallSection", &R::wall_section,
                "Cut away what lies of walls before this plane, in all pictures")
          .optional()
          .text("color", &R::color, "With --particles: what colors show, as --color of tools/render.py")
          .optional()
          .text("title", &R::title, "Title in the picture")
          .optional();
  return made;
}

}  // namespace

const ParameterTable& Scene::table() {
  using enum ParameterType;
  static const ParameterTable made =
      ParameterRows<Scene>("scene")
          .text("title", &Scene::title,
                "Title in the progress line and the summary; empty = name of the file")
          .unbound("description", text, "Free text")
          .unbound("simulation", object, "Resolution, time and domain", &SimulationParameters::table())
          .required()
          .unbound("coupling", object, "Contacts between bodies and systems", &CouplingParameters::table())
          .unbound("systems", list, "Systems of particles, each with its solver", nullptr, "system")
          .required()
          .unbound("walls", list, "Rigid walls", nullptr, "wall")
          .unbound("probes", list, "What probes.csv is to hold, each at its own rate", nullptr, "probe")
          .unbound("checks", list, "Checks of the whole run, evaluated at its end", nullptr, "check")
          .unbound("render", object, "Settings of tools/render.py", &RenderSettings::table())
          .unbound("inputFiles", list,
                   "Written by merganser, not by hand: size and checksum of the scene's files. --resume "
                   "refuses changed files",
                   &InputFile::table());
  return made;
}

}  // namespace merganser
