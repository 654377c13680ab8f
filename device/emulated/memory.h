#pragma once
/// Memory of the emulated GPU: blocks of pages in one reserved range of addresses, closed to the host by page
/// protection. They are open only while the stream runs.
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "device/backend.h"

MERGANSER_BEGIN

class EmulatedMemory {
 public:
  EmulatedMemory();
  EmulatedMemory(const EmulatedMemory&) = delete;
  EmulatedMemory& operator=(const EmulatedMemory&) = delete;

  /// A closed block, or nullptr where no room is left. Addresses are used again as late as possible.
  void* allocate(size_t bytes);
  /// Closes a block for good and drops its content; while the stream runs as well.
  void release(void* block);
  /// Opens all blocks, or closes them again.
  void open();
  void close();
  /// True where [address, address + bytes) lies within a block.
  bool holds(const void* address, size_t bytes) const;
  /// True for an address of the GPU, allocated or not.
  bool is_ours(const void* address) const;
  size_t size() const { return range_bytes; }

 private:
  static constexpr size_t page = 4096;
  static constexpr size_t range_bytes = size_t{64} << 30;
  static constexpr size_t rounded(size_t bytes) { return (bytes + page - 1) / page * page; }
  /// The first gap of so many bytes in [from, to), or 0.
  std::uintptr_t find_gap(std::uintptr_t from, std::uintptr_t to, size_t bytes) const;
  void protect(std::uintptr_t begin, size_t bytes, int protection);

  std::uintptr_t begin_ = 0, next_ = 0;
  std::map<std::uintptr_t, size_t> blocks_;  ///< address and bytes asked for
};

/// Never destroyed: arrays may outlive everything else.
EmulatedMemory& emulated_memory();

MERGANSER_END
