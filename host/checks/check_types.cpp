#include "host/checks/check_types.h"

#include "device/errors.h"
#include "host/checks/check_quantities.h"

namespace merganser {
namespace {

using P = CheckParameters;
using Rows = ParameterRows<CheckParameters>;

Rows keys(const char* word) { return Rows(std::string("check.") + word); }

Rows crossing_keys(const char* word) {
  return keys(word)
      .name("system", &P::system,
            "name of the system whose particles may or may not cross (SPH or peridynamics)")
      .name("sheet", &P::sheet, "name of a body with a surface (sheet, clothMesh)");
}

/// A limit with a default.
Rows limit_key(const char* word, double fallback, Range range, const char* meaning) {
  return keys(word).number("limit", &P::limit, range, "", meaning).otherwise(fallback);
}

}  // namespace

// clang-format off
const std::vector<CheckType>& check_types() {
  static const std::vector<CheckType> types = {
      // Passages through a sheet.
      {.word = "noCrossing", .column = "crossings", .counts = true, .measured_by = "crossings",
       .subject = CheckSubject::sheet, .tells_particles = true, .keys = crossing_keys("noCrossing")},
      {.word = "reportCrossings", .column = "crossings", .passes = CheckType::always, .counts = true,
       .measured_by = "crossings", .subject = CheckSubject::sheet, .tells_particles = true,
       .report = "crossings{subject}: {value:.0f}", .keys = crossing_keys("reportCrossings")},
      {.word = "energyRise", .derived = energy_rise, .every_step = true,
       .keys = limit_key("energyRise", 0.01, above(0), "share of the kinetic energy by which total energy may rise in a step")},
      {.word = "maxSpeed", .column = "max_speed",
       .keys = keys("maxSpeed").number("limit", &P::limit, above(0), "m/s", "of any particle").required()},
      {.word = "momentumDrift", .derived = momentum_drift, .share_of = largest_momentum,
       .keys = keys("momentumDrift").number("limit", &P::limit, above(0), "", "change of momentum relative to the largest").required()},
      {.word = "energyLedger", .derived = unexplained_energy, .share_of = kinetic_and_elastic_energy, .every_step = true,
       .keys = limit_key("energyLedger", 0.01, above(0), "energy that the ledger cannot account for, relative to the largest kinetic + elastic energy; not for scenes with SPH")},
      // Steps with a number that is not finite.
      {.word = "finite", .derived = is_not_finite, .takes = CheckType::sum, .counts = true, .keys = keys("finite")},
      {.word = "reportRebound", .derived = regained_potential, .passes = CheckType::always,
       .report = "rebound: {value:.4g} J of potential energy regained since its lowest", .keys = keys("reportRebound")},
      {.word = "breaks", .derived = broken_share, .passes = CheckType::at_least,
       .keys = keys("breaks").number("least", &P::limit, above(0).up_to(1), "", "share of the bonds of all peridynamic solids that must break").required()},
      {.word = "travels", .column = "travel", .passes = CheckType::at_least, .measured_by = "travel", .subject = CheckSubject::body,
       .keys = keys("travels").name("body", &P::body, "name of a body")
                   .number("least", &P::limit, above(0), "m", "distance of its centre from where it started that must be reached").required()},
      {.word = "overlapBeforeBreak", .derived = overlap_before_break, .every_step = true, .measured_by = "deepest_overlap",
       .keys = limit_key("overlapBeforeBreak", 0.25, above(0).up_to(1), "share of the two radii's sum by which particles may overlap before the first bond breaks")},
      {.word = "returnsToShape", .column = "shape_error", .takes = CheckType::last, .measured_by = "shape_error", .subject = CheckSubject::elastic_body,
       .keys = keys("returnsToShape").name("body", &P::body, "name of a body of an elasticSph system")
                   .number("limit", &P::limit, above(0), "", "mean distance of its particles at the end from the rest shape laid over them, relative to its longest side").otherwise(0.01)},
      {.word = "sameMotion", .column = "deviation", .measured_by = "copied_motion", .subject = CheckSubject::copy,
       .keys = keys("sameMotion").name("body", &P::body, "name of a body of an SPH system")
                   .name("copy", &P::other, "name of a body of the same system: the first one moved by its translation")
                   .number("limit", &P::limit, above(0), "", "smoothing lengths by which a particle may move otherwise than its copy").otherwise(1e-6)},
      {.word = "noLinks", .column = "links", .counts = true, .measured_by = "links", .subject = CheckSubject::linked_pair,
       .keys = keys("noLinks").name("body", &P::body, "name of a body of an SPH system")
                   .name("other", &P::other, "name of another body of the same system, whose neighborhood is topological")},
  };
  return types;
}
// clang-format on

const CheckType& check_type(const std::string& word, const std::vector<CheckType>& types) {
  std::string allowed;
  for (const CheckType& type : types) {
    if (type.word == word) return type;
    allowed += (allowed.empty() ? "" : ", ") + type.word;
  }
  throw InputError("checks: unknown type '" + word + "'; allowed: " + allowed);
}

std::string column_of(const CheckType& type, const CheckParameters& check) {
  if (check.body.empty()) return type.column;
  return type.column + "(" + check.body + (check.other.empty() ? "" : "," + check.other) + ")";
}

}  // namespace merganser
