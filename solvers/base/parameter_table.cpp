#include "solvers/base/parameter_rows.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "device/errors.h"

namespace merganser {

namespace {
std::string bound_text(double value) {
  std::ostringstream text;
  text.precision(10);
  text << value;
  return text.str();
}
}  // namespace

std::string number_text(double value) {
  char text[40];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    const bool powers = std::abs(value) >= 1e15 || std::abs(value) < 1e-4 || !std::strchr(text, 'e');
    if (powers && std::strtod(text, nullptr) == value) break;
  }
  const std::string made = text;
  return made.find_first_of(".en") == made.npos ? made + ".0" : made;
}

const ParameterTable& Region::table() {
  static const ParameterTable made = ParameterRows<Region>("region")
                                         .corners("box", &Region::box, "m",
                                                  "Opposite corners; selects the particles centred inside at "
                                                  "the start, or if there are none, those that reach inside")
                                         .required();
  return made;
}

bool Range::holds(double value) const {
  return std::isfinite(value) && value <= high && (above_low ? value > low : value >= low);
}

std::string describe(const Range& range) {
  const bool low = range.low > -largest_number;
  const bool high = range.high < largest_number;
  if (low && high)
    return range.above_low
               ? " greater than " + bound_text(range.low) + " and at most " + bound_text(range.high)
               : " from " + bound_text(range.low) + " to " + bound_text(range.high);
  if (low) return (range.above_low ? " greater than " : " of at least ") + bound_text(range.low);
  return high ? " of at most " + bound_text(range.high) : "";
}

void ParameterTable::append(const ParameterTable& other) {
  rows.insert(rows.end(), other.rows.begin(), other.rows.end());
  rules.insert(rules.end(), other.rules.begin(), other.rules.end());
}

bool span_area(const Point3& u, const Point3& v) {
  double square = 0;
  for (size_t a = 0; a < 3; ++a) {
    const size_t b = (a + 1) % 3;
    square += std::pow(u[a] * v[b] - u[b] * v[a], 2);
  }
  return square > 0;
}

std::vector<std::string> keys_without_effect(const std::vector<BoundTable>& tables) {
  const auto acts = [&](const Parameter& row) {
    for (const auto& [table, parameters] : tables)
      for (const Parameter& other : table->rows) {
        if (other.key != row.needs) continue;
        const ParameterValue value = other.get(parameters);
        if (row.needed_words.empty()) return value != other.fallback;
        return (" " + row.needed_words + " ").find(" " + std::get<std::string>(value) + " ") !=
               std::string::npos;
      }
    return true;
  };
  std::vector<std::string> keys;
  for (const auto& [table, parameters] : tables)
    for (const Parameter& row : table->rows)
      if (!row.needs.empty() && row.get(parameters) != row.fallback && !acts(row))
        keys.push_back(row.key + " has no effect without " + row.needs +
                       (row.needed_words.empty() ? "" : " " + row.needed_words));
  return keys;
}

void require_in_range(const ParameterTable& table, const void* parameters, const std::string& where) {
  for (const Parameter& row : table.rows) {
    if (row.type != ParameterType::number && row.type != ParameterType::integer) continue;
    const double value = std::get<double>(row.get(parameters));
    if (!row.range.holds(value))
      throw InputError(where + ": " + row.key + " is " + bound_text(value) + "; it must be a number" +
                       describe(row.range) + (row.unit.empty() ? "" : " [" + row.unit + "]"));
  }
}

}  // namespace merganser
