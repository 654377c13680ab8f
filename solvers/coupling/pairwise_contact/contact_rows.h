#pragma once
/// The pairs of a step seen from each contact particle: what the gathering kernels of this folder walk.
#include "device/array.h"
#include "device/scan.h"
#include "solvers/coupling/merge_split/contact_detection.h"

MERGANSER_BEGIN

/// Row k belongs to contact particle k and holds its partners, ascending.
struct ContactRowsView {
  View<const int> particle;  ///< contact particles, as particle indices, ascending
  View<const int> first;     ///< one more than rows
  View<const int> partner;   ///< contact particles, as row numbers

  /// Calls visit(row of the partner, its particle index) in a fixed order.
  template <class Visit>
  MERGANSER_METHOD void for_each_partner(int row, const Visit& visit) const {
    for (int entry = first[row]; entry < first[row + 1]; ++entry)
      visit(partner[entry], particle[partner[entry]]);
  }
  MERGANSER_METHOD int size(int row) const { return first[row + 1] - first[row]; }
};

class ContactRows {
 public:
  /// Both directions of every pair. Integer atomics place them, sorting restores an order that no thread can
  /// change. The contacts must outlive the view.
  void build(const ContactDetection& contacts);
  ContactRowsView view() const { return {particle_, first_.view(), partner_.view()}; }
  int row_count() const { return particle_.count; }

 private:
  View<const int> particle_;
  Array<int> first_, filled_, partner_;
  Scratch scratch_;
};

MERGANSER_END
