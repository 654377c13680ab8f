/// Statistics of systems: elastic energy, bonds, compression of fluids, iterations of solvers.
#include <algorithm>

#include "solvers/core/observable.h"

MERGANSER_BEGIN

namespace {
class Systems final : public Observable {
 public:
  Columns columns() const override {
    return {{.name = "elastic_energy", .after = "potential_energy"},
            {"broken_bonds", Column::count},
            {.name = "bonds", .kind = Column::count, .file = Column::none},  // whole at the beginning
            {"density_error"},
            {"iterations_1", Column::count},
            {"iterations_2", Column::count}};
  }
  void write(const ObservedParts& parts, const StepOutcome&, StatisticsRow& row) const override {
    SystemStatistics all;
    for (const auto& system : parts.systems) {
      const SystemStatistics one = system->measured();
      all.elastic_energy += one.elastic_energy;
      all.density_error = std::max(all.density_error, one.density_error);
      all.broken_bonds += one.broken_bonds;
      all.bonds += one.bonds;
      for (int stage = 0; stage < 2; ++stage) all.iterations[stage] += one.iterations[stage];
    }
    row.set("elastic_energy", all.elastic_energy);
    row.set("broken_bonds", double(all.broken_bonds));
    row.set("bonds", double(all.bonds));
    row.set("density_error", all.density_error);
    row.set("iterations_1", all.iterations[0]);
    row.set("iterations_2", all.iterations[1]);
  }
};
}  // namespace

std::unique_ptr<Observable> make_systems(const InitialState&) { return std::make_unique<Systems>(); }

MERGANSER_END
