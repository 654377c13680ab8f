/// The emulated GPU's stream: what is queued runs when the host waits, and then all of it, in order. Memory
/// is open while it runs and closed otherwise, so a host that reads without waiting, or through a view, stops
/// at once; so does a kernel that touches memory that is not allocated. A message names the kernel.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>

#include <unistd.h>

#include "device/array.h"
#include "device/emulated/launch.h"
#include "device/emulated/memory.h"
#include "device/host_buffer.h"
#include "device/results.h"
#include "device/timers.h"

MERGANSER_BEGIN

namespace {

constexpr unsigned char poison = 0xff;  ///< as a float or double not a number, as an index -1

struct Stream {
  std::recursive_mutex mutex;
  std::deque<StreamWork> queue;
  Recording recording;
  bool is_recording = false;
  std::string fault;  ///< what was done that a recording does not allow
  size_t bytes_held = 0;
  struct sigaction handler_before;
};
const char* volatile running = nullptr;  ///< what the stream works on, for the handler of faults

/// Never destroyed: arrays may outlive everything else.
Stream& stream();

void say(const char* text) { (void)!write(STDERR_FILENO, text, std::strlen(text)); }

/// Says who touched the GPU's memory and leaves the rest to the handler that was there before.
void on_fault(int, siginfo_t* information, void*) {
  if (emulated_memory().is_ours(information->si_addr)) {
    if (running) {
      say("emulated GPU: '");
      say(running);
      say("' touched memory that is not allocated: freed before, or outside its array\n");
    } else {
      say("emulated GPU: the host touched GPU memory; read it with to_host() or read_back(), which wait\n");
    }
  }
  sigaction(SIGSEGV, &stream().handler_before, nullptr);
}

Stream& stream() {
  static Stream& created = [&]() -> Stream& {
    Stream& made = *new Stream;
    struct sigaction handler = {};
    handler.sa_sigaction = on_fault;
    handler.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &handler, &made.handler_before);
    return made;
  }();
  return created;
}
using Lock = std::lock_guard<std::recursive_mutex>;

void require_block(const void* device, size_t bytes, const char* what) {
  if (bytes > 0 && !emulated_memory().holds(device, bytes))
    throw DeviceError(std::string("emulated GPU: ") + what + ": " + std::to_string(bytes) +
                      " bytes that do not lie within one array of the GPU");
}
void require_host(const void* host, const char* what) {
  if (emulated_memory().is_ours(host))
    throw DeviceError(std::string("emulated GPU: ") + what + ": the host's address is the GPU's");
}
void not_while_recording(const char* what) {
  Stream& s = stream();
  if (!s.is_recording) return;
  s.fault = std::string("emulated GPU: ") + what + " while a launch graph is recorded" +
            (s.recording.work.empty() ? "" : std::string(", after '") + s.recording.work.back().name + "'");
  throw DeviceError(s.fault);
}

}  // namespace

void enqueue(StreamWork work) {
  Stream& s = stream();
  const Lock lock(s.mutex);
  if (s.is_recording)
    s.recording.work.push_back(std::move(work));
  else
    s.queue.push_back(std::move(work));
}

void enqueue_kernel(KernelCounters& kernel, StreamWork work, int kernels) {
  if (recording()) return enqueue(std::move(work));
  count_one(traffic_counters().kernels, kernels);
  if (!kernel_timing()) {
    enqueue(std::move(work));
    return kernel.add(0);
  }
  synchronize();
  const long long start = now_nanoseconds();
  enqueue(std::move(work));
  synchronize();
  kernel.add(now_nanoseconds() - start);
}

bool recording() { return stream().is_recording; }

void begin_recording() {
  Stream& s = stream();
  const Lock lock(s.mutex);
  not_while_recording("another recording was begun");
  s.is_recording = true;
  s.fault.clear();
  s.recording.work.clear();
}
Recording end_recording() {
  Stream& s = stream();
  const Lock lock(s.mutex);
  s.is_recording = false;
  if (!s.fault.empty()) throw DeviceError(s.fault);
  return std::move(s.recording);
}
void abandon_recording() noexcept {
  Stream& s = stream();
  const Lock lock(s.mutex);
  s.is_recording = false;
  s.recording.work.clear();
}

