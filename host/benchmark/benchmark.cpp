#include "host/benchmark/benchmark.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <iterator>

#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "device/gpu_devices.h"
#include "host/benchmark/benchmark_cases.h"
#include "host/simulation/simulation.h"
#include "host/version.h"

namespace merganser {

namespace {

constexpr int stopped_exit_code = 75;  // as of runs

bool quick = false;

struct Benchmark {
  std::string name, description;
  std::function<void(const Device&, BenchmarkReport&)> run;
};

const std::vector<Benchmark>& all_benchmarks() {
  auto primitive = [](const std::string& name) {
    return [name](const Device& device, BenchmarkReport& report) {
      report.begin_case("");
      report.add(benchmark_primitive(name, device));
    };
  };
  auto scene = [](const SceneBenchmark& what, const std::string& description) {
    return Benchmark{what.name, description + ", at resolution 1 on CUDA",
                     [what](const Device& device, BenchmarkReport& report) {
                       report.add(benchmark_scene(device, what, report));
                     }};
  };
  auto dam_break = [](const std::string& name, const std::string& description, int edge) {
    return Benchmark{name, "WCSPH: " + description, [=](const Device& device, BenchmarkReport& report) {
                       report.add(benchmark_dam_break(device, name, edge, report));
                     }};
  };
  auto dfsph = [](const std::string& name, const std::string& description, int edge) {
    return Benchmark{name, "DFSPH: " + description, [=](const Device& device, BenchmarkReport& report) {
                       report.add(benchmark_dfsph(device, name, edge, report));
                     }};
  };
  auto flip = [](const std::string& name, const std::string& description, int cells) {
    return Benchmark{name, "FLIP: " + description, [=](const Device& device, BenchmarkReport& report) {
                       report.add(benchmark_flip(device, name, cells, report));
                     }};
  };
  static const std::vector<Benchmark> benchmarks = {
      {"triad", "memory bandwidth: a = b + 3 c", primitive("triad")},
      {"scan", "exclusive prefix sum of a million integers", primitive("scan")},
      {"sort", "stable sort of a million pairs", primitive("sort")},
      {"grid", "uniform grid: build, and neighbors within 2.4 spacings, of a million particles",
       primitive("grid")},
      {"bonds", "peridynamics bond product of a cube of 97,336 particles on the CPU, a million on CUDA",
       primitive("bonds")},
      {"multigrid",
       "pressure projection: conjugate gradients with a multigrid V-cycle, 128^3 cells on the CPU, 256^3 on "
       "CUDA",
       primitive("multigrid")},
      {"cholesky", "sparse Cholesky of elastic SPH: blocks of 4,096 to 64,000 rows", benchmark_cholesky},
      {"elastic_table1", "[ES] Table 1: soft body on a moving slice, 4,208 to 64,055 particles, three solves",
       benchmark_elastic_sizes},
      {"elastic_table2", "[ES] Table 2: the same for other Young's moduli and steps, two solves",
       benchmark_elastic_stiffness},
      {"elastic_regimes", "soft rod, beam, shell and cube of three stiffnesses, with and without the factor",
       benchmark_elastic_regimes},
      {"elastic_large", "soft cubes of 64,000 to 1,000,000 particles: factored whole, in parts, block Jacobi",
       benchmark_elastic_large},
      {"dam_break", "WCSPH: 200,000 particles on the CPU, 4 million on CUDA",
       [](const Device& device, BenchmarkReport& report) {
         report.add(
             benchmark_dam_break(device, "dam_break", device.backend == Backend::cuda ? 126 : 46, report));
       }},
      dam_break("dam_break_100k", "100,000 particles", 37),
      dfsph("dfsph_100k", "the column of dam_break_100k", 37),
      dam_break("dam_break_1m", "1 million particles", 80),
      dfsph("dfsph_1m", "the column of dam_break_1m", 80),
      dam_break("dam_break_16m", "16 million particles", 200),
      flip("flip_128", "128^3 cells, 2 million particles", 128),
      flip("flip_256", "256^3 cells, 17 million particles", 256),
      {"topology", "topological neighborhoods: a drop of 180 particles falls into a pool, 55,475 in all",
       [](const Device& device, BenchmarkReport& report) { report.add(benchmark_topology(device, report)); }},
      {"surface", "surface of a pool and a drop in contact, 55,000 particles on the CPU, 2 million on CUDA",
       [](const Device& device, BenchmarkReport& report) {
         report.begin_case("");
         report.add(benchmark_surface(device));
       }},
      scene({"fig03", "merging_and_splitting/fig03_ball_on_cloth_high", 0.3, 0.08},
            "merging-and-splitting: peridynamic ball in a cloth"),
      scene({"fig04", "merging_and_splitting/fig04_fluid_beam_on_cloth", 0.35, 0.06},
            "merging-and-splitting: fluid beam on cloth in full contact"),
      scene({"fig05", "merging_and_splitting/fig05_ball_hits_brittle_wall", 0.4, 0.004},
            "merging-and-splitting: brittle wall breaking"),
      scene({"fig08_tori", "merging_and_splitting/fig08_cloth_and_tori", 0.2, 0.3},
            "merging-and-splitting: water, cloth and peridynamic tori"),
      scene({"fig08_dam", "merging_and_splitting/fig08_dam_break_wall", 0.2, 0.35},
            "merging-and-splitting: dam break against a brittle wall"),
      scene({"fig08_bowl", "merging_and_splitting/fig08_bowl_breaks_on_water", 0.25, 0.02},
            "merging-and-splitting: brittle bowl hitting water"),
      scene({"rigid_pile", "rigid/pile", 0.3, 0.35}, "rigid bodies: fifty fall in a heap"),
      scene({"rigid_floating", "rigid/floating_bodies", 0.4, 0.15},
            "rigid bodies in water, one pressure solve over both"),
  };
  return benchmarks;
}

/// Those that are run where no name is given: not the sizes beside the usual ones, which take minutes on a
/// CPU.
bool usual(const Benchmark& benchmark) {
  for (const char* start : {"dam_break_", "dfsph_", "flip_"})
    if (benchmark.name.rfind(start, 0) == 0) return false;
  return true;
}

std::vector<Benchmark> selected_benchmarks(const std::vector<std::string>& names) {
  const auto& all = all_benchmarks();
  if (names.empty()) {
    std::vector<Benchmark> selected;
    std::copy_if(all.begin(), all.end(), std::back_inserter(selected), usual);
    return selected;
  }
  std::vector<Benchmark> selected;
  for (const std::string& name : names) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Benchmark& b) { return b.name == name; });
    if (found == all.end()) {
      std::string known;
      for (const Benchmark& b : all) known += (known.empty() ? "" : ", ") + b.name;
      throw InputError("no benchmark '" + name + "'; there are " + known);
    }
    selected.push_back(*found);
  }
  return selected;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace

