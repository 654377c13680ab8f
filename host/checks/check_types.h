#pragma once
/// Types of checks: what each looks at in the rows of statistics, when it passes, its keys in scenes and its
/// words. One row a type, in check_types.cpp.
#include <string>
#include <vector>

#include "host/simulation/simulation.h"
#include "solvers/base/parameter_table.h"

namespace merganser {

/// A statement about the whole run that is evaluated at its end and reported in summary.json.
struct CheckParameters {
  std::string type;         ///< see check_types.cpp
  std::string system = {};  ///< name of a system; as all names here, empty where none is meant
  std::string sheet = {};   ///< name of a body with a surface
  double limit = 0;         ///< greatest value that passes, or least
  std::string body = {};    ///< name of a body
  std::string other = {};   ///< name of another body
  std::string column = {};  ///< of probes.csv
  double least = 0;         ///< least value that passes where `limit` is the greatest
  double reaches = 0;       ///< [unit of the column] what is waited for
  double after = 0;         ///< [s] from when on the column is looked at
};

struct CheckHistory;  // of check_quantities.h
using DerivedQuantity = double (*)(const StepStatistics& row, const CheckHistory& history);

/// Names that a check's keys may hold.
enum class CheckSubject {
  none,
  sheet,         ///< system: any but massSpring; sheet: a body with a surface
  body,          ///< any
  elastic_body,  ///< of an elasticSph system
  copy,          ///< body and other: of one SPH system
  probe,         ///< column: of a probe
  linked_pair    ///< body and other: of one SPH system with topological neighborhoods
};

struct CheckType {
  std::string word;
  /// A column of the rows, or a quantity derived from them. Columns that steps without a row know, too, are
  /// looked at in every step.
  std::string column = {};
  DerivedQuantity derived = nullptr;
  /// Of the values of all rows. arrival: the time of the first one that is `reaches` or more, infinity where
  /// none is; swing: the greatest less the least of those from `after` on.
  enum Takes { worst, last, sum, arrival, swing } takes = worst;
  /// Where given, the value is the greatest of all rows as a share of the greatest of this one.
  DerivedQuantity share_of = nullptr;
  enum Passes { at_most, at_least, within, always } passes = at_most;
  bool counts = false;      ///< whole numbers, of which none may be
  bool every_step = false;  ///< it speaks of what happens within a step: such a run writes a row a step
  /// What simulations measure for checks of this type only: the observable that does (MeasureRequest).
  std::string measured_by = {};
  CheckSubject subject = CheckSubject::none;
  bool tells_particles = false;  ///< also how many particles crossed and were followed
  std::string report = {};       ///< what one that always passes says of itself: {value}, {subject}
  ParameterTable keys = {};
};

const std::vector<CheckType>& check_types();
/// That with the word. Throws InputError where there is none.
const CheckType& check_type(const std::string& word, const std::vector<CheckType>& types = check_types());
/// The column that a check of this type looks at; one of its own where its value is measured for its bodies.
std::string column_of(const CheckType& type, const CheckParameters& check);

}  // namespace merganser
