#include "device/launch_graph.h"

MERGANSER_BEGIN

void LaunchGraph::begin() {
  check_cuda(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  set_recording(true);
}

void LaunchGraph::abandon() {
  set_recording(false);
  cudaGraph_t graph = nullptr;
  if (cudaStreamEndCapture(stream(), &graph) == cudaSuccess && graph) (void)cudaGraphDestroy(graph);
  (void)cudaGetLastError();
}

RecordedGraph LaunchGraph::end(const LaunchKey& key) {
  set_recording(false);
  cudaGraph_t graph = nullptr;
  check_cuda(cudaStreamEndCapture(stream(), &graph), "cudaStreamEndCapture");
  cudaGraphExec_t executable = nullptr;
  const cudaError_t result = cudaGraphInstantiate(&executable, graph, 0);
  (void)cudaGraphDestroy(graph);
  check_cuda(result, "cudaGraphInstantiate");
  if (recorded_.size() == most_recorded) clear();
  recorded_.push_back({key, executable});
  return executable;
}

void LaunchGraph::replay(RecordedGraph graph) {
  check_cuda(cudaGraphLaunch(graph, stream()), "cudaGraphLaunch");
  count_one(traffic_counters().graphs);
}

void LaunchGraph::clear() {
  for (const Recorded& recorded : recorded_) (void)cudaGraphExecDestroy(recorded.graph);
  recorded_.clear();
}

MERGANSER_END