void set_quick_benchmarks(bool on) { quick = on; }
bool quick_benchmarks() { return quick; }

int run_benchmark(const BenchmarkOptions& options) {
  if (options.list) {
    for (const Benchmark& b : all_benchmarks())
      std::printf("%-10s %s\n", b.name.c_str(), b.description.c_str());
    return 0;
  }
  const auto selected = selected_benchmarks(options.names);
  set_quick_benchmarks(options.quick);
  const Device device = select_device(options.device, options.threads);
  cpu::set_threads(device.threads);
  std::printf("merganser %s (%s) on %s, %d threads%s%s\n", version().c_str(), commit().c_str(),
              device.description.c_str(), device.threads, device.note.empty() ? "" : "; ",
              device.note.c_str());
  if (options.quick) std::printf("quick: tiny cases and few steps; the figures say nothing about speed\n");
  nlohmann::ordered_json document = {{"version", version()},
                                     {"commit", commit()},
                                     {"device", device.description},
                                     {"driver", device.backend == Backend::cuda ? gpu::driver_version() : ""},
                                     {"threads", device.threads},
                                     {"date", utc_now()}};
  if (options.quick) document["quick"] = true;
  std::fflush(stdout);
  BenchmarkReport report(std::move(document), options, selected.size());
  try {
    for (const Benchmark& benchmark : selected) {
      report.begin(benchmark.name);
      benchmark.run(device, report);
    }
  } catch (const BenchmarkStopped&) {
    std::fprintf(stderr, "merganser: stopped; %s\n", report.kept().c_str());
    return stopped_exit_code;
  }
  report.finish();
  return 0;
}

}  // namespace merganser
