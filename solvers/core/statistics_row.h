#pragma once
/// Rows of statistics: values by the names of their columns. Plain host data.
#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/base/host_types.h"

namespace merganser {

/// A value of each row, declared by the observable that measures it.
struct Column {
  enum Kind {
    number,
    count  ///< written as a whole number
  };
  std::string name;
  Kind kind = number;
  std::string after = {};  ///< the column behind which it stands in statistics.csv; none: at the end
  enum File { statistics, probes, none } file = statistics;  ///< none: checks and summary alone see it
};
using Columns = std::vector<Column>;

/// name_x, name_y and name_z.
inline Columns vector_columns(const std::string& name) {
  return {{name + "_x"}, {name + "_y"}, {name + "_z"}};
}
/// Puts each of the columns where it belongs among those that are there.
inline void place_columns(Columns& all, const Columns& added) {
  for (const Column& column : added) {
    auto place =
        std::find_if(all.begin(), all.end(), [&](const Column& c) { return c.name == column.after; });
    all.insert(place == all.end() ? place : place + 1, column);
  }
}

class StatisticsRow {
 public:
  StatisticsRow() = default;
  explicit StatisticsRow(std::shared_ptr<const Columns> columns)
      : columns_(std::move(columns)), values_(columns_->size()) {}

  /// False where there is no such column, or no value in this row: steps without a row of the file know few.
  bool has(std::string_view name) const {
    const size_t place = find(name);
    return place < values_.size() && values_[place].has_value();
  }
  /// Throws std::out_of_range where has() is false.
  double operator[](std::string_view name) const {
    if (!has(name)) throw std::out_of_range("no value of column '" + std::string(name) + "'");
    return *values_[find(name)];
  }
  /// The columns name_x, name_y and name_z.
  Point3 vector(const std::string& name) const {
    return {(*this)[name + "_x"], (*this)[name + "_y"], (*this)[name + "_z"]};
  }
  /// Throws std::out_of_range where there is no such column.
  void set(std::string_view name, double value) {
    const size_t place = find(name);
    if (place == values_.size()) throw std::out_of_range("no column '" + std::string(name) + "'");
    values_[place] = value;
  }
  void set(const std::string& name, const Point3& value) {
    set(name + "_x", value[0]);
    set(name + "_y", value[1]);
    set(name + "_z", value[2]);
  }
  const Columns& columns() const {
    static const Columns none;
    return columns_ ? *columns_ : none;
  }

 private:
  size_t find(std::string_view name) const {
    size_t place = 0;
    while (place < values_.size() && (*columns_)[place].name != name) ++place;
    return place;
  }
  std::shared_ptr<const Columns> columns_;
  std::vector<std::optional<double>> values_;
};

}  // namespace merganser
