#include "device/launch_graph.h"

#include <memory>
#include <string>

MERGANSER_BEGIN

void LaunchGraph::begin() { begin_recording(); }
void LaunchGraph::abandon() { abandon_recording(); }

RecordedGraph LaunchGraph::end(const LaunchKey& key) {
  auto recorded = std::make_unique<Recording>(end_recording());
  if (recorded_.size() == most_recorded) clear();
  recorded_.push_back({key, recorded.get()});
  return recorded.release();
}

void LaunchGraph::expect_same(const Recording* recorded) {
  const Recording now = end_recording();
  const auto fault = [](const std::string& what) {
    throw DeviceError("emulated GPU: a launch graph would replay " + what +
                      "; the launch key misses what that depends on");
  };
  if (now.work.size() != recorded->work.size()) fault("another number of launches than are wanted now");
  for (size_t k = 0; k < now.work.size(); ++k)
    if (std::string(now.work[k].name) != recorded->work[k].name ||
        now.work[k].arguments != recorded->work[k].arguments)
      fault(std::string("'") + recorded->work[k].name + "' with other arguments than '" + now.work[k].name +
            "' has now");
}

void LaunchGraph::replay(RecordedGraph graph) {
  for (const StreamWork& work : graph->work) enqueue(work);
  count_one(traffic_counters().graphs);
}

void LaunchGraph::clear() {
  for (const Recorded& recorded : recorded_) delete recorded.graph;
  recorded_.clear();
}

MERGANSER_END
