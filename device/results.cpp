#include "device/results.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "device/kernel_profile.h"

MERGANSER_BEGIN

#if MERGANSER_GPU_HALF
namespace {

constexpr size_t block_bytes = 64 << 10, alignment = 16;
size_t rounded(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

struct ResultBlock {
  ResultMemory memory;
  size_t used;  ///< [bytes] from its beginning; behind them nothing was ever handed out
};

/// All results of the process.
struct Arena {
  std::mutex mutex;
  std::vector<ResultBlock> blocks;
  std::map<size_t, std::vector<ResultMemory>> returned;  ///< by size
  std::atomic<long long> fetches{0};

  ResultMemory take(size_t bytes) {
    const std::lock_guard lock(mutex);
    if (auto& free = returned[bytes]; !free.empty()) {
      const ResultMemory place = free.back();
      free.pop_back();
      return place;
    }
    if (blocks.empty() || blocks.back().used + bytes > block_bytes)
      blocks.push_back({allocate_result_memory(std::max(block_bytes, bytes)), 0});
    ResultBlock& block = blocks.back();
    const ResultMemory place{block.memory.device + block.used, block.memory.host + block.used};
    block.used += bytes;
    return place;
  }
};
/// Never destroyed: results may outlive everything else.
Arena& arena() {
  static Arena& created = *new Arena;
  return created;
}

}  // namespace

ResultSlot::ResultSlot(size_t bytes) : bytes_(rounded(bytes)) {
  const ResultMemory place = arena().take(bytes_);
  device_ = place.device;
  host_ = place.host;
  fill_zero(device_, bytes_);
  std::memset(host_, 0, bytes_);
}

ResultSlot::~ResultSlot() {
  if (!device_) return;
  Arena& all = arena();
  const std::lock_guard lock(all.mutex);
  all.returned[bytes_].push_back({device_, host_});
}

void ResultSlot::written() { written_ = arena().fetches; }

const void* ResultSlot::fetched() const {
  if (written_ >= arena().fetches)
    throw DeviceError("a result was read that was written after the last fetch_results()");
  return host_;
}

void fetch_results() {
  Arena& all = arena();
  const std::lock_guard lock(all.mutex);
  for (const ResultBlock& block : all.blocks)
    queue_copy_to_host(block.memory.host, block.memory.device, block.used);
  count_one(traffic_counters().reads);
  synchronize();
  ++all.fetches;
}
#else
void fetch_results() {}
#endif

MERGANSER_END
