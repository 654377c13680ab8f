#pragma once
/// Builds the table that binds the keys of a kind of object to the members of a struct, row by row:
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
#include <memory>
#include <utility>

#include "solvers/base/parameter_table.h"

namespace merganser {

/// Builds a table row by row.
template <class Struct>
class ParameterRows {
 public:
  explicit ParameterRows(std::string kind) {
    table_.kind = std::move(kind);
    table_.make = [] { return std::make_shared<Struct>(); };
  }

  template <class Number, class Owner>
  ParameterRows& number(const char* key, Number Owner::*member, Range range, const char* unit,
                        const char* meaning) {
    return add({.key = key, .type = ParameterType::number, .unit = unit, .meaning = meaning, .range = range},
               bound_number(member));
  }
  template <class Number, class Owner>
  ParameterRows& integer(const char* key, Number Owner::*member, Range range, const char* unit,
                         const char* meaning) {
    return add({.key = key, .type = ParameterType::integer, .unit = unit, .meaning = meaning, .range = range},
               bound_number(member));
  }
  ParameterRows& boolean(const char* key, bool Struct::*member, const char* meaning) {
    return add({.key = key, .type = ParameterType::boolean, .unit = "", .meaning = meaning},
               {[=](Struct& s, const ParameterValue& value) { s.*member = std::get<bool>(value); },
                [=](const Struct& s) { return ParameterValue(s.*member); }});
  }
  ParameterRows& text(const char* key, std::string Struct::*member, const char* meaning) {
    return add({.key = key, .type = ParameterType::text, .unit = "", .meaning = meaning},
               bound<std::string>(member));
  }
  ParameterRows& name(const char* key, std::string Struct::*member, const char* meaning) {
    add({.key = key, .type = ParameterType::name, .unit = "", .meaning = meaning},
        bound<std::string>(member));
    return required();
  }
  ParameterRows& names(const char* key, std::vector<std::string> Struct::*member, const char* meaning) {
    return add({.key = key, .type = ParameterType::names, .unit = "", .meaning = meaning},
               bound<std::vector<std::string>>(member));
  }
  ParameterRows& point(const char* key, Point3 Struct::*member, const char* unit, const char* meaning,
                       Range range = {}) {
    return add({.key = key, .type = ParameterType::point, .unit = unit, .meaning = meaning, .range = range},
               bound<Point3>(member));
  }
  ParameterRows& direction(const char* key, Point3 Struct::*member, const char* unit, const char* meaning) {
    return add({.key = key, .type = ParameterType::direction, .unit = unit, .meaning = meaning},
               bound<Point3>(member));
  }
  ParameterRows& edge(const char* key, Point3 Struct::*member, const char* unit, const char* meaning) {
    return add({.key = key, .type = ParameterType::edge, .unit = unit, .meaning = meaning},
               bound<Point3>(member));
  }
  ParameterRows& scale(const char* key, Point3 Struct::*member, const char* meaning) {
    return add({.key = key, .type = ParameterType::scale, .unit = "", .meaning = meaning},
               bound<Point3>(member));
  }
  ParameterRows& corners(const char* key, std::array<Point3, 2> Struct::*member, const char* unit,
                         const char* meaning) {
    return add({.key = key, .type = ParameterType::corners, .unit = unit, .meaning = meaning},
               bound<std::array<Point3, 2>>(member));
  }
  ParameterRows& file(const char* key, std::string Struct::*member, const char* meaning) {
    return add({.key = key, .type = ParameterType::file, .unit = "", .meaning = meaning},
               bound<std::string>(member));
  }
  /// The first of the words is the default.
  ParameterRows& regions(const char* key, Regions Struct::*member, const char* words, const char* meaning) {
    Parameter row{.key = key, .type = ParameterType::regions, .unit = "", .meaning = meaning, .words = words};
    row.element = &Region::table();
    row.append = [=](void* s) -> void* { return &(static_cast<Struct*>(s)->*member).boxes.emplace_back(); };
    add(std::move(row),
        {[=](Struct& s, const ParameterValue& value) { (s.*member).word = std::get<std::string>(value); },
         [=](const Struct& s) { return ParameterValue((s.*member).word); }});
    table_.rows.back().fallback = table_.rows.back().words.substr(0, table_.rows.back().words.find(' '));
    return *this;
  }
  /// A list, empty where the scene does not say it.
  template <class Element, class Owner>
  ParameterRows& list(const char* key, std::vector<Element> Owner::*member, const char* meaning) {
    Parameter row{.key = key, .type = ParameterType::list, .unit = "", .meaning = meaning};
    row.element = &Element::table();
    row.append = [=](void* s) -> void* { return &(static_cast<Struct*>(s)->*member).emplace_back(); };
    row.words = row.element->kind;
    row.fallback = std::string();
    table_.rows.push_back(std::move(row));
    return *this;
  }
  /// An object of its own in scenes, empty where they do not say it. Its keys are bound to members of the
  /// same struct.
  ParameterRows& object(const char* key, const ParameterTable& of_struct, const char* meaning) {
    unbound(key, ParameterType::object, meaning, &of_struct);
    table_.rows.back().append = [](void* s) { return s; };
    return *this;
  }
  /// An object that is a struct of its own, a member here.
  template <class Inner, class Owner>
  ParameterRows& object(const char* key, Inner Owner::*member, const char* meaning) {
    unbound(key, ParameterType::object, meaning, &Inner::table());
    table_.rows.back().append = [=](void* s) -> void* { return &(static_cast<Struct*>(s)->*member); };
    return *this;
  }
  /// A key with no member: whoever reads it looks into it with the tables of what it holds. `of`: an object's
  /// table; `family`: of what is in a list.
  ParameterRows& unbound(const char* key, ParameterType type, const char* meaning,
                         const ParameterTable* of = nullptr, const char* family = "") {
    table_.rows.push_back({.key = key,
                           .type = type,
                           .unit = "",
                           .meaning = meaning,
                           .words = of ? of->kind : family,
                           .fallback = std::string(),
                           .element = of});
    return *this;
  }
  /// Two limits, or none at all where `unlimited` is set.
  ParameterRows& limits(const char* key, int Struct::*least, int Struct::*greatest, bool Struct::*unlimited,
                        const char* meaning) {
    return add({.key = key, .type = ParameterType::limits, .unit = "", .meaning = meaning},
               {[=](Struct& s, const ParameterValue& value) {
                  const auto* both = std::get_if<std::array<double, 2>>(&value);
                  s.*unlimited = !both;
                  if (both)
                    s.*least = static_cast<int>((*both)[0]), s.*greatest = static_cast<int>((*both)[1]);
                },
                [=](const Struct& s) {
                  return ParameterValue(std::array{double(s.*least), double(s.*greatest)});
                }});
  }
  /// All rows and rules of another table, of a struct that is a member here.
  template <class Inner, class Owner>
  ParameterRows& include(const ParameterTable& table, Inner Owner::*member) {
    for (Parameter row : table.rows) {
      const auto inner = [=](void* s) -> void* { return &(static_cast<Struct*>(s)->*member); };
      if (row.set)
        row.set = [=, set = row.set](void* s, const ParameterValue& value) { set(inner(s), value); };
      if (row.get) row.get = [=, get = row.get](const void* s) { return get(inner(const_cast<void*>(s))); };
      if (row.append) row.append = [=, append = row.append](void* s) { return append(inner(s)); };
      table_.rows.push_back(std::move(row));
    }
    for (ParameterRule rule : table.rules) {
      rule.holds = [=, holds = rule.holds](const void* s) {
        return holds(&(static_cast<const Struct*>(s)->*member));
      };
      table_.rules.push_back(std::move(rule));
    }
    return *this;
  }
  template <class Enum, class Owner>
  ParameterRows& choice(const char* key, Enum Owner::*member, std::vector<std::pair<const char*, Enum>> words,
                        const char* meaning) {
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
  /// What must hold of the struct; see ParameterRule.
  ParameterRows& rule(const char* key, std::function<bool(const Struct&)> holds, const std::string& text) {
    table_.rules.push_back({key, text, [holds = std::move(holds)](const void* s) {
                              return holds(*static_cast<const Struct*>(s));
                            }});
    return *this;
  }
  /// Every coordinate of the point under `low` is less than that of the point under `high`.
  template <class Owner>
  ParameterRows& ordered_corners(const char* low, Point3 Owner::*low_member, const char* high,
                                 Point3 Owner::*high_member) {
    for (size_t axis = 0; axis < 3; ++axis)
      rule(
          high, [=](const Struct& s) { return (s.*low_member)[axis] < (s.*high_member)[axis]; },
          std::string(", must be greater than ") + low + ", {" + low +
              "}, on every axis; here it is not in " + "xyz"[axis]);
    return *this;
  }
  /// startTime is before endTime.
  template <class Owner>
  ParameterRows& ordered_times(double Owner::*start, double Owner::*end) {
    return rule(
        "endTime", [=](const Struct& s) { return s.*start < s.*end; },
        ", must be greater than startTime, {startTime}");
  }
  /// The edges of a parallelogram are not parallel.
  template <class Owner>
  ParameterRows& spanning_edges(Point3 Owner::*u, Point3 Owner::*v) {
    return rule(
        "edgeV", [=](const Struct& s) { return span_area(s.*u, s.*v); },
        ", must not be parallel to edgeU, {edgeU}");
  }
  /// The last row's default is not what the struct starts with.
  ParameterRows& otherwise(ParameterValue value) {
    table_.rows.back().fallback = std::move(value);
    return *this;
  }
  /// The last row has no default: a scene must say it.
  ParameterRows& required() {
    table_.rows.back().fallback.reset();
    return *this;
  }
  /// The last row's default is a multiple of another key of the object or of "simulation": "2*key".
  ParameterRows& multiple(const char* rule) {
    table_.rows.back().rule = rule;
    return required();
  }
  /// The last row has no effect without another key, or without these words of it: see Parameter::needs.
  ParameterRows& only_with(const char* key, const char* words = "") {
    table_.rows.back().needs = key;
    table_.rows.back().needed_words = words;
    return *this;
  }
  /// The last row may be missing; its member then stays as it is.
  ParameterRows& optional() { return multiple("?"); }
  operator ParameterTable() const { return table_; }

 private:
  struct Binding {
    std::function<void(Struct&, const ParameterValue&)> set;
    std::function<ParameterValue(const Struct&)> get;
  };
  template <class Number, class Owner>
  static Binding bound_number(Number Owner::*member) {
    return {[=](Struct& s, const ParameterValue& value) {
              s.*member = static_cast<Number>(std::get<double>(value));
            },
            [=](const Struct& s) { return ParameterValue(static_cast<double>(s.*member)); }};
  }
  template <class Value, class Owner>
  static Binding bound(Value Owner::*member) {
    return {[=](Struct& s, const ParameterValue& value) { s.*member = std::get<Value>(value); },
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
