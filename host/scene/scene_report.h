#pragma once
/// Report of `merganser check`: everything that can be known of a run before its first step.
#include <functional>
#include <string>
#include <vector>

#include "host/scene/scene.h"
#include "solvers/core/start_checks.h"
#include "solvers/core/start_overlaps.h"

namespace merganser {

/// What to say of a fixed step beyond the bound of [MS] sec. 5.1 at the speed to be expected, or beyond what
/// an explicit method bears; "" where all is well.
std::string note_on_fixed_step(const InitialState& initial);
/// The same, particles behind walls, meshes thinner than the spacing and bodies that overlap, a line each.
/// Overlaps are not looked for without contacts or beyond 8 million particles.
std::string notes_on_start(const InitialState& initial);
/// Counts, overlaps, memory, disk and step-size estimates as a table, or as JSON.
std::string check_report(const Scene& scene, const InitialState& initial, bool json);

/// What `merganser check` says of a scene.
struct CheckedScene {
  std::string text;     ///< to be printed
  std::string refusal;  ///< why no device here can hold it; empty where one can
};
/// What else a run makes before its first step, so that what it refuses is refused here; returns what it
/// says of it.
using MakeRun = std::function<std::vector<std::string>(const Scene&, const InitialState&)>;
/// The report. Its particles are made for it where the memory holds the scene and there are no more than 100
/// million: what needs them (step size, particles behind walls) is left out otherwise, overlaps beyond
/// 8 million. `make_run` is called for scenes that are estimated to take no more than 1 GiB, 64 MiB of it for
/// tables of mesh walls, and whose bodies are relaxed; without it nothing else is made. Throws InputError.
CheckedScene check_scene(const Scene& scene, bool json, const MakeRun& make_run = {});

}  // namespace merganser
