#include "device/emulated/memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "device/errors.h"

MERGANSER_BEGIN

EmulatedMemory& emulated_memory() {
  static EmulatedMemory& created = *new EmulatedMemory;
  return created;
}

EmulatedMemory::EmulatedMemory() {
  void* range = mmap(nullptr, range_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED)
    throw DeviceError("the emulated GPU cannot reserve " + std::to_string(range_bytes >> 30) +
                      " GiB of addresses: " + std::strerror(errno) + "; raise the limit (ulimit -v)");
  begin_ = next_ = reinterpret_cast<std::uintptr_t>(range);
}

std::uintptr_t EmulatedMemory::find_gap(std::uintptr_t from, std::uintptr_t to, size_t bytes) const {
  auto block = blocks_.upper_bound(from);
  if (block != blocks_.begin()) {
    const auto& [address, size] = *std::prev(block);
    from = std::max(from, address + rounded(size));
  }
  for (; block != blocks_.end() && block->first < from + bytes; ++block)
    from = block->first + rounded(block->second);
  return from + bytes <= to ? from : 0;
}

void* EmulatedMemory::allocate(size_t bytes) {
  const std::uintptr_t end = begin_ + range_bytes;
  std::uintptr_t found = find_gap(next_, end, rounded(bytes));
  if (!found) found = find_gap(begin_, end, rounded(bytes));
  if (!found) return nullptr;
  blocks_[found] = bytes;
  next_ = found + rounded(bytes);
  return reinterpret_cast<void*>(found);
}

void EmulatedMemory::release(void* block) {
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(block));
  const size_t bytes = rounded(found->second);
  protect(found->first, bytes, PROT_NONE);
  (void)madvise(block, bytes, MADV_DONTNEED);  // only a wish: the pages are closed
  blocks_.erase(found);
}

void EmulatedMemory::open() {
  for (auto block = blocks_.begin(); block != blocks_.end();) {  // blocks side by side at once
    const std::uintptr_t begin = block->first;
    std::uintptr_t end = begin;
    for (; block != blocks_.end() && block->first == end; ++block) end += rounded(block->second);
    protect(begin, end - begin, PROT_READ | PROT_WRITE);
  }
}

void EmulatedMemory::close() { protect(begin_, range_bytes, PROT_NONE); }

bool EmulatedMemory::holds(const void* address, size_t bytes) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  auto block = blocks_.upper_bound(at);
  if (block == blocks_.begin()) return false;
  --block;
  return at + bytes <= block->first + block->second;
}

bool EmulatedMemory::is_ours(const void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= begin_ && at < begin_ + range_bytes;
}

void EmulatedMemory::protect(std::uintptr_t begin, size_t bytes, int protection) {
  if (mprotect(reinterpret_cast<void*>(begin), bytes, protection) != 0)
    throw DeviceError(std::string("the emulated GPU cannot protect its memory: ") + std::strerror(errno));
}

MERGANSER_END
