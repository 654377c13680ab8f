/// Tables that bind keys to members: a toy struct with every type of row.
#include "solvers/base/parameter_rows.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/scene/scene_keys.h"
#include "solvers/methods/all_methods.h"

namespace merganser {
namespace parameter_table_test {

enum class Color { red, green };
struct Dot {
  static const ParameterTable& table() {
    static const ParameterTable made =
        ParameterRows<Dot>("dot").point("at", &Dot::at, "m", "where").required();
    return made;
  }
  Point3 at{0, 0, 0};
};
struct Inner {
  double width = 3;
  Regions held;
};
struct Toy {
  double size = 0.5;
  int count = 7;
  bool round = true;
  Point3 low{1, 2, 3}, up{0, 0, 1}, side{1, 0, 0}, factor{1, 1, 1};
  std::array<Point3, 2> box{};
  Color color = Color::green;
  std::string file;
  std::vector<Dot> dots;
  Inner inner;
};

const ParameterTable& toy_table() {
  static const ParameterTable inner = ParameterRows<Inner>("")
                                          .number("width", &Inner::width, any_number(), "m", "of it")
                                          .regions("held", &Inner::held, "none rim", "what stays");
  static const ParameterTable made =
      ParameterRows<Toy>("toy")
          .number("size", &Toy::size, above(0).up_to(1), "m", "how large")
          .integer("count", &Toy::count, at_least(1).up_to(9), "", "how many")
          .boolean("round", &Toy::round, "no corners")
          .point("low", &Toy::low, "m", "a corner")
          .direction("up", &Toy::up, "", "unit vector")
          .edge("side", &Toy::side, "m", "with its length")
          .scale("factor", &Toy::factor, "of all")
          .corners("box", &Toy::box, "m", "around")
          .required()
          .choice("color", &Toy::color, {{"red", Color::red}, {"green", Color::green}}, "of the paint")
          .file("file", &Toy::file, "a mesh")
          .optional()
          .list("dots", &Toy::dots, "some of them")
          .include(inner, &Toy::inner);
  return made;
}

TEST(ParameterTable, DefaultsAreWhatTheStructStartsWith) {
  for (const Parameter& row : toy_table().rows) {
    if (row.key == "size") {
      EXPECT_EQ(std::get<double>(*row.fallback), 0.5);
    }
    if (row.key == "count") {
      EXPECT_EQ(std::get<double>(*row.fallback), 7);
    }
    if (row.key == "color") {
      EXPECT_EQ(std::get<std::string>(*row.fallback), "green");
    }
    if (row.key == "held") {
      EXPECT_EQ(std::get<std::string>(*row.fallback), "none");
    }
    if (row.key == "width") {
      EXPECT_EQ(std::get<double>(*row.fallback), 3);
    }
    if (row.key == "box" || row.key == "file") {
      EXPECT_FALSE(row.fallback);
    }
  }
}

TEST(ParameterTable, EveryRowIsReadIntoItsMember) {
  const Json object =
      Json::parse(R"({"size": 0.25, "count": 4, "round": false, "low": [4, 5, 6], "up": [0, 3, 4],
    "side": [0, 3, 4], "factor": [2, 2, 2], "box": [[0, 0, 0], [1, 2, 3]], "color": "red",
    "dots": [{"at": [1, 1, 1]}, {"at": [2, 2, 2]}], "width": -1, "held": [{"box": [[0, 0, 0], [1, 1, 1]]}]})");
  Toy toy;
  read_parameters(object, toy_table(), &toy);
  EXPECT_EQ(toy.size, 0.25);
  EXPECT_EQ(toy.count, 4);
  EXPECT_FALSE(toy.round);
  EXPECT_EQ(toy.low, (Point3{4, 5, 6}));
  EXPECT_EQ(toy.up, (Point3{0, 0.6, 0.8}));
  EXPECT_EQ(toy.side, (Point3{0, 3, 4}));
  EXPECT_EQ(toy.factor, (Point3{2, 2, 2}));
  EXPECT_EQ(toy.box[1], (Point3{1, 2, 3}));
  EXPECT_EQ(toy.color, Color::red);
  EXPECT_EQ(toy.file, "");  // it may be missing
  ASSERT_EQ(toy.dots.size(), 2u);
  EXPECT_EQ(toy.dots[1].at, (Point3{2, 2, 2}));
  EXPECT_EQ(toy.inner.width, -1);
  ASSERT_EQ(toy.inner.held.boxes.size(), 1u);
  EXPECT_EQ(toy.inner.held.boxes[0].box[1], (Point3{1, 1, 1}));
  Json with_word = object;
  with_word["held"] = "rim";
  Toy other;
  read_parameters(with_word, toy_table(), &other);
  EXPECT_EQ(other.inner.held.word, "rim");
  EXPECT_TRUE(other.inner.held.boxes.empty());
}

struct Band {
  double low = 0, high = 1;
};
struct Striped {
  Band band;
  double width = 0.5;
};

/// A rule of a struct that another one holds, too; its message shows values as the scene has them.
TEST(ParameterTable, RulesBetweenKeysNameKeyAndValues) {
  const ParameterTable band =
      ParameterRows<Band>("band")
          .number("low", &Band::low, any_number(), "m", "from")
          .number("high", &Band::high, any_number(), "m", "to")
          .rule(
              "high", [](const Band& b) { return b.low < b.high; }, ", must be greater than low, {low}");
  const ParameterTable striped =
      ParameterRows<Striped>("striped")
          .include(band, &Striped::band)
          .number("width", &Striped::width, above(0), "m", "of a stripe")
          .rule(
              "width", [](const Striped& s) { return s.width < s.band.high - s.band.low; },
              ", must be less than {high} - {low}");
  const auto said = [&](const char* text) -> std::string {
    try {
      expect_rules(Json::parse(text), striped, "walls.0");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(said(R"({"low": 1, "high": 2.50, "width": 0.5})"), "");
  EXPECT_EQ(said(R"({"low": 3, "high": 2.50, "width": 0.5})"),
            "walls.0.high: is 2.5, must be greater than low, 3");
  EXPECT_EQ(said(R"({"low": 1, "high": 1.25, "width": 0.5})"),
            "walls.0.width: is 0.5, must be less than 1.25 - 1");
}

/// As JSON writes numbers.
TEST(ParameterTable, NumbersOfMessagesAreThoseOfJson) {
  for (const double number :
       {0.0, 3.0, 20.0, 1e14, 1e15, -1.0, 0.1, 1e-5, 0.0001, 1.0 / 3, 6.02e23, 123456789.0, 0.05 * 3})
    EXPECT_EQ(number_text(number), Json(number).dump());
}

TEST(ParameterTable, OutOfRangeNamesKeyValueAndWhatIsAllowed) {
  Toy toy;
  EXPECT_NO_THROW(require_in_range(toy_table(), &toy, "toy 'a'"));
  toy.size = 0;
  try {
    require_in_range(toy_table(), &toy, "toy 'a'");
    FAIL() << "0 is out of range";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "toy 'a': size is 0; it must be a number greater than 0 and at most 1 [m]");
  }
  toy.size = 1;
  toy.count = 10;
  EXPECT_THROW(require_in_range(toy_table(), &toy, "toy 'a'"), InputError);
}

/// What a struct starts with is in its own range, and every key of a method can be read.
TEST(ParameterTable, MethodsStartWithinTheirRanges) {
  ASSERT_FALSE(all_methods().empty());
  for (const Method& method : all_methods()) {
    EXPECT_EQ(find_method(method.word), &method);
    SystemState state = new_system(method.word);
    EXPECT_EQ(state.method, &method);
    for (const Method::Keys& keys : method.keys)
      for (const Parameter& row : keys.table->rows) {
        const ParameterValue start = row.get(keys.bound_to(state));
        if (row.type == ParameterType::number || row.type == ParameterType::integer) {
          EXPECT_TRUE(row.range.holds(std::get<double>(start))) << method.word << "." << row.key;
        }
        EXPECT_FALSE(row.meaning.empty()) << row.key;
      }
    EXPECT_FALSE(method.bodies.empty()) << method.word;
  }
  EXPECT_EQ(find_method("nothing of this name"), nullptr);
}

}  // namespace parameter_table_test
}  // namespace merganser
