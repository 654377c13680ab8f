#include "solvers/methods/peridynamics/loads.h"

#include <map>
#include <string>

#include "device/launch.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"

MERGANSER_BEGIN

/// The impulse [N s] of all loads on the k-th loaded particle.
struct LoadImpulse {
  View<const int> particle, first, load;
  View<const PeridynamicLoads::Load> loads;
  View<const float> mass;
  double time, dt;  ///< [s]
  MERGANSER_METHOD Vec3 operator()(int k) const {
    Vec3 sum{0, 0, 0};
    for (int l = first[k]; l < first[k + 1]; ++l) {
      const auto& part = loads[load[l]];
      const double overlap = fmin(time + dt, part.end_time) - fmax(time, part.start_time);
      if (overlap > 0) sum += float(fmin(dt, overlap)) * part.acceleration;
    }
    return mass[particle[k]] * sum;
  }
};
struct AddLoads {
  static constexpr const char* name = "peridynamics loads";
  LoadImpulse of_loads;
  View<Vec3> impulse;  ///< [N s], updated
  MERGANSER_METHOD void operator()(int k) const { impulse[of_loads.particle[k]] += of_loads(k); }
};
struct LoadExchange {
  static constexpr const char* name = "peridynamics loads' ledger";
  LoadImpulse of_loads;
  View<const Vec3> end_velocity;  ///< [m/s]
  MERGANSER_METHOD StepExchange operator()(int k) const {
    StepExchange exchange;
    exchange.give(to_double(of_loads(k)), to_double(end_velocity[of_loads.particle[k]]));
    return exchange;
  }
};

PeridynamicLoads::PeridynamicLoads(const SystemState& state) {
  std::map<int, std::vector<int>> loads_of;
  std::vector<Load> loads;
  for (const PeridynamicLoad& load : state.parameters.of<PeridynamicsParameters>().loads) {
    const std::string which = "system '" + state.name + "', load " + std::to_string(loads.size());
    if (!(load.start_time <= load.end_time))
      throw InputError(which + ": it ends at " + std::to_string(load.end_time) + " s, before it starts at " +
                       std::to_string(load.start_time) + " s");
    for (int particle : load.particles) {
      if (particle < 0 || size_t(particle) >= state.position.size())
        throw InputError(which + ": there is no particle " + std::to_string(particle) + "; the system has " +
                         std::to_string(state.position.size()));
      loads_of[particle].push_back(static_cast<int>(loads.size()));
    }
    const Point3& a = load.acceleration;
    loads.push_back({vector_cast<float>(Vec3d{a[0], a[1], a[2]}), load.start_time, load.end_time});
  }
  std::vector<int> particle, first{0}, entry;
  for (const auto& [index, list] : loads_of) {
    particle.push_back(index);
    entry.insert(entry.end(), list.begin(), list.end());
    first.push_back(static_cast<int>(entry.size()));
  }
  particle_.assign(particle);
  first_.assign(first);
  load_.assign(entry);
  loads_.assign(loads);
}

LoadImpulse PeridynamicLoads::of_loads(View<const float> mass, double time, double dt) const {
  return {.particle = particle_.view(),
          .first = first_.view(),
          .load = load_.view(),
          .loads = loads_.view(),
          .mass = mass,
          .time = time,
          .dt = dt};
}

void PeridynamicLoads::add(View<const float> mass, double time, double dt, View<Vec3> impulse) const {
  launch(particle_.size(), AddLoads{of_loads(mass, time, dt), impulse});
}

void PeridynamicLoads::record_exchange(View<const float> mass, View<const Vec3> end_velocity, double time,
                                       double dt, Reduction<StepExchange>& sum) const {
  sum.run(particle_.size(), sum_of(LoadExchange{of_loads(mass, time, dt), end_velocity}));
}

MERGANSER_END