void synchronize() {
  Stream& s = stream();
  const Lock lock(s.mutex);
  not_while_recording("the host waited");
  if (s.queue.empty()) return;
  struct OpenMemory {
    OpenMemory() { emulated_memory().open(); }
    ~OpenMemory() {
      running = nullptr;
      emulated_memory().close();
    }
  } open;
  while (!s.queue.empty()) {
    const StreamWork work = std::move(s.queue.front());
    s.queue.pop_front();
    running = work.name;
    work.run();
  }
}

void* allocate_bytes(size_t bytes) {
  Stream& s = stream();
  const Lock lock(s.mutex);
  not_while_recording("memory was requested");
  void* block = bytes > 0 ? emulated_memory().allocate(bytes) : nullptr;
  if (!block)
    throw DeviceError("out of emulated GPU memory: " + std::to_string(bytes >> 20) + " MiB more requested, " +
                      std::to_string(s.bytes_held >> 20) +
                      " MiB allocated; use a lower --resolution or another --device");
  s.bytes_held += bytes;
  enqueue({"poison of new memory", [=] { std::memset(block, poison, bytes); }});
  return block;
}
void free_bytes(void* pointer, size_t bytes) noexcept {
  if (!pointer) return;
  Stream& s = stream();
  const Lock lock(s.mutex);
  s.bytes_held -= bytes;
  if (s.is_recording) s.fault = "emulated GPU: memory was freed while a launch graph is recorded";
  s.queue.push_back({"free", [=] { emulated_memory().release(pointer); }});
}

void copy_to_device(void* device, const void* host, size_t bytes) {
  const Lock lock(stream().mutex);
  not_while_recording("a copy from the host");
  require_block(device, bytes, "copy to the GPU");
  require_host(host, "copy to the GPU");
  enqueue({"copy to the GPU", [=] { bytes > 0 ? std::memcpy(device, host, bytes) : nullptr; }});
  count_one(traffic_counters().writes);
  synchronize();
}
void copy_to_host(void* host, const void* device, size_t bytes) {
  const Lock lock(stream().mutex);
  not_while_recording("a copy to the host");
  require_block(device, bytes, "copy from the GPU");
  require_host(host, "copy from the GPU");
  enqueue({"copy from the GPU", [=] { bytes > 0 ? std::memcpy(host, device, bytes) : nullptr; }});
  count_one(traffic_counters().reads);
  synchronize();
}
ResultMemory allocate_result_memory(size_t bytes) {
  Stream& s = stream();
  const Lock lock(s.mutex);
  not_while_recording("memory for results was requested");
  void* block = emulated_memory().allocate(bytes);
  if (!block) throw DeviceError("out of emulated GPU memory: no room for results");
  enqueue({"poison of new memory", [=] { std::memset(block, poison, bytes); }});
  return {static_cast<unsigned char*>(block), new unsigned char[bytes]};
}
void* allocate_host_bytes(size_t bytes) { return ::operator new(bytes); }
void free_host_bytes(void* pointer) noexcept { ::operator delete(pointer); }
void queue_copy_to_host(void* host, const void* device, size_t bytes) {
  const Lock lock(stream().mutex);
  not_while_recording("a copy to the host");
  require_block(device, bytes, "copy of results");
  require_host(host, "copy of results");
  enqueue({"copy of results", [=] { std::memcpy(host, device, bytes); }});
}
void copy_on_device(void* to, const void* from, size_t bytes) {
  const Lock lock(stream().mutex);
  require_block(to, bytes, "copy on the GPU");
  require_block(from, bytes, "copy on the GPU");
  if (bytes == 0) return;
  enqueue({"copy on the GPU", [=] { std::memcpy(to, from, bytes); }});
  if (!recording()) count_one(traffic_counters().copies);
}
void fill_zero(void* device, size_t bytes) {
  const Lock lock(stream().mutex);
  require_block(device, bytes, "fill");
  if (bytes == 0) return;
  enqueue({"fill", [=] { std::memset(device, 0, bytes); }});
  if (!recording()) count_one(traffic_counters().copies);
}
size_t allocated_bytes() {
  const Lock lock(stream().mutex);
  return stream().bytes_held;
}

#if defined(MERGANSER_CHECKED_VIEWS)
void view_index_error(long long index, long long count) {
  const char* who = running ? running : "the host";
  std::fprintf(stderr, "index %lld outside a view of %lld elements, in '%s'\n", index, count, who);
  std::abort();
}
#endif

MERGANSER_END
