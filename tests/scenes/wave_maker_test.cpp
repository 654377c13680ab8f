/// Waves of a piston against linear theory, at the probes of the scene.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "device/backend.h"
#include "host/scene/scene.h"
#include "host/simulation/simulation.h"
#include "tests/support/note.h"
#include "tests/support/source_folder.h"

MERGANSER_BEGIN
namespace {

constexpr double frequency = 2 * 3.14159265358979 * 1.25, stroke = 0.05, depth = 0.2;

/// k with frequency^2 = g k tanh(k depth).
double wave_number() {
  double k = frequency * frequency / 9.81;
  for (int round = 0; round < 100; ++round)
    k = 0.5 * (k + frequency * frequency / (9.81 * std::tanh(k * depth)));
  return k;
}

/// The oscillation of the water level at a probe: sums for its Fourier component over whole periods.
struct Gauge {
  std::string column;
  double sine = 0, cosine = 0;
  int samples = 0;
  void add(const StepStatistics& row) {
    if (!row.has(column)) return;
    sine += row[column] * std::sin(frequency * row.time);
    cosine += row[column] * std::cos(frequency * row.time);
    ++samples;
  }
  double height() const { return 4 * std::hypot(sine, cosine) / samples; }  ///< [m] crest to trough
};

/// H/S = 2 (cosh 2kh - 1)/(sinh 2kh + 2kh) (Dean and Dalrymple 1991, ch. 6), as a mean over the scene's
/// probes along a wave length from 3.2 s to 4.8 s, two periods. A wave is three particles or one and a half
/// cells high, so 15 %; at a single probe the reflected wave stands, too: 30 %.
TEST(WaveMakerSlow, HeightOfLinearTheory) {
  SceneOverrides overrides;
  overrides.resolution = 0.5;
  const Scene scene = load_scene(source_folder() / "scenes/dfsph/wave_maker.json", overrides);
  const auto simulation = make_simulation(build_initial_state(scene));
  const double k = wave_number(), kh2 = 2 * k * depth;
  const double expected = stroke * 2 * (std::cosh(kh2) - 1) / (std::sinh(kh2) + kh2);
  std::vector<Gauge> gauges;
  for (const char* column : {"W1_level", "W2_level", "W3_level", "W4_level", "W5_level"})
    gauges.push_back({column});
  while (simulation->time() < 3.2) simulation->advance(3.2, false);
  while (simulation->time() < 4.8) {
    const StepStatistics row = simulation->advance(4.8, false);
    for (Gauge& gauge : gauges) gauge.add(row);
  }
  double mean = 0;
  for (const Gauge& gauge : gauges) {
    note("%s: H %.4f m, theory %.4f m\n", gauge.column.c_str(), gauge.height(), expected);
    EXPECT_GE(gauge.samples, 79);
    EXPECT_NEAR(gauge.height(), expected, 0.3 * expected) << gauge.column;
    mean += gauge.height() / double(gauges.size());
  }
  note("mean %.3f of theory\n", mean / expected);
  EXPECT_NEAR(mean, expected, 0.15 * expected);
}

}  // namespace
MERGANSER_END
