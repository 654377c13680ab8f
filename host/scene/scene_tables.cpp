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
          .unbound("render", free, "Settings of tools/render.py: camera, section, color")
          .unbound("inputFiles", list,
                   "Written by merganser, not by hand: size and checksum of the scene's files. --resume "
                   "refuses changed files",
                   &InputFile::table());
  return made;
}

}  // namespace merganser
