/// Merge rounds that are replayed from a launch graph: every number that a kernel takes by value must be in
/// the graph's key.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "device/merge_groups.h"

MERGANSER_BEGIN
namespace merge_groups_graph_test {

struct Contacts {
  std::vector<int> id, anchored;
  std::vector<ItemPair> pairs;
};

Contacts random_contacts(int items, int count) {
  std::mt19937 engine(11);
  Contacts made{std::vector<int>(size_t(items)), std::vector<int>(size_t(items), 0), {}};
  for (int i = 0; i < items; ++i) made.id[size_t(i)] = 3 * i + 1;
  while (int(made.pairs.size()) < count) {
    const int a = int(engine() % unsigned(items)), b = int(engine() % unsigned(items));
    if (a != b) made.pairs.push_back({std::min(a, b), std::max(a, b)});
  }
  return made;
}

/// The groups of one step after another, each with its limit, all by the same object; `fresh`: by a new one
/// every step.
std::vector<std::vector<int>> groups_of(const Contacts& contacts, const std::vector<int>& limits,
                                        bool fresh) {
  const Array<int> id(contacts.id), anchored(contacts.anchored),
      wanted(std::vector<int>(contacts.pairs.size(), 1));
  const Array<ItemPair> pairs(contacts.pairs);
  std::vector<std::vector<int>> steps;
  auto groups = std::make_unique<MergeGroups>();
  for (int limit : limits) {
    if (fresh) groups = std::make_unique<MergeGroups>();
    groups->set_few_pairs(0);
    groups->begin(id.const_view(), anchored.const_view(), {.least = limit, .most = limit});
    groups->merge(pairs.const_view(), wanted.const_view());
    groups->number_groups();
    steps.push_back(to_host(groups->groups().group_of));
  }
  return steps;
}

/// The third step with a limit replays what the second one recorded; the next limit must not.
TEST(MergeGroupsGraph, LimitsMayChangeFromStepToStep) {
  const Contacts contacts = random_contacts(400, 700);
  const std::vector<int> limits{64, 64, 64, 64, 5, 5, 5, 64};
  EXPECT_EQ(groups_of(contacts, limits, false), groups_of(contacts, limits, true));
}

/// From 8,192 pairs on the rounds sort with CUB, also while they are recorded and when they are replayed.
TEST(MergeGroupsGraph, TwentyThousandPairsOnOneObject) {
  const Contacts contacts = random_contacts(15000, 20000);
  const std::vector<int> limits(4, 64);
  EXPECT_EQ(groups_of(contacts, limits, false), groups_of(contacts, limits, true));
}

}  // namespace merge_groups_graph_test
MERGANSER_END
