/// Waves of a piston against linear theory, by gauges of the volume and by the probes of the scene.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "device/backend.h"
#include "host/scene/scene.h"
#include "host/simulation/simulation.h"
#include "tests/support/note.h"
#include "tests/support/source_folder.h"

MERGANSER_BEGIN
namespace wave_maker_test {

constexpr double frequency = 2 * 3.14159265358979 * 1.25, stroke = 0.05, depth = 0.2, width = 0.08;

/// k with frequency^2 = g k tanh(k depth).
double wave_number() {
  double k = frequency * frequency / 9.81;
  for (int round = 0; round < 100; ++round)
    k = 0.5 * (k + frequency * frequency / (9.81 * std::tanh(k * depth)));
  return k;
}

/// The oscillation of the water level at a place: sums for its Fourier component over whole periods.
struct Gauge {
  double x, sine = 0, cosine = 0;
  int samples = 0;
  static constexpr double reach = 0.08;  ///< [m] water counts with 1 - |distance from x|/reach
  void add(const FrameData& frame, double volume) {
    double count = 0;
    for (const Float3& p : frame.position) count += std::max(0.0, 1 - std::abs(p[0] - x) / reach);
    const double level = count * volume / (reach * width);
    sine += level * std::sin(frequency * frame.time);
    cosine += level * std::cos(frequency * frame.time);
    ++samples;
  }
  /// Crest to trough; of a wave the weighted level sees (sin(a)/a)^2, a = k reach/2.
  double height(double k) const {
    const double a = k * reach / 2, seen = std::sin(a) / a;
    return 4 * std::hypot(sine, cosine) / samples / (seen * seen);
  }
};

/// The same of a probe of the water level: of one line, not of what stands about it.
struct LevelProbe {
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

/// H/S = 2 (cosh 2kh - 1)/(sinh 2kh + 2kh) (Dean and Dalrymple 1991, ch. 6), as a mean over gauges along a
/// wave length from 3.2 s to 4.8 s, two periods, and over the scene's five probes, which see where half of
/// the kernel is filled. At resolution 1 a wave is seven particles high: 0.948 and 0.948 measured. (At
/// 0.5, three particles or one and a half cells, 0.908 by probes.)
TEST(WaveMakerSlow, HeightOfLinearTheory) {
  const Scene scene = load_scene(source_folder() / "scenes/dfsph/wave_maker.json", SceneOverrides{});
  const auto simulation = make_simulation(build_initial_state(scene));
  const double k = wave_number(), kh2 = 2 * k * depth;
  const double expected = stroke * 2 * (std::cosh(kh2) - 1) / (std::sinh(kh2) + kh2);
  const double volume = 3 * width * depth / simulation->particle_count();
  std::vector<Gauge> gauges;
  for (double x = 0.4; x < 1.25; x += 0.1) gauges.push_back({x});
  std::vector<LevelProbe> probes;
  for (const char* column : {"W1_level", "W2_level", "W3_level", "W4_level", "W5_level"})
    probes.push_back({column});
  while (simulation->time() < 3.2 - 1e-9) simulation->step(3.2);
  for (int sample = 1; sample <= 32; ++sample) {
    const double time = 3.2 + 0.05 * sample;
    while (simulation->time() < time - 1e-9) {
      const StepStatistics row = simulation->step(time);
      for (LevelProbe& probe : probes) probe.add(row);
    }
    const FrameData frame = simulation->frame();
    for (Gauge& gauge : gauges) gauge.add(frame, volume);
  }
  double mean = 0;
  for (const Gauge& gauge : gauges) {
    note("x = %.2f m: H %.4f m, theory %.4f m\n", gauge.x, gauge.height(k), expected);
    mean += gauge.height(k) / double(gauges.size());
  }
  note("mean %.3f of theory\n", mean / expected);
  EXPECT_NEAR(mean, expected, 0.04 * expected);
  double of_probes = 0;
  for (const LevelProbe& probe : probes) {
    note("%s: H %.4f m\n", probe.column.c_str(), probe.height());
    EXPECT_GE(probe.samples, 79);
    of_probes += probe.height() / double(probes.size());
  }
  note("probes: mean %.3f of theory\n", of_probes / expected);
  EXPECT_NEAR(of_probes, expected, 0.04 * expected);
}

}  // namespace wave_maker_test
MERGANSER_END
