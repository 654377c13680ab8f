#pragma once
/// Flag of rows near walls, which the solve then has to look at: known from the end of the step before,
/// with that step's other results, so that the host need not wait for it.
#include <vector>

#include "device/reduce.h"
#include "solvers/base/state_archive.h"
#include "solvers/coupling/implicit/implicit_walls.h"

MERGANSER_BEGIN

/// Rows that are within a radius of a wall or may come there in the next step, be it half again as long.
struct CountRowsNearWalls {
  static constexpr const char* name = "implicit rows near walls";
  using Value = int;
  WallRows rows;
  MERGANSER_METHOD int operator()(int i) const {
    if (!(rows.inverse_mass[i] > 0)) return 0;
    for (int w = 0; w < rows.walls.count; ++w) {
      const WallDistance at = rows.walls[w].at(rows.position[i]);
      const float approach = dot(rows.start[i] - rows.walls[w].velocity_at(rows.position[i], at), at.normal);
      if (at.distance + 3 * rows.dt * least_of(approach, 0.0f) < 2 * rows.radius[i]) return 1;
    }
    return 0;
  }
  MERGANSER_METHOD static int identity() { return 0; }
  MERGANSER_METHOD static int combine(int a, int b) { return a + b; }
};

/// Of the parts of one solve.
class NearWalls {
 public:
  explicit NearWalls(size_t parts) : rows_(parts) {}
  /// Launches the count of a part.
  void count(size_t part, const WallRows& rows) {
    rows_[part].run(rows.position.count, CountRowsNearWalls{rows});
  }
  /// The counts that were launched are those of the next step if it has as many rows.
  void look_ahead(int rows) { known_rows_ = rows, fetched_later_ = true; }
  /// Whether look_ahead() was called for this step; fetch_results() has been.
  bool known(int rows) const { return known_rows_ == rows; }
  /// What it found. It is of one step.
  bool take() {
    known_rows_ = -1;
    return any();
  }
  /// Of the counts that were launched (blocking).
  bool read() const {
    int rows = 0;
    for (const Reduction<int>& part : rows_) rows += part.read();
    return rows > 0;
  }

  void save(StateArchive& archive, const std::string& prefix) const {
    archive.put(prefix + "/near_walls", std::vector<std::int32_t>{known_rows_, known_rows_ >= 0 && any()});
  }
  void load(const StateArchive& archive, const std::string& prefix) {
    const auto saved = archive.get<std::int32_t>(prefix + "/near_walls");
    known_rows_ = saved.at(0), loaded_ = saved.at(1) != 0, fetched_later_ = false;
  }

 private:
  bool any() const {
    if (!fetched_later_) return loaded_;
    int rows = 0;
    for (const Reduction<int>& part : rows_) rows += part.fetched();
    return rows > 0;
  }
  std::vector<Reduction<int>> rows_;  ///< one a part
  int known_rows_ = -1;               ///< of the step that they are for, or -1
  bool fetched_later_ = false;        ///< rows_ has it after the next fetch_results(); else loaded_
  bool loaded_ = false;
};

MERGANSER_END
