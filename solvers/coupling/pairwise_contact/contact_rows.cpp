#include "solvers/coupling/pairwise_contact/contact_rows.h"

#include "device/atomics.h"
#include "device/launch.h"
#include "device/small_sort.h"

MERGANSER_BEGIN

namespace {

struct CountPartners {
  static constexpr const char* name = "contact rows: count";
  View<const ItemPair> pairs;
  View<int> count;
  MERGANSER_METHOD void operator()(int k) const {
    atomic_add(&count[pairs[k].first], 1);
    atomic_add(&count[pairs[k].second], 1);
  }
};

struct FillPartners {
  static constexpr const char* name = "contact rows: fill";
  View<const ItemPair> pairs;
  View<const int> first;
  View<int> filled, partner;
  MERGANSER_METHOD void add(int row, int other) const {
    partner[first[row] + atomic_add(&filled[row], 1)] = other;
  }
  MERGANSER_METHOD void operator()(int k) const {
    add(pairs[k].first, pairs[k].second);
    add(pairs[k].second, pairs[k].first);
  }
};

struct SortPartners {
  static constexpr const char* name = "contact rows: sort";
  View<const int> first;
  View<int> partner;
  MERGANSER_METHOD void operator()(int row) const {
    sort_ascending(partner.data + first[row], first[row + 1] - first[row]);
  }
};

}  // namespace

void ContactRows::build(const ContactDetection& contacts) {
  const View<const ItemPair> pairs = contacts.pairs();
  particle_ = contacts.contact_particles();
  const int rows = particle_.count;
  filled_.resize(rows);
  filled_.zero();
  first_.resize(rows + 1);
  partner_.resize(2 * pairs.count);
  launch(pairs.count, CountPartners{.pairs = pairs, .count = filled_.view()});
  exclusive_scan(filled_.const_view(), first_.view(), scratch_);
  filled_.zero();
  launch(pairs.count, FillPartners{.pairs = pairs,
                                   .first = first_.const_view(),
                                   .filled = filled_.view(),
                                   .partner = partner_.view()});
  launch(rows, SortPartners{.first = first_.const_view(), .partner = partner_.view()});
}

MERGANSER_END
