#include "solvers/observables/wall_loads.h"

#include "solvers/coupling/boundary/wall_contact.h"

MERGANSER_BEGIN

std::vector<std::string> measured_walls(const std::vector<WallParameters>& walls) {
  std::vector<std::string> names;
  for (const WallParameters& wall : walls)
    if (!wall.name.empty()) names.push_back(wall.name);
  return names;
}

WallLoad wall_load(const ObservedParts& parts, int k) {
  WallLoad load = parts.walls.load(k);
  for (const auto& system : parts.systems) load += system->wall_load(k);
  return load;
}

namespace {

/// Force and torque as means over the steps since the row before; work since the beginning.
class WallLoadColumns final : public Observable {
 public:
  explicit WallLoadColumns(const InitialState& initial) : names_(measured_walls(initial.walls)) {
    since_row_.resize(names_.size());
    work_.resize(names_.size());
  }
  Columns columns() const override {
    Columns all;
    for (const std::string& name : names_) {
      for (const char* what : {"_force", "_torque"})
        for (const Column& column : vector_columns("wall_" + name + what)) all.push_back(column);
      all.push_back({"wall_" + name + "_work"});
    }
    return all;
  }
  bool every_step() const override { return !names_.empty(); }
  bool after_fetch(const ObservedParts& parts, const StepContext& step) override {
    if (row_written_) {
      since_row_.assign(names_.size(), {});
      time_ = 0;
    }
    row_written_ = false;
    time_ += step.dt;
    for (size_t k = 0; k < names_.size(); ++k) {
      const WallLoad load = wall_load(parts, static_cast<int>(k));
      since_row_[k] += load;
      work_[k] += load.work;
    }
    return false;
  }
  void write(const ObservedParts&, const StepOutcome&, StatisticsRow& row) const override {
    for (size_t k = 0; k < names_.size(); ++k) {
      row.set("wall_" + names_[k] + "_force", to_point(since_row_[k].impulse / time_));
      row.set("wall_" + names_[k] + "_torque", to_point(since_row_[k].angular / time_));
      row.set("wall_" + names_[k] + "_work", work_[k]);
    }
    row_written_ = true;
  }
  void save(StateArchive& archive, const std::string& prefix) const override {
    if (names_.empty()) return;
    std::vector<double> values{row_written_ ? 0 : time_};
    for (size_t k = 0; k < names_.size(); ++k) {
      const WallLoad load = row_written_ ? WallLoad{} : since_row_[k];
      values.insert(values.end(), {load.impulse.x, load.impulse.y, load.impulse.z, load.angular.x,
                                   load.angular.y, load.angular.z, work_[k]});
    }
    archive.put(prefix + "/since_row", values);
  }
  void load(const StateArchive& archive, const std::string& prefix) override {
    if (names_.empty()) return;
    const auto values = archive.get<double>(prefix + "/since_row");
    if (values.size() != 1 + 7 * names_.size())
      throw FileError("checkpoint: its forces on walls are those of other walls");
    time_ = values[0];
    row_written_ = false;
    for (size_t k = 0; k < names_.size(); ++k) {
      const double* v = &values[1 + 7 * k];
      since_row_[k] = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, 0};
      work_[k] = v[6];
    }
  }

 private:
  std::vector<std::string> names_;
  std::vector<WallLoad> since_row_;
  std::vector<double> work_;          ///< [J]
  double time_ = 0;                   ///< [s] since the row before
  mutable bool row_written_ = false;  ///< since_row_ belongs to a row that is there
};

}  // namespace

std::unique_ptr<Observable> make_wall_loads(const InitialState& initial) {
  return std::make_unique<WallLoadColumns>(initial);
}

MERGANSER_END
