/// Scan and sort of the emulated GPU.
#include <algorithm>
#include <numeric>
#include <vector>

#include "device/block_phases.h"
#include "device/scan.h"
#include "device/sort.h"

MERGANSER_BEGIN

namespace {

/// As CUB: only the lowest key_bits bits are looked at, scratch memory is asked for when the sort is queued,
/// and what was in it is lost.
template <class Key>
void sort_pairs(View<Key> keys, View<int> values, Scratch& scratch, int key_bits) {
  if (keys.count == 0) return;
  static KernelCounters& kernel = kernel_counters("stable sort");
  const size_t key_bytes = (sizeof(Key) * size_t(keys.count) + 255) / 256 * 256;
  auto* key_copy = static_cast<Key*>(scratch.reserve(key_bytes + sizeof(int) * size_t(keys.count)));
  auto* value_copy = reinterpret_cast<int*>(reinterpret_cast<unsigned char*>(key_copy) + key_bytes);
  enqueue_kernel(kernel,
                 {"stable sort",
                  [=] {
                    const Key mask = key_bits >= int(8 * sizeof(Key)) ? ~Key{0} : (Key{1} << key_bits) - 1;
                    std::vector<int> order(static_cast<size_t>(keys.count));
                    std::iota(order.begin(), order.end(), 0);
                    std::stable_sort(order.begin(), order.end(), [=](int a, int b) {
                      return (keys.data[a] & mask) < (keys.data[b] & mask);
                    });
                    std::copy_n(keys.data, keys.count, key_copy);
                    std::copy_n(values.data, keys.count, value_copy);
                    for (int i = 0; i < keys.count; ++i) {
                      keys.data[i] = key_copy[order[size_t(i)]];
                      values.data[i] = value_copy[order[size_t(i)]];
                    }
                  }},
                 2 + (key_bits + 7) / 8);
}

}  // namespace

void exclusive_scan(View<const int> in, View<int> out, Scratch& scratch) {
  if (out.count == 0) return;
  if (out.count <= indices_of_a_block) return launch_block(ScanInBlock{in, out});
  static KernelCounters& kernel = kernel_counters(ScanInBlock::name);
  (void)scratch.reserve(256);
  enqueue_kernel(kernel,
                 {"exclusive scan",
                  [=] {
                    int sum = 0;
                    for (int i = 0; i < in.count; ++i) {
                      const int value = in.data[i];
                      out.data[i] = sum;
                      sum += value;
                    }
                    if (out.count > in.count) out.data[in.count] = sum;
                  }},
                 2);
}

void stable_sort_by_key(View<Word64> keys, View<int> values, Scratch& scratch, int key_bits) {
  sort_pairs(keys, values, scratch, key_bits);
}
void stable_sort_by_key(View<unsigned> keys, View<int> values, Scratch& scratch, int key_bits) {
  sort_pairs(keys, values, scratch, key_bits);
}

MERGANSER_END
