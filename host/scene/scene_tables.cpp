/// Keys of a scene itself, and of its checks.
#include "host/scene/input_files.h"
#include "host/scene/scene.h"
#include "solvers/base/parameter_table.h"

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
          .unbound("checks", list, "Checks of the whole run, evaluated at its end", nullptr, "check")
          .unbound("render", free, "Settings of tools/render.py: camera, section, color")
          .unbound("inputFiles", list,
                   "Written by merganser, not by hand: size and checksum of the files that the scene names; "
                   "--resume refuses changed files",
                   &InputFile::table());
  return made;
}

const std::vector<ParameterTable>& CheckParameters::tables() {
  using C = CheckParameters;
  using Rows = ParameterRows<C>;
  const auto of_sheet = [](const char* kind) {
    return Rows(kind)
        .name("system", &C::system,
              "name of the system whose particles may or may not cross (SPH or peridynamics)")
        .name("sheet", &C::sheet, "name of a body with a surface (sheet, clothMesh)");
  };
  constexpr const char* of_fluid = "name of a body of an SPH system";
  static const std::vector<ParameterTable> made = {
      of_sheet("check.noCrossing"),
      of_sheet("check.reportCrossings"),
      Rows("check.energyRise")
          .number("limit", &C::limit, above(0), "",
                  "share of the kinetic energy by which total energy may rise in a step")
          .otherwise(0.01),
      Rows("check.maxSpeed").number("limit", &C::limit, above(0), "m/s", "of any particle").required(),
      Rows("check.momentumDrift")
          .number("limit", &C::limit, above(0), "", "change of momentum relative to the largest")
          .required(),
      Rows("check.energyLedger")
          .number("limit", &C::limit, above(0), "",
                  "energy that the ledger cannot account for, relative to the largest kinetic + elastic "
                  "energy; not for scenes with SPH")
          .otherwise(0.01),
      Rows("check.finite"),
      Rows("check.reportRebound"),
      Rows("check.breaks")
          .number("least", &C::limit, above(0).up_to(1), "",
                  "share of the bonds of all peridynamic solids that must break")
          .required(),
      Rows("check.travels")
          .name("body", &C::body, "name of a body")
          .number("least", &C::limit, above(0), "m",
                  "distance of its centre from where it started that must be reached")
          .required(),
      Rows("check.overlapBeforeBreak")
          .number("limit", &C::limit, above(0).up_to(1), "",
                  "share of the two radii's sum by which particles may overlap before the first bond breaks")
          .otherwise(0.25),
      Rows("check.returnsToShape")
          .name("body", &C::body, "name of a body of an elasticSph system")
          .number("limit", &C::limit, above(0), "",
                  "mean distance of its particles at the end from the rest shape laid over them, relative to "
                  "its longest side")
          .otherwise(0.01),
      Rows("check.sameMotion")
          .name("body", &C::body, of_fluid)
          .name("copy", &C::other,
                "name of a body of the same system: the first one moved by its translation")
          .number("limit", &C::limit, above(0), "",
                  "smoothing lengths by which a particle may move otherwise than its copy")
          .otherwise(1e-6),
      Rows("check.noLinks")
          .name("body", &C::body, of_fluid)
          .name("other", &C::other,
                "name of another body of the same system, whose neighborhood is topological")};
  return made;
}

}  // namespace merganser
