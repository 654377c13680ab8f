/// Mass that emitters and late bodies have added and kill boxes have taken away since the beginning,
/// where a scene has any of them. With it the mass of the momentum ledger follows, sum m g dt; energy and
/// momentum that came and went stand in external_work and external_impulse.
#include <algorithm>

#include "solvers/core/observable.h"

MERGANSER_BEGIN

namespace {

class Emissions final : public Observable {
 public:
  explicit Emissions(const InitialState& initial)
      : any_(std::any_of(initial.systems.begin(), initial.systems.end(), [](const SystemState& system) {
          return !system.emitters.empty() || !system.fluid.kill_box.boxes.empty() || !system.late.empty();
        })) {}

  Columns columns() const override {
    if (!any_) return {};
    return {{"emitted_particles", Column::count},
            {"emitted_mass"},
            {"removed_particles", Column::count},
            {"removed_mass"}};
  }
  void emitted(const ObservedParts&, const std::vector<Emission>& emissions) override {
    for (const Emission& emission : emissions) {
      Sum& sum = emission.particles > 0 ? emitted_ : removed_;
      sum.particles += std::abs(emission.particles);
      sum.mass += std::abs(emission.mass);
    }
  }
  void write(const ObservedParts&, const StepOutcome&, StatisticsRow& row) const override {
    if (!any_) return;
    row.set("emitted_particles", double(emitted_.particles));
    row.set("emitted_mass", emitted_.mass);
    row.set("removed_particles", double(removed_.particles));
    row.set("removed_mass", removed_.mass);
  }
  void save(StateArchive& archive, const std::string& prefix) const override {
    if (!any_) return;
    archive.put(prefix + "/particles", std::vector<std::int64_t>{emitted_.particles, removed_.particles});
    archive.put(prefix + "/mass", std::vector<double>{emitted_.mass, removed_.mass});
  }
  void load(const StateArchive& archive, const std::string& prefix) override {
    if (!any_) return;
    const auto particles = archive.get<std::int64_t>(prefix + "/particles");
    const auto mass = archive.get<double>(prefix + "/mass");
    emitted_ = {particles.at(0), mass.at(0)};
    removed_ = {particles.at(1), mass.at(1)};
  }

 private:
  struct Sum {
    std::int64_t particles = 0;
    double mass = 0;  ///< [kg]
  };
  bool any_;
  Sum emitted_, removed_;
};

}  // namespace

std::unique_ptr<Observable> make_emissions(const InitialState& initial) {
  return std::make_unique<Emissions>(initial);
}

MERGANSER_END
