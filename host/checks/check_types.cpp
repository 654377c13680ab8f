#include "host/checks/check_types.h"
#include "solvers/base/parameter_rows.h"

#include "device/errors.h"
#include "host/checks/check_quantities.h"

namespace merganser {
namespace {

using P = CheckParameters;
using Rows = ParameterRows<CheckParameters>;

Rows keys(const char* word) { return Rows(std::string("check.") + word); }

Rows crossing_keys(const char* word) {
  return keys(word)
      .name("system", &P::system, "Name of the system whose crossings are counted (any but massSpring)")
      .name("sheet", &P::sheet, "Name of a body with a surface (sheet, clothMesh)");
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
       .keys = limit_key("energyRise", 0.01, above(0), "Largest rise of the total energy in a step / kinetic energy")},
      {.word = "maxSpeed", .column = "max_speed",
       .keys = keys("maxSpeed").number("limit", &P::limit, above(0), "m/s", "Largest speed of a particle that moves freely").required()},
      {.word = "comesToRest", .column = "max_speed", .takes = CheckType::last,
       .keys = keys("comesToRest").number("limit", &P::limit, above(0), "m/s", "Largest speed of a particle that moves freely at the end").required()},
      {.word = "momentumDrift", .derived = momentum_drift, .share_of = largest_momentum,
       .keys = keys("momentumDrift").number("limit", &P::limit, above(0), "", "Largest change of the momentum / largest momentum that the mass can have").required()},
      {.word = "energyLedger", .derived = unexplained_energy, .share_of = kinetic_and_elastic_energy, .every_step = true,
       .keys = limit_key("energyLedger", 0.01, above(0), "Largest energy residual of the ledger / largest kinetic + elastic energy; not for scenes with SPH")},
      // Steps with a number that is not finite.
      {.word = "finite", .derived = is_not_finite, .takes = CheckType::sum, .counts = true, .keys = keys("finite")},
      {.word = "reportRebound", .derived = regained_potential, .passes = CheckType::always,
       .report = "rebound: {value:.4g} J of potential energy regained since its lowest", .keys = keys("reportRebound")},
      {.word = "breaks", .derived = broken_share, .passes = CheckType::at_least,
       .keys = keys("breaks").number("least", &P::limit, above(0).up_to(1), "", "Least share of broken bonds among all bonds of peridynamic solids").required()},
      {.word = "travels", .column = "travel", .passes = CheckType::at_least, .measured_by = "travel", .subject = CheckSubject::body,
       .keys = keys("travels").name("body", &P::body, "Name of a body")
                   .number("least", &P::limit, above(0), "m", "Least distance between the centre of the body and its start").required()},
      {.word = "overlapBeforeBreak", .derived = overlap_before_break, .every_step = true, .measured_by = "deepest_overlap",
       .keys = limit_key("overlapBeforeBreak", 0.25, above(0).up_to(1), "Largest overlap of two particles before the first bond breaks / sum of their radii")},
      {.word = "returnsToShape", .column = "shape_error", .takes = CheckType::last, .measured_by = "shape_error", .subject = CheckSubject::elastic_body,
       .keys = keys("returnsToShape").name("body", &P::body, "Name of a body of an elasticSph system")
                   .number("limit", &P::limit, above(0), "", "Largest mean distance of particles from the fitted rest shape at the end / longest side of that shape").otherwise(0.01)},
      {.word = "sameMotion", .column = "deviation", .measured_by = "copied_motion", .subject = CheckSubject::copy,
       .keys = keys("sameMotion").name("body", &P::body, "Name of a body of an SPH system")
                   .name("copy", &P::other, "Name of a body of the same system: the first one, translated")
                   .number("limit", &P::limit, above(0), "", "Largest deviation of a particle from the motion of its copy, in smoothing lengths").otherwise(1e-6)},
      {.word = "noLinks", .column = "links", .counts = true, .measured_by = "links", .subject = CheckSubject::linked_pair,
       .keys = keys("noLinks").name("body", &P::body, "Name of a body of an SPH system")
                   .name("other", &P::other, "Name of another body of the same system, whose neighborhood is topological")},
      // Of values, which may be negative, and of steps that know them.
      {.word = "probeReaches", .passes = CheckType::at_least, .subject = CheckSubject::probe,
       .keys = keys("probeReaches").name("column", &P::column, "Column of probes.csv")
                   .number("least", &P::limit, above(0), "", "Least that its greatest absolute value must be").required()},
      {.word = "probeStays", .subject = CheckSubject::probe,
       .keys = keys("probeStays").name("column", &P::column, "Column of probes.csv")
                   .number("limit", &P::limit, above(0), "", "Most that its greatest absolute value may be").required()},
      {.word = "probeArrives", .takes = CheckType::arrival, .passes = CheckType::within, .subject = CheckSubject::probe,
       .keys = keys("probeArrives").name("column", &P::column, "Column of probes.csv")
                   .number("reaches", &P::reaches, any_number(), "", "Value that is waited for").required()
                   .number("earliest", &P::least, at_least(0), "s", "First time at which the column may be that or more").required()
                   .number("latest", &P::limit, at_least(0), "s", "Last time at which it has to be there").required()
                   .rule("earliest", [](const P& p) { return p.least <= p.limit; }, ", must be at most latest, {latest}")},
      {.word = "probeEnds", .takes = CheckType::last, .passes = CheckType::within, .subject = CheckSubject::probe,
       .keys = keys("probeEnds").name("column", &P::column, "Column of probes.csv")
                   .number("least", &P::least, any_number(), "", "Least that its last value may be").required()
                   .number("limit", &P::limit, any_number(), "", "Most that it may be").required()
                   .rule("least", [](const P& p) { return p.least <= p.limit; }, ", must be at most limit, {limit}")},
      {.word = "probeSwings", .takes = CheckType::swing, .passes = CheckType::within, .subject = CheckSubject::probe,
       .keys = keys("probeSwings").name("column", &P::column, "Column of probes.csv")
                   .number("after", &P::after, at_least(0), "s", "From when on it is looked at")
                   .number("least", &P::least, at_least(0), "", "Least that its greatest value less its least one may be").required()
                   .number("limit", &P::limit, above(0), "", "Most that it may be").required()
                   .rule("least", [](const P& p) { return p.least <= p.limit; }, ", must be at most limit, {limit}")},
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
  if (type.subject == CheckSubject::probe) return check.column;
  if (check.body.empty()) return type.column;
  return type.column + "(" + check.body + (check.other.empty() ? "" : "," + check.other) + ")";
}

}  // namespace merganser
