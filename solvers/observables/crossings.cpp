/// Passages of fluid particles through sheets, all that are counted together.
#include "solvers/core/observable.h"
#include "solvers/observables/crossing_counter.h"

MERGANSER_BEGIN

namespace {
/// Triangles of one body, in local indices of its system, and their longest rest edge.
std::vector<Triangle> triangles_of_body(const SystemState& state, int body, float& longest_edge) {
  const auto place = [&](int i) {
    const Float3& x = state.position[size_t(i)];
    return Vec3{x[0], x[1], x[2]};
  };
  std::vector<Triangle> triangles;
  longest_edge = 0;
  for (const Triangle& t : state.triangles) {
    if (state.body[size_t(t[0])] != body) continue;
    triangles.push_back(t);
    for (size_t c = 0; c < 3; ++c)
      longest_edge = std::max(longest_edge, norm(place(t[c]) - place(t[(c + 1) % 3])));
  }
  return triangles;
}

class Crossings final : public Observable {
 public:
  explicit Crossings(const InitialState& initial) {
    for (const MeasureRequest& asked : initial.requests("crossings")) {
      const int sheet_system = initial.bodies[size_t(asked.body)].system;
      float longest_edge = 0;
      const auto triangles =
          triangles_of_body(initial.systems[size_t(sheet_system)], asked.body, longest_edge);
      counters_.emplace_back(asked.system, sheet_system, triangles, longest_edge, periodic_length(initial));
    }
  }
  Columns columns() const override {
    return {{"crossings", Column::count, "density_error"},
            {.name = "crossed_particles", .kind = Column::count, .file = Column::none},
            {.name = "followed_particles", .kind = Column::count, .file = Column::none}};
  }
  bool every_step() const override { return true; }

  void start(const ObservedParts& parts) override {
    for (CrossingCounter& counter : counters_) counter.update(parts.particles);
  }
  void emitted(const ObservedParts& parts, const std::vector<Emission>& emissions) override {
    if (emissions.empty()) return;
    for (CrossingCounter& counter : counters_) counter.meet(parts.particles);
  }
  void after_step(const ObservedParts& parts, const StepContext&) override {
    for (CrossingCounter& counter : counters_) counter.measure(parts.particles);
  }
  bool after_fetch(const ObservedParts& parts, const StepContext&) override {
    bool more = false;
    for (CrossingCounter& counter : counters_) more |= counter.complete(parts.particles);
    return more;
  }
  void write(const ObservedParts&, const StepOutcome&, StatisticsRow& row) const override {
    CrossingCounts all;
    for (const CrossingCounter& counter : counters_) {
      const CrossingCounts one = counter.fetched_counts();
      all.passages += one.passages;
      all.particles += one.particles;
      all.followed += one.followed;
    }
    row.set("crossings", double(all.passages));
    row.set("crossed_particles", double(all.particles));
    row.set("followed_particles", double(all.followed));
  }

  void save(StateArchive& archive, const std::string& prefix) const override {
    for (size_t c = 0; c < counters_.size(); ++c)
      counters_[c].save(archive, prefix + "/" + std::to_string(c));
  }
  void load(const StateArchive& archive, const std::string& prefix) override {
    for (size_t c = 0; c < counters_.size(); ++c)
      counters_[c].load(archive, prefix + "/" + std::to_string(c));
  }

 private:
  std::vector<CrossingCounter> counters_;
};
}  // namespace

std::unique_ptr<Observable> make_crossings(const InitialState& initial) {
  return std::make_unique<Crossings>(initial);
}

MERGANSER_END
