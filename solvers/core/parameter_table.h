#pragma once
/// Tables that bind the keys of a kind of object in scene files to the members of a plain struct. Everything
/// that is known of a key stands in one row: name, member, range or words, unit, meaning; the default is what
/// the struct itself starts with. Reading, range checks, defaults, error messages, the JSON Schema and the
/// resolved scene come from the tables (host/scene_keys.h).
///
///   const ParameterTable& table() {
///     static const ParameterTable made =
///         ParameterRows<SphParameters>("system.sph")
///             .number("cfl", &SphParameters::cfl, above(0).up_to(1), "", "Courant number of the step")
///             .choice("kernel", &SphParameters::kernel,
///                     {{"cubicSpline", SphKernel::cubic_spline}, {"wendlandC2", SphKernel::wendland_c2}},
///                     "smoothing kernel");
///     return made;
///   }
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "solvers/plain_types.h"

namespace merganser {

/// Values that a number may take.
struct Range {
  double low = -std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::max();
  bool above_low = false;  ///< low itself is not allowed
  Range up_to(double most) const { return {low, most, above_low}; }
  bool holds(double value) const;
};
inline Range any_number() { return {}; }
inline Range at_least(double low) { return {low}; }
inline Range above(double low) { return {low, std::numeric_limits<double>::max(), true}; }
/// " greater than 0 and at most 1"; "" where everything is allowed.
std::string describe(const Range& range);

enum class ParameterType {
  number,
  integer,
  boolean,
  point,      ///< three numbers
  direction,  ///< three numbers, not all zero; members hold it with length 1
  choice,     ///< one of the words
};
/// number and integer: double; boolean: bool; point and direction: Point3; choice: its word.
using ParameterValue = std::variant<double, bool, Point3, std::string>;

/// A key and the member that it is bound to.
struct Parameter {
  std::string key;
  ParameterType type;
  std::string unit, meaning;
  Range range = {};
  std::string words = {};                       ///< of a choice, separated by blanks
  std::optional<ParameterValue> fallback = {};  ///< what it is where the scene does not say; none: required
  std::function<void(void*, const ParameterValue&)> set;
  std::function<ParameterValue(const void*)> get;
};

struct ParameterTable {
  std::string kind;  ///< of object, such as "system.sph" or "wall.plane"
  std::vector<Parameter> rows;
};
/// Throws InputError where a number of `parameters`, the struct that the table is made for, is out of its
/// range; `where` names whose they are.
void require_in_range(const ParameterTable& table, const void* parameters, const std::string& where);

/// Builds a table row by row.
template <class Struct>
class ParameterRows {
 public:
  explicit ParameterRows(std::string kind) { table_.kind = std::move(kind); }

  template <class Number>
  ParameterRows& number(const char* key, Number Struct::*member, Range range, const char* unit,
                        const char* meaning) {
    return add({.key = key, .type = ParameterType::number, .unit = unit, .meaning = meaning, .range = range},
               bound_number(member));
  }
  template <class Number>
  ParameterRows& integer(const char* key, Number Struct::*member, Range range, const char* unit,
                         const char* meaning) {
    return add({.key = key, .type = ParameterType::integer, .unit = unit, .meaning = meaning, .range = range},
               bound_number(member));
  }
  ParameterRows& boolean(const char* key, bool Struct::*member, const char* meaning) {
    return add({.key = key, .type = ParameterType::boolean, .unit = "", .meaning = meaning},
               {[=](Struct& s, const ParameterValue& value) { s.*member = std::get<bool>(value); },
                [=](const Struct& s) { return ParameterValue(s.*member); }});
  }
  ParameterRows& point(const char* key, Point3 Struct::*member, const char* unit, const char* meaning) {
    return add({.key = key, .type = ParameterType::point, .unit = unit, .meaning = meaning},
               bound_point(member));
  }
  ParameterRows& direction(const char* key, Point3 Struct::*member, const char* unit, const char* meaning) {
    return add({.key = key, .type = ParameterType::direction, .unit = unit, .meaning = meaning},
               bound_point(member));
  }
  template <class Enum>
  ParameterRows& choice(const char* key, Enum Struct::*member,
                        std::vector<std::pair<const char*, Enum>> words, const char* meaning) {
    Parameter row{.key = key, .type = ParameterType::choice, .unit = "", .meaning = meaning};
    for (const auto& word : words) row.words += (row.words.empty() ? "" : " ") + std::string(word.first);
    return add(std::move(row), {[=](Struct& s, const ParameterValue& value) {
                                  for (const auto& [word, meant] : words)
                                    if (std::get<std::string>(value) == word) s.*member = meant;
                                },
                                [=](const Struct& s) {
                                  for (const auto& [word, meant] : words)
                                    if (s.*member == meant) return ParameterValue(std::string(word));
                                  return ParameterValue(std::string());
                                }});
  }
  /// The last row has no default: a scene must say it.
  ParameterRows& required() {
    table_.rows.back().fallback.reset();
    return *this;
  }
  operator ParameterTable() const { return table_; }

 private:
  struct Binding {
    std::function<void(Struct&, const ParameterValue&)> set;
    std::function<ParameterValue(const Struct&)> get;
  };
  template <class Number>
  static Binding bound_number(Number Struct::*member) {
    return {[=](Struct& s, const ParameterValue& value) {
              s.*member = static_cast<Number>(std::get<double>(value));
            },
            [=](const Struct& s) { return ParameterValue(static_cast<double>(s.*member)); }};
  }
  static Binding bound_point(Point3 Struct::*member) {
    return {[=](Struct& s, const ParameterValue& value) { s.*member = std::get<Point3>(value); },
            [=](const Struct& s) { return ParameterValue(s.*member); }};
  }
  ParameterRows& add(Parameter row, Binding binding) {
    row.fallback = binding.get(Struct{});
    row.set = [set = std::move(binding.set)](void* s, const ParameterValue& value) {
      set(*static_cast<Struct*>(s), value);
    };
    row.get = [get = std::move(binding.get)](const void* s) { return get(*static_cast<const Struct*>(s)); };
    table_.rows.push_back(std::move(row));
    return *this;
  }
  ParameterTable table_;
};

}  // namespace merganser
