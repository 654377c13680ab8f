#include "solvers/benchmarks/surface_benchmark.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

namespace merganser {

namespace {

constexpr double smoothing_factor = 1.2, drop_radius = 3.5;  // in spacings: about 180 particles

struct Splash {
  FluidPoints points;
  std::vector<int> id, body;
};

/// A pool of nx x nx x nz particles on a jittered lattice, and a drop `gap` spacings above it.
Splash splash(int nx, int nz, double gap) {
  Splash made;
  double draws = 0;
  const auto jitter = [&] {  // even, repeatable, within 0.15 of a spacing
    draws += 1;
    return 0.3 * (std::fmod(0.6180339887498949 * draws, 1.0) - 0.5);
  };
  const auto add = [&](double x, double y, double z, int body) {
    made.points.position.push_back({float(x + jitter()), float(y + jitter()), float(z + jitter())});
    made.points.velocity.push_back({0, 0, body == 0 ? 0.0f : -1.0f});
    made.points.mass.push_back(1);
    made.id.push_back(static_cast<int>(made.id.size()));
    made.body.push_back(body);
  };
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < nx; ++y)
      for (int x = 0; x < nx; ++x) add(x, y, z, 0);
  const double centre = 0.5 * nx - 0.5;
  for (int z = -4; z <= 4; ++z)
    for (int y = -4; y <= 4; ++y)
      for (int x = -4; x <= 4; ++x)
        if (x * x + y * y + z * z <= drop_radius * drop_radius)
          add(centre + x, centre + y, nz - 1 + gap + drop_radius + z, 1);
  return made;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Median milliseconds of every stage, and of the whole.
struct Times {
  std::map<std::string, std::vector<double>> stages;
  std::vector<double> whole;
  double field() const { return median(stages.at("densities")) + median(stages.at("field")); }
};

SurfaceMesh time_build(SurfaceBuilder& builder, const Splash& fluid, const TopologyLinks* links,
                       const SurfaceParameters& parameters, Times* times) {
  const auto before = builder.report().stage_milliseconds;
  const auto start = std::chrono::steady_clock::now();
  SurfaceMesh mesh = builder.build(fluid.points, links, parameters);
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  if (!times) return mesh;
  times->whole.push_back(spent.count());
  for (const auto& [stage, milliseconds] : builder.report().stage_milliseconds)
    times->stages[stage].push_back(milliseconds - (before.count(stage) ? before.at(stage) : 0));
  return mesh;
}

}  // namespace

SurfaceTiming time_surface(SurfaceBuilder& builder, TopologyTracker& tracker, int nx, int nz,
                           int repetitions) {
  const Splash before = splash(nx, nz, 1.8), touching = splash(nx, nz, 0.9);
  const double gamma = 0.1, frame = 0.02;
  TopologyLinks links;
  std::vector<double> graph;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    tracker.next_frame(before.points, before.id, before.body, smoothing_factor, frame, gamma);
    links = tracker.next_frame(touching.points, touching.id, touching.body, smoothing_factor, frame, gamma);
    graph.push_back(tracker.update_milliseconds());
  }
  SurfaceParameters parameters{.h = smoothing_factor, .spacing = 1};
  Times sum, topological;
  SurfaceMesh mesh;
  for (int repetition = -1; repetition < repetitions;
       ++repetition)  // in turn, so that both see the same load
    for (const bool blend : {false, true}) {
      parameters.method = blend ? SurfaceMethod::topological : SurfaceMethod::sum;
      Times* const times = repetition < 0 ? nullptr : blend ? &topological : &sum;
      mesh = time_build(builder, touching, blend ? &links : nullptr, parameters, times);
    }
  SurfaceTiming timing;
  timing.particles = static_cast<long long>(touching.id.size());
  timing.milliseconds = median(topological.whole);
  for (const auto& [prefix, times] : {std::pair{"topological: ", &topological}, std::pair{"sum: ", &sum}})
    for (const auto& [stage, values] : times->stages)
      timing.stages.emplace_back(prefix + stage, median(values));
  timing.stages.emplace_back("graph update", median(graph));
  timing.field_ratio = topological.field() / sum.field();
  timing.vertices = mesh.position.size();
  timing.triangles = mesh.triangles.size();
  return timing;
}

}  // namespace merganser
