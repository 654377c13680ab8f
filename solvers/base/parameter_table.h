#pragma once
/// Tables that bind the keys of a kind of object in scene files to the members of a plain struct. Everything
/// that is known of a key stands in one row: name, member, range or words, unit, meaning; the default is what
/// the struct itself starts with. Reading, range checks, defaults, error messages, the JSON Schema and the
/// resolved scene come from the tables (host/scene/scene_keys.h).
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "solvers/base/host_types.h"

namespace merganser {

/// Beyond it no number is allowed: most end in 32 bits, where products of greater ones overflow.
inline constexpr double largest_number = 1e30;

/// Values that a number may take.
struct Range {
  double low = -largest_number;
  double high = largest_number;
  bool above_low = false;  ///< low itself is not allowed
  Range up_to(double most) const { return {low, most, above_low}; }
  bool holds(double value) const;
};
inline Range any_number() { return {}; }
inline Range at_least(double low) { return {low}; }
inline Range above(double low) { return {low, largest_number, true}; }
/// The shortest text that reads back as the same number, as JSON writes it: "0.1", "3.0".
std::string number_text(double value);
/// " greater than 0 and at most 1"; "" where everything is allowed. It leaves `largest_number` out.
std::string describe(const Range& range);

enum class ParameterType {
  number,
  integer,
  boolean,
  text,       ///< any string
  name,       ///< letters, digits, _ and -, beginning with a letter: can be used in key paths
  names,      ///< a list of such names
  point,      ///< three numbers
  direction,  ///< three numbers, not all zero; members hold it with length 1
  edge,       ///< the same, with its length
  scale,      ///< a positive number or three
  corners,    ///< lower and upper corner of a box
  choice,     ///< one of the words
  file,       ///< path of an existing file
  regions,    ///< one of the words or a list of boxes
  limits,     ///< [least, greatest], whole numbers, or "unlimited"
  object,     ///< an object of another kind
  list,       ///< a list of objects of another kind or family
  free,       ///< any object; not looked into
};
/// number and integer: double; boolean: bool; point, direction, edge and scale: Point3; limits: two numbers
/// or a string; text, name, choice, file and the word of regions: a string; names: strings; object, list and
/// the boxes of regions have none, see Parameter::append.
using ParameterValue = std::variant<double, bool, Point3, std::string, std::array<Point3, 2>,
                                    std::array<double, 2>, std::vector<std::string>>;

/// A key and the member that it is bound to.
struct Parameter {
  std::string key;
  ParameterType type;
  std::string unit, meaning;
  Range range = {};
  /// Of a choice and of regions: the words, separated by blanks; of an object and a list: the kind or family.
  std::string words = {};
  std::optional<ParameterValue> fallback = {};  ///< what it is where the scene does not say; none: required
  std::string rule =
      {};  ///< instead of a default: "2*key", a multiple of another key's; "?", it may be missing
  std::function<void(void*, const ParameterValue&)> set = {};
  std::function<ParameterValue(const void*)> get = {};
  /// Key of the object without which it has no effect, and the words of a choice with which it has one; no
  /// words: any value but the default.
  std::string needs = {}, needed_words = {};
  const struct ParameterTable* element = nullptr;  ///< object, list, regions: of what is in it
  std::function<void*(void*)> append = {};         ///< object, list, regions: adds an element and returns it
};

/// What must hold between the keys of one object.
struct ParameterRule {
  std::string key;   ///< that is wrong where it does not hold
  std::string text;  ///< of the message, after "is VALUE"; "{other}" stands for the value of another key
  std::function<bool(const void*)> holds;
};

struct ParameterTable {
  std::string kind;  ///< of object, such as "system.sph" or "wall.plane"
  std::vector<Parameter> rows;
  std::vector<ParameterRule> rules = {};
  std::function<std::shared_ptr<void>()> make = {};  ///< a struct that the rows are bound to

  /// All rows and rules of another table of the same struct.
  void append(const ParameterTable& other);
};
/// A table and the struct that it is bound to.
struct BoundTable {
  const ParameterTable* table;
  const void* parameters;
};
/// Keys of one object, from its tables, whose value is not the default and that have no effect: each with
/// what it needs (Parameter::needs).
std::vector<std::string> keys_without_effect(const std::vector<BoundTable>& tables);
/// Throws InputError where a number of `parameters`, the struct that the table is made for, is out of its
/// range; `where` names whose they are.
void require_in_range(const ParameterTable& table, const void* parameters, const std::string& where);

/// A box, "box" in scenes.
struct Region {
  static const ParameterTable& table();
  std::array<Point3, 2> box{};  ///< [m] lower and upper corner
  bool operator==(const Region&) const = default;
};
/// What `regions` are bound to: a word, or boxes.
struct Regions {
  std::string word;
  std::vector<Region> boxes;
  bool operator==(const Regions&) const = default;
};

/// True where the parallelogram of the two edges has an area.
bool span_area(const Point3& u, const Point3& v);

}  // namespace merganser
